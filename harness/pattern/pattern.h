/* `gpufx pattern`: what one access pattern costs, by the laws and on the device. The parts: what is asked
 * (pattern_kind), where patterns come from (pattern_typed, pattern_code), what they cost (pattern_cost),
 * how that is shown (pattern_verdict, pattern_show, pattern_json), what the steps of a loop cost together
 * (pattern_loop), what would cure it (pattern_cure). */
#pragma once

#include <limits.h>

#include "archive/fit_lines.h"
#include "call/options.h"
#include "core/device.h"
#include "core/error.h"
#include "core/expression.h"
#include "core/sampler.h"

/* What may serve the accesses of one call. */
enum { FX_PATTERN_LEVELS = 3 };

typedef struct fx_pattern_level {
    const char *name; /* "L1", "shared memory" */
    const char *key;  /* as --level has it, "l1"; NULL: the space has one level */
    fx_access_level by;
} fx_pattern_level;

enum { FX_PATTERN_DIMENSIONS = 4 };

/* An array as C declares it; texts are borrowed. */
typedef struct fx_pattern_array {
    const char *type, *name; /* with their lengths; no name: empty */
    const char *kernel;      /* of several, whose array it is; NULL: of one */
    int type_length, name_length;
    int64_t bytes; /* of an element */
    int64_t size[FX_PATTERN_DIMENSIONS];
    size_t dimensions; /* 0: nothing is declared */
} fx_pattern_array;

/* Swizzle<B,M,S> of CuTe: bits M to M + B - 1 of an element's number, exclusive or with the S above; undoes itself. */
typedef struct fx_pattern_swizzle {
    int64_t bits, base, shift; /* bits 0: none */
    int64_t element;           /* its bytes */
} fx_pattern_swizzle;

/* Of the launch; 0: not known. */
typedef struct fx_pattern_launch {
    /* But blocks, of a block: warps that have lines of their own are `own`; rows: of 32 threads, if it had such rows
     * and each read one address at a time. */
    uint64_t threads, own, shared_bytes, blocks, rows;
} fx_pattern_launch;

#define FX_PATTERN_COUNTS "inc" /* op of an addition of the constant 1 in shared memory, without a result */
/* What is asked of every pattern of one call. */
typedef struct fx_pattern_kind {
    const char *space, *op; /* as the user says them */
    fx_access_kind does;
    unsigned part_bytes; /* of each of the neighbours that the compiler makes it of; 0: none */
    unsigned ld_bytes;   /* rows are one multiple of it apart, as for load_matrix_sync; 0: any layout will do */
    int64_t loop;        /* around the access, by any number; 0: none */
    enum { FX_UNKNOWN_WORDS, FX_OWN_WORDS, FX_CONTENDED_WORDS } words; /* of atomics in global memory, by other warps */
    fx_pattern_launch launch;
    const char *no_cure;        /* why another layout says nothing, or can't be; borrowed from the set's owner; NULL */
    fx_pattern_array array;     /* that it accesses, as far as it is declared */
    fx_pattern_swizzle swizzle; /* that the lanes' offsets have by --swizzle */
    fx_pattern_level level[FX_PATTERN_LEVELS]; /* the nearest to the SM first */
    size_t count;
} fx_pattern_kind;

typedef struct fx_pattern {
    json_t *id;       /* owned; a string or what the file says */
    const char *warp; /* that makes it, "warp 3 of blockIdx.x=1"; borrowed from the set's owner; NULL: any */
    unsigned width_bytes;
    unsigned whole_bytes; /* of the element, where this is the first instruction that it takes; else 0 */
    double weight;        /* steps of the loop that it stands for; 0: itself */
    fx_lanes lanes;
} fx_pattern;

