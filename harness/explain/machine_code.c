#include "machine_code.h"

#include "core/hash_table.h"

enum { LONGEST_WAY = 1 << 16, MOST_BARRIERS = 64, MOST_STATES = 1 << 24, QUEUES = 3, CALLED = 64, MOST_CALLS = 4 };

/* By the beginning of an opcode, the longer one first. What releases a scoreboard and accesses nothing is of the
 * special unit, what takes a fixed time is not: FCHK and BREV are, I2FP and F2FP are not. */
static const struct {
    const char *begins;
    fx_unit unit;
} units[] = {
    {"FFMA", FX_UNIT_FMA},      {"FADD", FX_UNIT_FMA},      {"FMUL", FX_UNIT_FMA},     {"HFMA2", FX_UNIT_FMA},
    {"HADD2", FX_UNIT_FMA},     {"HMUL2", FX_UNIT_FMA},     {"IMAD", FX_UNIT_IMAD},    {"IDP", FX_UNIT_IMAD},
    {"DFMA", FX_UNIT_FP64},     {"DADD", FX_UNIT_FP64},     {"DMUL", FX_UNIT_FP64},    {"DSETP", FX_UNIT_FP64},
    {"MUFU", FX_UNIT_SPECIAL},  {"I2FP", FX_UNIT_ALU},      {"I2F", FX_UNIT_SPECIAL},  {"F2I", FX_UNIT_SPECIAL},
    {"F2FP", FX_UNIT_ALU},      {"F2F", FX_UNIT_SPECIAL},   {"FRND", FX_UNIT_SPECIAL}, {"FCHK", FX_UNIT_SPECIAL},
    {"POPC", FX_UNIT_SPECIAL},  {"FLO", FX_UNIT_SPECIAL},   {"BREV", FX_UNIT_SPECIAL}, {"I2I", FX_UNIT_SPECIAL},
    {"HMMA", FX_UNIT_TENSOR},   {"IMMA", FX_UNIT_TENSOR},   {"DMMA", FX_UNIT_TENSOR},  {"QMMA", FX_UNIT_TENSOR},
    {"HGMMA", FX_UNIT_TENSOR},  {"QGMMA", FX_UNIT_TENSOR},  {"IGMMA", FX_UNIT_TENSOR}, {"LDGDEPBAR", FX_UNIT_NONE},
    {"LDC", FX_UNIT_CONSTANT},  {"LD", FX_UNIT_MEMORY},     {"ST", FX_UNIT_MEMORY},    {"ATOM", FX_UNIT_MEMORY},
    {"REDUX", FX_UNIT_SHUFFLE}, {"RED", FX_UNIT_MEMORY},    {"SHFL", FX_UNIT_SHUFFLE}, {"MATCH", FX_UNIT_SHUFFLE},
    {"S2R", FX_UNIT_CONSTANT},  {"S2UR", FX_UNIT_CONSTANT}, {"TEX", FX_UNIT_TEXTURE},  {"TLD", FX_UNIT_TEXTURE},
    {"SULD", FX_UNIT_TEXTURE},  {"SUST", FX_UNIT_TEXTURE},  {"NOP", FX_UNIT_NONE},     {"DEPBAR", FX_UNIT_NONE},
    {"WARPSYNC", FX_UNIT_NONE}, {"BMSK", FX_UNIT_ALU},      {"B", FX_UNIT_NONE},       {"EXIT", FX_UNIT_NONE},
    {"RET", FX_UNIT_NONE},      {"CALL", FX_UNIT_NONE},     {"J", FX_UNIT_NONE},       {"MEMBAR", FX_UNIT_NONE},
    {"ERRBAR", FX_UNIT_NONE},   {"CCTL", FX_UNIT_NONE},     {"SYNCS", FX_UNIT_NONE},   {"NANOSLEEP", FX_UNIT_NONE},
    {"KILL", FX_UNIT_NONE},     {"YIELD", FX_UNIT_NONE},    {"UBLKCP", FX_UNIT_NONE},  {"UTMA", FX_UNIT_NONE},
    {"UCG", FX_UNIT_NONE},      {"U", FX_UNIT_UNIFORM},
};

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static fx_unit unit_of(const char *opcode) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (begins(opcode, units[i].begins)) {
            return units[i].unit;
        }
    }
    return FX_UNIT_ALU;
}

