/* A parser by precedence that computes as it reads, for all lanes of a warp at once. Lanes that C would not let
 * evaluate a part, the other side of ?:, && or ||, are off while it is read. Whatever the text, the parser recurses no
 * deeper than FX_EXPRESSION_DEPTH times the levels of precedence. */
#include "expression.h"

#include <limits.h>

typedef enum operation {
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    ADD,
    SUBTRACT,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    EQUAL,
    NOT_EQUAL,
    BIT_AND,
    BIT_XOR,
    BIT_OR,
    AND,
    OR,
} operation;

/* Operators of two operands; a higher level binds more tightly. Longer texts stand before their own beginnings. */
static const struct {
    const char *text;
    int level;
    operation what;
} binary[] = {
    {"<<", 8, SHIFT_LEFT}, {">>", 8, SHIFT_RIGHT}, {"<=", 7, LESS_EQUAL}, {">=", 7, GREATER_EQUAL}, {"==", 6, EQUAL},
    {"!=", 6, NOT_EQUAL},  {"&&", 2, AND},         {"||", 1, OR},         {"*", 10, MULTIPLY},      {"/", 10, DIVIDE},
    {"%", 10, REMAINDER},  {"+", 9, ADD},          {"-", 9, SUBTRACT},    {"<", 7, LESS},           {">", 7, GREATER},
    {"&", 5, BIT_AND},     {"^", 4, BIT_XOR},      {"|", 3, BIT_OR},
};
enum { BINARY_COUNT = sizeof binary / sizeof binary[0], LOOSEST = 1 };

typedef struct values {
    int64_t of[FX_WARP];
} values;

typedef struct parser {
    const char *text, *at;
    const fx_block *block; /* NULL: of one dimension */
    int64_t t;
    uint32_t active;              /* lanes that evaluate what is read */
    const char *problem[FX_WARP]; /* the first of each lane; NULL: none */
    int depth;
    fx_error *err;
} parser;

/* Of the first warp its threads are its lanes. */
static const char *const lane_names[] = {"lane", "tid"};

static fx_status choice(parser *p, values *out);

static void skip_blanks(parser *p) {
    p->at += strspn(p->at, " \t");
}

static fx_status fail(parser *p, const char *problem) {
    return fx_fail(p->err, FX_BAD_INPUT, "the expression '%.60s': %s at column %td", p->text, problem,
                   p->at - p->text + 1);
}

static bool take(parser *p, const char *text) {
    skip_blanks(p);
    const size_t length = strlen(text);
    if (strncmp(p->at, text, length) != 0) {
        return false;
    }
    p->at += length;
    return true;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int64_t undefined(const char **problem, const char *what) {
    *problem = *problem ? *problem : what;
    return 0;
}

static int64_t shift(int64_t a, int64_t by, bool left, const char **problem) {
    if (by < 0 || by > 63) {
        return undefined(problem, "a shift by less than 0 or more than 63");
    }
    if (!left) {
        return a < 0 ? ~(~a >> by) : a >> by;
    }
    const int64_t shifted = (int64_t)((uint64_t)a << by);
    return (shifted < 0 ? ~(~shifted >> by) : shifted >> by) == a ? shifted : undefined(problem, "an overflow");
}

static int64_t arithmetic(operation what, int64_t a, int64_t b, const char **problem) {
    int64_t result = 0;
    bool overflow = false;
    switch (what) {
    case MULTIPLY:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case ADD:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case SUBTRACT:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case DIVIDE:
    case REMAINDER:
        if (b == 0) {
            return undefined(problem, "a division by zero");
        }
        if (b == -1) { /* INT64_MIN / -1 overflows */
            return what == REMAINDER ? 0 : arithmetic(SUBTRACT, 0, a, problem);
        }
        return what == REMAINDER ? a % b : a / b;
    case SHIFT_LEFT:
    case SHIFT_RIGHT:
        return shift(a, b, what == SHIFT_LEFT, problem);
    case LESS:
        return a < b;
    case LESS_EQUAL:
        return a <= b;
    case GREATER:
        return a > b;
    case GREATER_EQUAL:
        return a >= b;
    case EQUAL:
        return a == b;
    case NOT_EQUAL:
        return a != b;
    case BIT_AND:
        return a & b;
    case BIT_XOR:
        return a ^ b;
    case BIT_OR:
        return a | b;
    case AND:
        return a && b;
    case OR:
        return a || b;
    }
    return overflow ? undefined(problem, "an overflow") : result;
}

/* Lanes whose value is not 0. */
static uint32_t truth(const values *v) {
    uint32_t lanes = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        lanes |= (uint32_t)(v->of[l] != 0) << l;
    }
    return lanes;
}

static fx_status same_in_all(int64_t value, values *out) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->of[l] = value;
    }
    return FX_OK;
}

/* The thread over `over`, modulo `modulo`. */
static fx_status place(const parser *p, int64_t over, int64_t modulo, values *out) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->of[l] = ((p->block ? p->block->first : 0) + l) / over % modulo;
    }
    return FX_OK;
}