/* What serves it at one level. */
typedef struct fx_pattern_cost_at {
    fx_prediction prediction;   /* law NULL: none is known */
    const fx_archived_fit *fit; /* borrowed from the fx_pattern_cost; NULL: none */
    double predicted;           /* NAN: no fit for it; see fx_pattern_is_bound */
    double best_count, best; /* of the same lanes side by side (constant memory: at one address); best: NAN as above */
    double times;            /* predicted over best, else count over best_count; NAN: no law */
    double least;            /* times, if fewer warps share the cache or it is `open`; 0: as times */
    bool open;               /* of DRAM: no bound, since the L2 joins accesses, or latency hides them */
    bool gaps;               /* open, and sectors are written in part: times may be any number where it is over 1 */
    double measured;         /* NAN: not measured */
    const char *unit;        /* of predicted, best and measured */
    char why_not[256];       /* why it was to be measured and was not; else empty */
} fx_pattern_cost_at;

typedef struct fx_pattern_answer {
    fx_pattern_cost_at at[FX_PATTERN_LEVELS]; /* as the kind's levels */
    size_t count;
    const char *spared; /* whose sectors a level counts once with it: of "steps" of a loop, or "accesses"; NULL: none */
    uint64_t shared, lone; /* sectors that other accesses use too, and those that they don't; 0 of "steps" */
    uint64_t warps[2];     /* that share the L1, at least and at most */
    bool past_l1;          /* only the L2 keeps what is spared */
} fx_pattern_answer;

/* The steps of one access, kept. */
typedef struct fx_pattern_set {
    char *name;  /* as it was written; owned; NULL: there is one alone */
    char *place; /* "file=app.cu,line=3," of an annotation; owned; of more places each on a line; "" or NULL: none */
    const char *label;   /* "app.cu:3: ", in owner; NULL or "": it has no file */
    const char *why_not; /* judged, so that it has no patterns; in owner; NULL: it is judged */
    bool faults;         /* why_not: on any GPU */
    bool beside;         /* it is not asked for, and a cure of those that are must suit it */
    fx_pattern_kind kind;
    json_t *owner; /* what the texts of kind.array lie in; NULL: nothing */
    fx_pattern *patterns;
    size_t count;
    struct fx_pattern_set
        *others;                /* what other warps of the block do differently, for the gate; owned; NULL: nothing */
    struct fx_pattern_set *all; /* what every warp does, for cures; owned; NULL: the set and its others have it */
} fx_pattern_set;
/* pattern_typed.c: hands over pattern->id. */
void fx_pattern_set_add_take(fx_pattern_set *set, const fx_pattern *pattern);
void fx_pattern_set_free(fx_pattern_set *set); /* what it holds */
/* The first of the sets that have what every warp does; NULL of NULL. */
const fx_pattern_set *fx_pattern_all_of(const fx_pattern_set *set);
unsigned fx_pattern_active(const fx_lanes *lanes); /* how many are */
/* Of an atomic, whose lanes wait for each other, the most of one word; else 1. */
unsigned fx_pattern_on_a_word(const fx_pattern_kind *kind, const fx_pattern *patterns, size_t count);
double fx_pattern_weight(const fx_pattern *pattern);
/* The fewest blocks that hold the bytes of all lanes, each byte once. */
unsigned fx_pattern_least_of(const fx_lanes *lanes, unsigned width_bytes, unsigned block_bytes);

/* pattern_kind.c: what the options ask for, and whether they fit each other; the width of an access that is typed. */
fx_status fx_pattern_check(const fx_options *options, fx_pattern_kind *kind, unsigned *width_bytes, fx_error *err);
/* The words of --space and --op. */
fx_status fx_pattern_kind_of(const char *space, const char *op, fx_pattern_kind *out, fx_error *err);
/* What global or shared memory ("global", "shared") can be served by, for an access of this kind. */
void fx_pattern_kind_for(const char *space, fx_access_kind does, fx_pattern_kind *out);
bool fx_pattern_is_atomic(const fx_pattern_kind *kind);
bool fx_pattern_is_width(int64_t width);
enum { FX_PATTERN_ID_BYTES = 81 };
/* The id as text that a terminal can be given: JSON without its quotes, escapes kept, cut where it is long. */
void fx_pattern_id(const fx_pattern *pattern, char *text, size_t size);

/* pattern_array.c: --tile, such as "float[32][33]" or "float tile[32][33]". */
fx_status fx_pattern_array_read(const char *tile, fx_pattern_array *out, fx_error *err);
/* Bytes of a row, the last dimension; 0: it has one dimension, or none. */
int64_t fx_pattern_row_bytes(const fx_pattern_array *array);
/* The declaration with so many bytes more at the end of every row, "float tile[64][65]", as_sum "[64 + 1]"; "" where
 * they are no whole elements. */
