/* A parser by precedence, and a walk over the tree that it builds. Whatever the text, the parser recurses no deeper
 * than FX_EXPRESSION_DEPTH times the levels of precedence, the walk no deeper than FX_EXPRESSION_NODES. */
#include "expression.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum operation {
    NUMBER,
    LANE,
    STEP,
    NOT,
    COMPLEMENT,
    NEGATE,
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
    CHOOSE,
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

typedef struct node {
    operation what;
    int64_t value;    /* of a NUMBER */
    short operand[3]; /* indexes of nodes; as many as the operation has */
} node;

struct fx_expression {
    node nodes[FX_EXPRESSION_NODES];
    short count, root;
};

typedef struct parser {
    const char *text, *at;
    fx_expression *out;
    const fx_block *block; /* NULL: of one dimension */
    int depth;
    fx_error *err;
} parser;

/* In a block of one dimension the first warp's threads are its lanes. */
static const char *const lane_names[] = {"lane", "tid"};

static fx_status choice(parser *p, short *out);

static void skip_blanks(parser *p) {
    p->at += strspn(p->at, " \t");
}

static fx_status fail(parser *p, const char *problem) {
    return fx_fail(p->err, FX_BAD_INPUT, "the expression '%.60s': %s at column %td", p->text, problem,
                   p->at - p->text + 1);
}

static fx_status add(parser *p, operation what, int64_t value, short a, short b, short c, short *out) {
    if (p->out->count == FX_EXPRESSION_NODES) {
        return fail(p, "too long");
    }
    *out = p->out->count++;
    p->out->nodes[*out] = (node){.what = what, .value = value, .operand = {a, b, c}};
    return FX_OK;
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

/* left what right, of a node and a number. */
static fx_status add_pair(parser *p, operation what, short left, int64_t right, short *out) {
    short number = 0;
    return add(p, NUMBER, right, 0, 0, 0, &number) || add(p, what, 0, left, number, 0, out) ? p->err->status : FX_OK;
}

/* threadIdx.x, .y or .z: the lane counts x first, then y. */
static fx_status add_place(parser *p, int axis, short *out) {
    short place = 0;
    if (!p->block && axis) {
        return fail(p, "threadIdx.y and .z need the size of the block: --block X,Y");
    }
    if (add(p, LANE, 0, 0, 0, 0, &place)) {
        return p->err->status;
    }
    for (int before = 0; before < axis; before++) {
        if (add_pair(p, DIVIDE, place, p->block->size[before], &place)) {
            return p->err->status;
        }
    }
    if (p->block) {
        return add_pair(p, REMAINDER, place, p->block->size[axis], out);
    }
    *out = place;
    return FX_OK;
}

/* A word of a block: threadIdx or blockDim with .x, .y or .z; *taken is false if it is none. */
static fx_status block_word(parser *p, bool *taken, short *out) {
    static const char *const words[] = {"threadIdx.", "blockDim."};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t size = strlen(words[i]);
        const char axis = strncmp(p->at, words[i], size) ? '\0' : p->at[size];
        if (axis < 'x' || axis > 'z' || is_word(p->at[size + 1])) {
            continue;
        }
        *taken = true;
        if (i == 1 && !p->block) {
            return fail(p, "blockDim needs the size of the block: --block X,Y");
        }
        const fx_status status =
            i == 0 ? add_place(p, axis - 'x', out) : add(p, NUMBER, p->block->size[axis - 'x'], 0, 0, 0, out);
        p->at += size + 1;
        return status;
    }
    return FX_OK;
}

static fx_status atom(parser *p, short *out) {
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
        return add(p, NUMBER, value, 0, 0, 0, out);
    }
    for (size_t i = 0; i < sizeof lane_names / sizeof lane_names[0]; i++) {
        const size_t size = strlen(lane_names[i]);
        if (!strncmp(p->at, lane_names[i], size) && !is_word(p->at[size])) {
            p->at += size;
            return add(p, LANE, 0, 0, 0, 0, out);
        }
    }
    bool taken = false;
    if (block_word(p, &taken, out) || taken) {
        return p->err->status;
    }
    if (length == 1 && *p->at == 't') {
        p->at++;
        return add(p, STEP, 0, 0, 0, 0, out);
    }
    FX_FAIL_IF(length > 0, p->err, FX_BAD_INPUT,
               "the expression '%.60s': unknown name '%.*s' at column %td; use lane (threadIdx.x, tid) or t", p->text,
               length > 40 ? 40 : (int)length, p->at, p->at - p->text + 1);
    if (!take(p, "(")) {
        return fail(p, *p->at ? "an operand is missing" : "it ends where an operand should be");
    }
    const fx_status status = choice(p, out);
    if (status == FX_OK && !take(p, ")")) {
        return fail(p, "a ')' is missing");
    }
    return status;
}