static fx_flow flow_of(const char *opcode) {
    return begins(opcode, "EXIT") || begins(opcode, "KILL")          ? FX_FLOW_EXIT
           : begins(opcode, "BAR.SYNC") || begins(opcode, "BAR.RED") ? FX_FLOW_BARRIER
           : begins(opcode, "BSYNC")                                 ? FX_FLOW_MEET
           : begins(opcode, "RET")                                   ? FX_FLOW_BACK
           : begins(opcode, "BRX") || begins(opcode, "JMX")          ? FX_FLOW_UNKNOWN
           : begins(opcode, "BRA") || begins(opcode, "JMP")          ? FX_FLOW_JUMP
                                                                     : FX_FLOW_ON;
}

/* The last hexadecimal number of the operands is where a jump goes. */
static int32_t target_of(const char *text) {
    const char *at = NULL;
    for (const char *next = text; (next = strstr(next, "0x")); next++) {
        at = next;
    }
    return at ? (int32_t)(strtoul(at, NULL, 16) / FX_INSTRUCTION_BYTES) : -1;
}

static void take_step(char *line, fx_code_step *step) {
    char *text;
    const unsigned long control = strtoul(line, &text, 16);
    const long file = strtol(text, &text, 10), number = strtol(text, &text, 10);
    text += strspn(text, " ");
    *step = (fx_code_step){.stall = control & 15,
                           .writes = control >> 5 & 7,
                           .reads = control >> 8 & 7,
                           .waits = control >> 11 & 63,
                           .predicated = *text == '@',
                           .file = (int32_t)file,
                           .line = (int32_t)number};
    if (step->predicated) {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    step->unit = (uint8_t)unit_of(text);
    step->flow = (uint8_t)flow_of(text);
    step->calls = begins(text, "CALL");
    step->constant = begins(text, "LDC");
    step->operand = !step->constant && strstr(text, "c[");
    step->store = begins(text, "ST") || begins(text, "RED");
    step->shared = begins(text, "LDS") || begins(text, "STS") || begins(text, "ATOMS");
    step->floats = strstr(text, ".F16") || strstr(text, ".F32") || strstr(text, ".F64");
    step->wide = step->unit == FX_UNIT_IMAD && (strstr(text, ".WIDE") || strstr(text, ".HI"));
    const char *rounds = strstr(text, ",rounds=");
    step->rounds = rounds ? (uint32_t)strtoul(strchr(rounds, '=') + 1, NULL, 10) : 0;
    step->target = step->flow == FX_FLOW_JUMP || step->calls ? target_of(text) : -1;
    if (step->flow == FX_FLOW_JUMP) {
        /* BRA.U and a jump by a uniform predicate are of the whole warp */
        step->predicated = step->predicated || strstr(text, "P0,") || strstr(text, "P1,") || strstr(text, "P2,") ||
                           strstr(text, "P3,") || strstr(text, "P4,") || strstr(text, "P5,") || strstr(text, "P6,") ||
                           begins(text, "BRA.DIV");
        step->divides = step->predicated && !begins(text, "BRA.U") && !begins(text, "BRA.DIV");
    }
}

/* Where control may be next; returns how many, 2 at most. */
static unsigned next_of(const fx_machine_code *code, size_t at, int32_t out[2]) {
    const fx_code_step *step = &code->steps[at];
    const bool on =
        at + 1 < code->count &&
        (step->predicated || (step->flow != FX_FLOW_JUMP && step->flow != FX_FLOW_EXIT && step->flow < FX_FLOW_BACK));
    unsigned count = 0;
    if (on) {
        out[count++] = (int32_t)at + 1;
    }
    if (step->flow == FX_FLOW_JUMP && step->target >= 0) {
        out[count++] = step->target;
    }
    return count;
}

/* Whether a record would tell that a warp went through some steps: an access, or a barrier. */
static bool is_told(const fx_machine_code *code, size_t from, size_t to, bool always) {
    for (size_t i = from; i < to; i++) {
        const fx_code_step *step = &code->steps[i];
        if ((step->unit == FX_UNIT_MEMORY && !(always && step->predicated)) || step->flow == FX_FLOW_BARRIER) {
            return true;
        }
    }
    return false;
}

/* Whether a jump back is that of lanes that parted before its target, and went another way to it (BRA.DIV). */
static bool is_aside(const fx_machine_code *code, int32_t target, size_t jump) {
    bool found = false;
    for (int32_t i = 0; i < target; i++) {
        const fx_code_step *step = &code->steps[i];
        found = found || (step->predicated && !step->divides && step->target > target && step->target <= (int32_t)jump);
    }
    return found;
}

/* Jumps over a loop whose rounds are not known: a warp that takes one may as well have gone round it. Shuffles go over
 * 32 lanes in a few rounds. */
static void mark_guards(fx_machine_code *code, size_t first, size_t last) {
    for (size_t i = first; i < last; i++) {
        if (code->steps[i].unit == FX_UNIT_SHUFFLE) {
            return;
        }
    }
    for (size_t i = first; i-- > 0;) {
        fx_code_step *step = &code->steps[i];
        const bool over = step->flow == FX_FLOW_JUMP && step->predicated && step->target > (int32_t)last;
        if (over && !is_told(code, i, (size_t)step->target, true)) {
            step->repeats = true;
        }
    }
}

/* Marks loops of which no record tells how often they ran: from a jump back to its target without an access that is
 * always recorded and without a barrier; unless its text says them. */
static void mark_loops(fx_machine_code *code) {
    for (size_t i = 0; i < code->count; i++) {
        fx_code_step *jump = &code->steps[i];
        if (jump->flow != FX_FLOW_JUMP || jump->target < 0 || (size_t)jump->target >= i ||
            is_aside(code, jump->target, i)) {
            continue;
        }
        const bool counted = is_told(code, (size_t)jump->target, i, false);
        jump->rounds = counted ? 0 : jump->rounds;
        if (counted || jump->rounds) {
            continue;
        }
        for (size_t k = (size_t)jump->target; k <= i; k++) {
            code->steps[k].repeats = true;
        }
        mark_guards(code, (size_t)jump->target, i);
    }
}

void fx_machine_code_parse(const char *text, size_t size, fx_machine_code *out) {
    size_t lines = 0;
    char line[512];
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    *out = (fx_machine_code){.steps = fx_new(lines, sizeof *out->steps)};
    for (size_t at = 0; out->count < lines;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = (size_t)(end - text) - at; /* there are as many ends as lines */
        (void)snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), text + at);
        take_step(line, &out->steps[out->count++]);
        at += length + 1;
    }
    for (size_t i = 0; i < out->count; i++) {
        fx_code_step *step = &out->steps[i];
        if (step->target >= (int32_t)out->count) {
            step->target = -1;
            step->flow = (uint8_t)(step->calls ? FX_FLOW_ON : FX_FLOW_UNKNOWN);
        }
    }
    mark_loops(out);
}