void fx_pattern_padded(const fx_pattern_array *array, int64_t pad_bytes, bool as_sum, char *text, size_t size);

/* pattern_typed.c: adds a pattern for each value of t, steps "t=0:31", and what the kind knows of array and swizzle. */
fx_status fx_pattern_typed(const fx_pattern_options *options, const char *steps, unsigned width_bytes,
                           fx_pattern_set *out, fx_error *err);
/* "16,16" or "16x16": threads in x, y and z; NULL: of one warp. */
fx_status fx_pattern_block(const char *text, fx_block *out, fx_error *err);

int64_t fx_pattern_swizzled(const fx_pattern_swizzle *by, int64_t offset);

/* pattern_code.c: every access of pasted lines, or of a line of a source file. The caller frees each set and *sets. */
struct fx_pattern_gate; /* which gets what was not judged; NULL: nothing is said */
fx_status fx_pattern_code(const fx_options *options, struct fx_pattern_gate *gate, fx_pattern_set **sets, size_t *count,
                          fx_error *err);

/* pattern_cost.c: laws, fits of archives, the device. */
enum { FX_PATTERN_WIDTHS = 5 };
/* The probe that covers an access of one width at one level. */
typedef struct fx_pattern_way {
    const fx_probe *probe; /* NULL: none */
    fx_params params;
    fx_access_support says;
    const fx_archived_fit *fit; /* NULL: none */
} fx_pattern_way;

typedef struct fx_pattern_cost {
    const fx_pattern_kind *kind;
    fx_device *device; /* NULL: nothing is measured */
    fx_facts facts;
    char arch[16], slug[128]; /* slug: empty where no device was opened */
    fx_pattern_way ways[FX_PATTERN_LEVELS][FX_PATTERN_WIDTHS];
    /* Where the fits of a level are from, "results/.../x.jsonl (NVIDIA H200, the same model)"; "": there are none. */
    char fits[FX_PATTERN_LEVELS][PATH_MAX + 256];
    double best_count[FX_PATTERN_LEVELS][FX_PATTERN_WIDTHS][FX_WARP + 1]; /* by active lanes; 0: not counted yet */
    const fx_predictor *from[FX_PATTERN_LEVELS];                          /* whose fits each level has; NULL: none */
    fx_sampling sampling;
    uint64_t seed, patterns;
} fx_pattern_cost;
/* Also on failure the caller frees *out. */
fx_status fx_pattern_cost_new(const fx_options *options, const fx_pattern_kind *kind, fx_pattern_cost **out,
                              fx_error *err);
fx_status fx_pattern_cost_of(fx_pattern_cost *cost, const fx_pattern *pattern, fx_pattern_answer *out, fx_error *err);
/* The same at one level, by laws and fits alone: any width, any lanes. law: NULL if no instruction makes the access. */
void fx_pattern_cost_level(fx_pattern_cost *cost, size_t level, const fx_lanes *lanes, unsigned width_bytes,
                           fx_pattern_cost_at *out);
/* Wavefronts of the banks, whatever serves the access in the end: as the instruction goes through the SM. */
unsigned fx_pattern_wavefronts(const fx_pattern_cost *cost, const fx_lanes *lanes, unsigned width_bytes);
/* times, or INFINITY where that is no bound. */
double fx_pattern_most(const fx_pattern_cost_at *at);

/* True where the law is not claimed for the access, and it is not `open`: it counts what must be done at least, and
 * `count`, `predicted` and `times` are bounds from below. */
bool fx_pattern_is_bound(const fx_pattern_cost_at *at);

/* True if the fit is one of the pattern's own law, so that it says how far that law has been off: a read past the first
 * constant cache takes only the price of a step from it. */