static fx_status unary(parser *p, short *out) {
    static const struct {
        char text[2];
        operation what;
    } prefixes[] = {{"-", NEGATE}, {"~", COMPLEMENT}, {"!", NOT}};
    fx_status status = FX_OK;
    short operand;
    if (++p->depth > FX_EXPRESSION_DEPTH) {
        return fail(p, "nested too deeply");
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (take(p, prefixes[i].text)) {
            status = unary(p, &operand);
            p->depth--;
            return status == FX_OK ? add(p, prefixes[i].what, 0, operand, 0, 0, out) : status;
        }
    }
    status = take(p, "+") ? unary(p, out) : atom(p, out);
    p->depth--;
    return status;
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

static fx_status operators(parser *p, int level, short *out) {
    fx_status status = unary(p, out);
    while (status == FX_OK) {
        const size_t i = operator_here(p);
        short right;
        if (i == BINARY_COUNT || binary[i].level < level) {
            break;
        }
        p->at += strlen(binary[i].text);
        status = operators(p, binary[i].level + 1, &right);
        if (status == FX_OK) {
            status = add(p, binary[i].what, 0, *out, right, 0, out);
        }
    }
    return status;
}

static fx_status choice(parser *p, short *out) {
    short yes, no;
    if (++p->depth > FX_EXPRESSION_DEPTH) {
        return fail(p, "nested too deeply");
    }
    fx_status status = operators(p, LOOSEST, out);
    if (status == FX_OK && take(p, "?")) {
        status = choice(p, &yes);
        if (status == FX_OK && !take(p, ":")) {
            status = fail(p, "a ':' is missing");
        }
        if (status == FX_OK) {
            status = choice(p, &no);
        }
        if (status == FX_OK) {
            status = add(p, CHOOSE, 0, *out, yes, no, out);
        }
    }
    p->depth--;
    return status;
}

fx_status fx_expression_parse(const char *text, const fx_block *block, fx_expression **out, fx_error *err) {
    parser p = {.text = text, .at = text, .out = calloc(1, sizeof *p.out), .block = block, .err = err};
    FX_FAIL_IF(!p.out, err, FX_NO_MEMORY, "out of memory while reading an expression");
    fx_status status = choice(&p, &p.out->root);
    skip_blanks(&p);
    if (status == FX_OK && *p.at) {
        status = fail(&p, "an operator is missing or unknown");
    }
    if (status != FX_OK) {
        fx_expression_free(p.out);
        return status;
    }
    *out = p.out;
    return FX_OK;
}

typedef struct evaluation {
    const fx_expression *expression;
    int64_t lane, t;
    const char *problem; /* NULL: none */
} evaluation;

static int64_t value_of(evaluation *e, short index);

static int64_t divide(evaluation *e, int64_t a, int64_t b, bool remainder) {
    if (b == 0) {
        e->problem = "a division by zero";
        return 0;
    }
    if (b == -1) { /* INT64_MIN / -1 overflows */
        int64_t negated = 0;
        if (!remainder && __builtin_sub_overflow((int64_t)0, a, &negated)) {
            e->problem = "an overflow";
        }
        return negated;
    }
    return remainder ? a % b : a / b;
}

static int64_t shift(evaluation *e, int64_t a, int64_t by, bool left) {
    if (by < 0 || by > 63) {
        e->problem = "a shift by less than 0 or more than 63";
        return 0;
    }
    if (!left) {
        return a < 0 ? ~(~a >> by) : a >> by;
    }
    const int64_t shifted = (int64_t)((uint64_t)a << by);
    if ((shifted < 0 ? ~(~shifted >> by) : shifted >> by) != a) {
        e->problem = "an overflow";
    }
    return shifted;
}

static int64_t arithmetic(evaluation *e, operation what, int64_t a, int64_t b) {
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
        return divide(e, a, b, what == REMAINDER);
    case SHIFT_LEFT:
    case SHIFT_RIGHT:
        return shift(e, a, b, what == SHIFT_LEFT);
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
    default:
        break;
    }
    if (overflow) {
        e->problem = "an overflow";
    }
    return result;
}

static int64_t value_of(evaluation *e, short index) {
    const node *n = &e->expression->nodes[index];
    switch (n->what) {
    case NUMBER:
        return n->value;
    case LANE:
        return e->lane;
    case STEP:
        return e->t;
    case NOT:
        return !value_of(e, n->operand[0]);
    case COMPLEMENT:
        return ~value_of(e, n->operand[0]);
    case NEGATE:
        return arithmetic(e, SUBTRACT, 0, value_of(e, n->operand[0]));
    case AND:
        return value_of(e, n->operand[0]) && value_of(e, n->operand[1]);
    case OR:
        return value_of(e, n->operand[0]) || value_of(e, n->operand[1]);
    case CHOOSE:
        return value_of(e, n->operand[value_of(e, n->operand[0]) ? 1 : 2]);
    default:
        break;
    }
    const int64_t a = value_of(e, n->operand[0]), b = value_of(e, n->operand[1]);
    return e->problem ? 0 : arithmetic(e, n->what, a, b);
}

fx_status fx_expression_eval(const fx_expression *expression, int64_t lane, int64_t t, int64_t *out, fx_error *err) {
    evaluation e = {.expression = expression, .lane = lane, .t = t};
    const int64_t value = value_of(&e, expression->root);
    FX_FAIL_IF(e.problem, err, FX_BAD_INPUT, "the expression has %s at lane %lld, t %lld", e.problem, (long long)lane,
               (long long)t);
    *out = value;
    return FX_OK;
}

void fx_expression_free(fx_expression *expression) {
    free(expression);
}