void fx_machine_code_bare(uint64_t last, fx_machine_code *out) {
    enum { MOST = 1 << 20 };
    const size_t count = last / FX_INSTRUCTION_BYTES < MOST ? (size_t)(last / FX_INSTRUCTION_BYTES) + 1 : 0;
    *out = (fx_machine_code){.steps = fx_new(count, sizeof *out->steps), .count = count};
    for (size_t i = 0; i < count; i++) {
        char line[] = "7e1 -1 -1 LD";
        take_step(line, &out->steps[i]);
        out->steps[i].flow = FX_FLOW_UNKNOWN;
    }
}

void fx_machine_code_free(fx_machine_code *code) {
    free(code->steps);
    *code = (fx_machine_code){0};
}

typedef struct known_path {
    int32_t from, to; /* and more: the key */
    uint32_t more;
    fx_path *path;
} known_path;

/* A state to go to, after so many steps. */
typedef struct ahead {
    uint32_t state, from, wait;
} ahead;

struct fx_paths {
    const fx_machine_code *code;
    fx_hash_table known; /* known_path */
    uint32_t *came;      /* by state: the one before it, + 1 */
    ahead *queue;
    size_t state_room;
    int32_t *parted; /* where lanes may go on that others left: the ways of jumps that divide */
    int32_t *called; /* where calls come back to */
    size_t parted_count, called_count;
    unsigned depth; /* of calls */
};