bool fx_pattern_is_judged(const fx_pattern_cost_at *at);
/* The law's answer at one level, and what the fits make of a count of it (NAN: no fit). */
fx_prediction fx_pattern_count(const fx_pattern_cost *cost, size_t level, const fx_lanes *lanes, unsigned width_bytes);
double fx_pattern_predict(const fx_pattern_cost *cost, size_t level, double count, unsigned width_bytes);
/* The array that shared memory and the L1 of an SM are made of, by the shared memory that a program can have there. No
 * query reports it; those of known chips are the next multiple of 32 KiB. */
uint64_t fx_pattern_array_bytes(uint64_t shared_per_sm_bytes);
/* Of the chip, what is known, or, where no device is at hand, what the archive says whose fits speak; 0: nothing. */
uint64_t fx_pattern_fact(const fx_pattern_cost *cost, uint64_t known, const char *key);
/* Cycles that an SM spends on it more than on the best, where it is slowest, of DRAM an SM's share. */
double fx_pattern_lost(const fx_pattern_cost *cost, const fx_pattern_answer *sum);
void fx_pattern_cost_free(fx_pattern_cost *cost); /* NULL is fine */

/* The nearest archive under results/ that was meant to have all probes that speak of accesses: of
 * the device with this slug ("": none), else of the architecture. False if there is none. */
bool fx_pattern_nearest(const char *root, const char *slug, const char *arch, char path[PATH_MAX]);

/* pattern_cure.c: other layouts of the same elements, each held against the same laws. */
typedef struct fx_pattern_cure {
    char text[256];                  /* what to do */
    char brief[160];                 /* the same in a few words: "float tile[32][33]" */
    fx_lanes lanes;                  /* of one access of the cure, the first step's */
    unsigned width_bytes;            /* of that access */
    unsigned replaces;               /* accesses of the program that it stands for, and that are not in the steps */
    unsigned merges;                 /* steps of the loop that it stands for */
    int32_t moves;                   /* the base, up to the start of a line */
    double count[FX_PATTERN_LEVELS]; /* by the law of each level, all steps together */
    double elsewhere;                /* count of the other accesses of the array, all together */
    double costs_others; /* of one that is refused: how many times as much another access of the array would cost;
                            INFINITY: it would fault, misaligned */
    unsigned keeps;      /* bytes of a wider access of the array, which stays aligned; 0: there is none */
} fx_pattern_cure;
/* The steps of one access; at least one. */
typedef struct fx_pattern_use {
    fx_pattern_cost *cost;
    const fx_pattern_kind *kind;
    const fx_pattern *patterns;
    size_t count;
    const fx_pattern_set *set; /* all that is known of it; NULL: the patterns */
} fx_pattern_use;
enum { FX_MAX_CURES = 3, FX_PATTERN_USES = 16 };
/* Fills those that make the first use cheaper at some level, and at none dearer, and no other use of the same array
 * much dearer, the best first; returns how many. *refused, if not NULL, is set to one that another use pays for. */
size_t fx_pattern_cures(const fx_pattern_use *uses, size_t use_count, fx_pattern_cure out[FX_MAX_CURES],
                        fx_pattern_cure *refused);

/* pattern_layout.c. Padding or swizzle: the best of all uses together, since an array has one layout; where there is
 * none, what would help the first alone may say why. */
bool fx_pattern_lay_anew(const fx_pattern_use *uses, size_t count, bool padding, fx_pattern_cure *out);
/* True if the array may begin cure->moves bytes later, by all uses. */
bool fx_pattern_moves(const fx_pattern_use *uses, size_t count, fx_pattern_cure *cure);

/* pattern_show.c: one pattern; a cure of all steps, whose answers add up to `sum`. */
void fx_pattern_print(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                      const fx_pattern_answer *answer);
void fx_pattern_print_cure(FILE *to, const char *label, const fx_pattern_use *use, const fx_pattern_answer *sum,
                           const fx_pattern_cure *cure);