/* A word of a block: threadIdx or blockDim with .x, .y or .z, lanes count x first, then y; *taken: whether it is. */
static fx_status block_word(parser *p, bool *taken, values *out) {
    static const char *const words[] = {"threadIdx.", "blockDim."};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t size = strlen(words[i]);
        const char axis = strncmp(p->at, words[i], size) ? '\0' : p->at[size];
        int64_t before = 1;
        if (axis < 'x' || axis > 'z' || is_word(p->at[size + 1])) {
            continue;
        }
        *taken = true;
        if (!p->block && (i == 1 || axis > 'x')) {
            return fail(p, i == 1 ? "blockDim needs the size of the block: --block X,Y"
                                  : "threadIdx.y and .z need the size of the block: --block X,Y");
        }
        for (int a = 0; p->block && a < axis - 'x'; a++) {
            before *= p->block->size[a];
        }
        p->at += size + 1;
        const int64_t own = p->block ? p->block->size[axis - 'x'] : FX_WARP;
        return i == 0 ? place(p, before, own, out) : same_in_all(own, out);
    }
    return FX_OK;
}

static fx_status atom(parser *p, values *out) {
    skip_blanks(p);
    size_t length = 0;
    while (is_word(p->at[length])) {
        length++;
    }
    if (*p->at >= '0' && *p->at <= '9') {
        char *end;
        errno = 0;
        const long long value = strtoll(p->at, &end, 0);
        if (end != p->at + length) {
            return fail(p, "not a number");
        }
        if (errno) {
            return fail(p, "a number of more than 63 bits");
        }
        p->at = end;
        return same_in_all(value, out);
    }
    for (size_t i = 0; i < sizeof lane_names / sizeof lane_names[0]; i++) {
        const size_t size = strlen(lane_names[i]);
        if (!strncmp(p->at, lane_names[i], size) && !is_word(p->at[size])) {
            p->at += size;
            return place(p, 1, i ? INT64_MAX : FX_WARP, out);
        }
    }
    bool taken = false;
    const fx_status status = block_word(p, &taken, out);
    if (taken) {
        return status;
    }
    if (length == 1 && *p->at == 't') {
        p->at++;
        return same_in_all(p->t, out);
    }
    FX_FAIL_IF(length > 0, p->err, FX_BAD_INPUT,
               "the expression '%.60s': unknown name '%.*s' at column %td; use lane (threadIdx.x, tid) or t, or --code",
               p->text, length > 40 ? 40 : (int)length, p->at, p->at - p->text + 1);
    if (!take(p, "(")) {
        return fail(p, *p->at ? "an operand is missing" : "it ends where an operand should be");
    }
    FX_TRY(choice(p, out));
    return take(p, ")") ? FX_OK : fail(p, "a ')' is missing");
}

static fx_status unary(parser *p, values *out) {
    skip_blanks(p);
    const char sign = *p->at && strchr("-~!+", *p->at) ? *p->at++ : '\0';
    if (++p->depth > FX_EXPRESSION_DEPTH) {
        return fail(p, "nested too deeply");
    }
    FX_TRY(sign ? unary(p, out) : atom(p, out));
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t value = out->of[l];
        if (sign == '-' && p->active >> l & 1) {
            out->of[l] = arithmetic(SUBTRACT, 0, value, &p->problem[l]);
        } else if (sign == '~' || sign == '!') {
            out->of[l] = sign == '~' ? ~value : !value;
        }
    }
    p->depth--;
    return FX_OK;
}

/* The operator that stands here, or BINARY_COUNT. */
static size_t operator_here(parser *p) {
    size_t i = 0;
    skip_blanks(p);
    while (i < BINARY_COUNT && strncmp(p->at, binary[i].text, strlen(binary[i].text)) != 0) {
        i++;
    }
    return i;
}

static fx_status operators(parser *p, int level, values *out) {
    FX_TRY(unary(p, out));
    for (size_t i; (i = operator_here(p)) < BINARY_COUNT && binary[i].level >= level;) {
        const uint32_t active = p->active;
        values right;
        p->active &= binary[i].what == AND ? truth(out) : binary[i].what == OR ? ~truth(out) : UINT32_MAX;
        p->at += strlen(binary[i].text);
        FX_TRY(operators(p, binary[i].level + 1, &right));
        p->active = active;
        for (unsigned l = 0; l < FX_WARP; l++) {
            if (active >> l & 1) {
                out->of[l] = arithmetic(binary[i].what, out->of[l], right.of[l], &p->problem[l]);
            }
        }
    }
    return FX_OK;
}

static fx_status choice(parser *p, values *out) {
    if (++p->depth > FX_EXPRESSION_DEPTH) {
        return fail(p, "nested too deeply");
    }
    FX_TRY(operators(p, LOOSEST, out));
    if (take(p, "?")) {
        const uint32_t active = p->active, chosen = truth(out);
        values no;
        p->active = active & chosen;
        FX_TRY(choice(p, out));
        if (!take(p, ":")) {
            return fail(p, "a ':' is missing");
        }
        p->active = active & ~chosen;
        FX_TRY(choice(p, &no));
        p->active = active;
        for (unsigned l = 0; l < FX_WARP; l++) {
            out->of[l] = chosen >> l & 1 ? out->of[l] : no.of[l];
        }
    }
    p->depth--;
    return FX_OK;
}

fx_status fx_expression_values(const char *text, const fx_block *block, int64_t t, int64_t out[FX_WARP],
                               fx_error *err) {
    parser p = {.text = text, .at = text, .block = block, .t = t, .active = out ? UINT32_MAX : 0, .err = err};
    values found;
    FX_TRY(choice(&p, &found));
    skip_blanks(&p);
    if (*p.at) {
        return fail(&p, "an operator is missing or unknown");
    }
    for (unsigned l = 0; out && l < FX_WARP; l++) {
        FX_FAIL_IF(p.problem[l], err, FX_BAD_INPUT, "the expression has %s at lane %u, t %lld", p.problem[l], l,
                   (long long)t);
        out[l] = found.of[l];
    }
    return FX_OK;
}