fx_paths *fx_paths_new(const fx_machine_code *code) {
    fx_paths *p = fx_new(1, sizeof *p);
    *p = (fx_paths){.code = code,
                    .known = {.size = sizeof(known_path), .key = offsetof(known_path, more) + sizeof(uint32_t)},
                    .parted = fx_new(2 * code->count, sizeof *p->parted),
                    .called = fx_new(code->count, sizeof *p->called)};
    for (size_t i = 0; i < code->count; i++) {
        int32_t next[2];
        const unsigned ways = code->steps[i].divides ? next_of(code, i, next) : 0;
        for (unsigned w = 0; w < ways; w++) {
            p->parted[p->parted_count++] = next[w];
        }
        if (code->steps[i].calls && i + 1 < code->count) {
            p->called[p->called_count++] = (int32_t)i + 1;
        }
    }
    return p;
}

void fx_paths_free(fx_paths *p) {
    for (size_t i = 0; i < p->known.count; i++) {
        const known_path *one = fx_hash_item(&p->known, (uint32_t)i);
        free(one->path ? one->path->step : NULL);
        free(one->path);
    }
    fx_hash_free(&p->known);
    free(p->came);
    free(p->queue);
    free(p->parted);
    free(p->called);
    free(p);
}

/* How much the search allows: nothing that contradicts the records; lanes that part; accesses not recorded. */
typedef enum allowed { STRICT, PARTING, ANYTHING } allowed;

typedef struct search {
    fx_paths *p;
    uint32_t most;     /* barriers */
    size_t head, tail; /* of the queue, which goes round */
    allowed how;
} search;

static void queue(search *s, ahead next) {
    if (!s->p->came[next.state]) {
        s->p->came[next.state] = next.wait ? 0 : next.from + 1;
        s->p->queue[s->tail++ % (QUEUES * s->p->state_room)] = next;
    }
}

static void visit(search *s, int32_t at, uint32_t barriers, uint32_t from, uint32_t wait) {
    queue(s, (ahead){(uint32_t)at * (s->most + 1) + barriers, from, wait});
}

/* What lanes may skip, to meet the others behind it, one of them does not, unless it calls a function: so it is shorter
 * than the way round it. */
static uint32_t wait_of(const fx_machine_code *code, uint32_t at, int32_t next) {
    const fx_code_step *step = &code->steps[at];
    const bool skips =
        step->divides && next == step->target && next > (int32_t)at + 1 && code->steps[next].flow == FX_FLOW_MEET;
    return step->calls ? CALLED : skips ? (uint32_t)next - at : 0;
}

/* Adds the states that may follow one. */
static void follow(search *s, uint32_t state) {
    const fx_machine_code *code = s->p->code;
    const uint32_t at = state / (s->most + 1), before = state % (s->most + 1);
    const fx_code_step *step = &code->steps[at];
    const uint32_t barriers = before + (step->flow == FX_FLOW_BARRIER && s->most);
    int32_t next[2];
    const unsigned ways = barriers <= s->most ? next_of(code, at, next) : 0;
    for (unsigned w = 0; w < ways; w++) {
        visit(s, next[w], barriers, state, wait_of(code, at, next[w]));
    }
    if (s->how >= PARTING && (step->flow == FX_FLOW_MEET || step->flow == FX_FLOW_EXIT)) {
        for (size_t i = 0; i < s->p->parted_count; i++) {
            visit(s, s->p->parted[i], barriers, state, 0);
        }
    }
    if (s->how >= PARTING && step->calls && step->target >= 0) { /* what is called has accesses */
        visit(s, step->target, barriers, state, 0);
    }
    for (size_t i = 0; s->how >= PARTING && step->flow == FX_FLOW_BACK && i < s->p->called_count; i++) {
        visit(s, s->p->called[i], barriers, state, 0);
    }
}