/* What all steps cost at a level with the cure, in the level's unit; NAN: no fit. */
double fx_pattern_cured(const fx_pattern_use *use, size_t level, const fx_pattern_cure *cure);
/* pattern_verdict.c: the answer in one line, which begins in lower case. */
enum { FX_PATTERN_VERDICT_BYTES = 512 };
typedef struct fx_pattern_found {
    fx_pattern_cure cures[FX_MAX_CURES], refused;
    size_t count;
    char verdict[FX_PATTERN_VERDICT_BYTES]; /* empty at first */
} fx_pattern_found;
void fx_pattern_verdict(fx_pattern_found *found, const fx_pattern_use *use, const fx_pattern_answer *sum);
/* The table of levels alone. */
void fx_pattern_print_levels(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind,
                             const fx_pattern_answer *answer);

/* pattern_loop.c: what the steps of a loop cost together, at first cost and kind alone. Loads from global memory find
 * lines in the L1 that earlier steps have brought in. */
typedef struct fx_pattern_loop {
    fx_pattern_cost *cost;
    const fx_pattern_kind *kind;
    fx_pattern_answer sum;
    double steps, instructions; /* with those that they stand for */
} fx_pattern_loop;
void fx_pattern_loop_add(fx_pattern_loop *loop, const fx_pattern *pattern, const fx_pattern_answer *answer);
/* Once, after the steps, which the first use has: what they spare, and what other accesses of the same kind to the same
 * array want of what they bring. */
void fx_pattern_loop_end(fx_pattern_loop *loop, const fx_pattern_use *uses, size_t count);

/* pattern_gate.c: --fail-on. */
enum { FX_PATTERN_CONDITIONS = 8, FX_PATTERN_WHERE_BYTES = 160 };
typedef struct fx_pattern_condition {
    size_t of;     /* of the words of pattern_gate.c */
    bool relative; /* to as few sectors or lines as hold what the lanes want */
    double limit;
    double worst; /* of what meets it */
    char where[FX_PATTERN_WHERE_BYTES];
    bool met, asked, open;
} fx_pattern_condition;

typedef struct fx_pattern_gate {
    fx_pattern_condition condition[FX_PATTERN_CONDITIONS];
    size_t count;
    char open[1024];                     /* what was not judged; "": nothing */
    char place[PATH_MAX];                /* of the first of it, as of a set; "": none */
    char faults[FX_PATTERN_WHERE_BYTES]; /* an access that no GPU does; "": none */
    bool empty;                          /* a file without kernels: it passes */
    bool judged;                         /* an access, though maybe of none of the conditions */
    json_t *notes, *fail_on;             /* what is said; owned */
    size_t printed[2];                   /* of these */
} fx_pattern_gate;
fx_status fx_pattern_gate_read(const char *conditions, fx_pattern_gate *out, fx_error *err); /* NULL: no condition */
/* Judges one step; `name` is for the sentence of the worst. */
typedef enum fx_pattern_judged { FX_GATE_PASSED, FX_GATE_BOUND, FX_GATE_UNSURE, FX_GATE_MET } fx_pattern_judged;
fx_pattern_judged fx_pattern_gate_judge(fx_pattern_gate *gate, fx_pattern_cost *cost, const fx_pattern_kind *kind,
                                        const fx_pattern *pattern, const fx_pattern_answer *answer, const char *name);
/* At the level where it is most; `least`: if as few warps as may be share the L1; 0: nothing is known. */
double fx_pattern_slowdown(const fx_pattern_answer *answer, bool least);
/* Something was not judged, in this memory (NULL or "": any): no gate with a condition on it holds. True if one is. */
bool fx_pattern_gate_open(fx_pattern_gate *gate, const char *space, const char *how, const char *why);
/* FX_EXIT_OK, FX_EXIT_NO or FX_EXIT_UNDECIDED, and why. */
int fx_pattern_gate_end(fx_pattern_gate *gate);
/* What is kept and not yet printed, behind all that is. */
void fx_pattern_gate_print(fx_pattern_gate *gate);
/* Keeps a sentence in the list. */
void fx_pattern_gate_tell(json_t **list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* pattern_json.c. `gate`: "passed", "met" or "undecided"; NULL: nobody asks. `set` has why_not: without a pattern.
 * found: behind the last step; NULL: there are more. */
void fx_pattern_print_json(FILE *to, const fx_pattern_cost *cost, const fx_pattern_set *set, const fx_pattern *pattern,
                           const fx_pattern_answer *answer, const char *gate, const fx_pattern_found *found);