/* The state in which the search ends; UINT32_MAX: there is none. `exact`: the number of barriers; else any. */
static uint32_t reach(search *s, int32_t from, int32_t to, bool exact) {
    const fx_machine_code *code = s->p->code;
    const size_t states = code->count * (s->most + 1);
    memset(s->p->came, 0, states * sizeof *s->p->came);
    s->head = s->tail = 0;
    if (from <= FX_PATH_ENTRY) {
        visit(s, FX_PATH_ENTRY - from, 0, UINT32_MAX - 1, 0);
    } else {
        int32_t next[2];
        const unsigned ways = next_of(code, (size_t)from, next);
        for (unsigned w = 0; w < ways; w++) {
            visit(s, next[w], 0, UINT32_MAX - 1, 0);
        }
        if (s->how >= PARTING && code->steps[from].flow == FX_FLOW_EXIT) {
            return UINT32_MAX;
        }
    }
    while (s->head < s->tail) {
        const ahead one = s->p->queue[s->head++ % (QUEUES * s->p->state_room)];
        const uint32_t state = one.state;
        if (one.wait) {
            queue(s, (ahead){state, one.from, one.wait - 1});
            continue;
        }
        const uint32_t at = state / (s->most + 1);
        const fx_code_step *step = &code->steps[at];
        const bool here = to < 0 ? step->flow == (to == FX_PATH_EXIT ? FX_FLOW_EXIT : FX_FLOW_BACK) : (int32_t)at == to;
        if (here && (!exact || state % (s->most + 1) == s->most)) {
            return state;
        }
        const bool is_seen = step->unit == FX_UNIT_MEMORY && !step->predicated;
        if ((int32_t)at != to && (!is_seen || s->how == ANYTHING)) {
            follow(s, state);
        }
    }
    return UINT32_MAX;
}

/* Writes the way that the search has found, backwards. */
static void write_path(search *s, uint32_t state, fx_path *path) {
    uint32_t count = 0;
    for (uint32_t at = state; at != UINT32_MAX - 1; at = s->p->came[at] - 1) {
        count++;
    }
    *path = (fx_path){.step = fx_new(count, sizeof *path->step), .count = count, .found = true};
    for (uint32_t at = state; at != UINT32_MAX - 1; at = s->p->came[at] - 1) {
        path->step[--count] = at / (s->most + 1);
    }
    for (uint32_t i = 0; i < path->count; i++) {
        path->barriers += s->p->code->steps[path->step[i]].flow == FX_FLOW_BARRIER;
    }
}

/* Makes the way longer by steps behind the first `at`. */
static void insert(fx_path *path, uint32_t at, const uint32_t *steps, uint32_t count) {
    uint32_t *longer = fx_new(path->count + count, sizeof *longer);
    memcpy(longer, path->step, at * sizeof *longer);
    memcpy(&longer[at], steps, count * sizeof *longer);
    memcpy(&longer[at + count], &path->step[at], (path->count - at) * sizeof *longer);
    free(path->step);
    path->step = longer;
    path->count += count;
}

/* Goes round loops as often as the code says: the shortest way does once. */
static void go_round(const fx_paths *p, fx_path *path) {
    for (uint32_t i = 0; i < path->count; i++) {
        const fx_code_step *jump = &p->code->steps[path->step[i]];
        uint32_t first = i;
        while (jump->rounds && first > 0 && path->step[first] != (uint32_t)jump->target) {
            first--;
        }
        const uint32_t body = i + 1 - first;
        if (jump->rounds && path->step[first] == (uint32_t)jump->target &&
            path->count + (uint64_t)jump->rounds * body < LONGEST_WAY) {
            for (uint32_t more = 1; more < jump->rounds; more++, i += body) {
                insert(path, i + 1, &path->step[first], body);
            }
        }
    }
}

/* Puts what is called behind each call on the way. */
static void enter_calls(fx_paths *p, fx_path *path) {
    for (uint32_t i = 0; i < path->count && p->depth < MOST_CALLS; i++) {
        const fx_code_step *step = &p->code->steps[path->step[i]];
        const bool over = step->calls && step->target >= 0 && i + 1 < path->count &&
                          path->step[i + 1] != (uint32_t)step->target; /* the way goes over the call, not into it */
        p->depth++;
        const fx_path *called = over ? fx_paths_find(p, FX_PATH_ENTRY - step->target, FX_PATH_BACK, 0) : NULL;
        p->depth--;
        if (called && called->found && path->count + called->count < LONGEST_WAY) {
            insert(path, i + 1, called->step, called->count);
            i += called->count;
        }
    }
}

/* exact: through so many barriers; else any number of them. */
static void search_path(fx_paths *p, int32_t from, int32_t to, uint32_t barriers, bool exact, allowed least,
                        allowed most, fx_path *out) {
    search s = {.p = p, .most = barriers};
    uint32_t state = UINT32_MAX;
    const size_t states = p->code->count * (barriers + 1);
    if (states > p->state_room) {
        free(p->came);
        free(p->queue);
        p->came = fx_new(states, sizeof *p->came);
        p->queue = fx_new(QUEUES * states, sizeof *p->queue);
        p->state_room = states;
    }
    for (s.how = least; s.how <= most && state == UINT32_MAX; s.how++) {
        state = reach(&s, from, to, exact);
        if (state != UINT32_MAX) {
            write_path(&s, state, out);
            go_round(p, out);
            enter_calls(p, out);
        }
    }
}

enum { APART = UINT32_MAX }; /* in place of a number of barriers: of lanes that are not on the way to what follows */

/* Whether a way takes a jump back. */
static bool goes_back(const fx_machine_code *code, const fx_path *path) {
    for (uint32_t i = 0; i + 1 < path->count; i++) {
        const fx_code_step *step = &code->steps[path->step[i]];
        if (step->flow == FX_FLOW_JUMP && !step->rounds && path->step[i + 1] <= path->step[i]) {
            return true;
        }
    }
    return false;
}

const fx_path *fx_paths_find(fx_paths *p, int32_t from, int32_t to, uint32_t more) {
    known_path one = {.from = from, .to = to, .more = more};
    const known_path *known = fx_hash_find(&p->known, &one);
    if (known) {
        return known->path;
    }
    uint32_t barriers = 0;
    const bool exact = more && more != APART;
    if (exact) {
        const fx_path *least = fx_paths_find(p, from, to, 0);
        barriers = least ? least->barriers + more : 0;
        if (!least || !least->found || barriers > MOST_BARRIERS || p->code->count * (barriers + 1) > MOST_STATES) {
            return NULL;
        }
    }
    fx_path *path = one.path = fx_new(1, sizeof *one.path);
    bool fresh;
    search_path(p, from, to, barriers, exact, more == APART ? PARTING : STRICT,
                more == APART ? PARTING
                : exact       ? STRICT
                              : ANYTHING,
                path);
    if (!path->found && to >= 0 && !more) { /* the access alone */
        path->step = fx_new(1, sizeof *path->step);
        *path->step = (uint32_t)to;
        path->count = 1;
    } else if (!path->found && more) {
        free(path);
        one.path = NULL;
    }
    const uint32_t place = fx_hash_put(&p->known, &one, &fresh);
    if (!fresh && one.path) { /* a function that calls itself has found it first */
        free(path->step);
        free(path);
    }
    return ((const known_path *)fx_hash_item(&p->known, place))->path;
}

const fx_path *fx_paths_apart(fx_paths *p, int32_t from, int32_t to) {
    const fx_path *usual = fx_paths_find(p, from, to, 0);
    const fx_path *parted = to > from && goes_back(p->code, usual) ? fx_paths_find(p, from, to, APART) : NULL;
    return parted && parted->barriers <= usual->barriers ? parted : usual;
}
