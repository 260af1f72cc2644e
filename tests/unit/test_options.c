/* Command lines: what is refused, the form that Python is given, and what an archive keeps of them. */
#include "unit.h"

#include <math.h>

#include "call/option_table.h"
#include "call/parse.h"
#include "vectors.h"

enum { MOST = 16 };

/* Splits a line at blanks; "@" stands for a blank within a word. */
static int split(char *line, char *words[MOST]) {
    int count = 0;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
        assert_true(count < MOST);
        words[count++] = word;
        for (char *at = word; *at; at++) {
            *at = *at == '@' ? ' ' : *at;
        }
    }
    return count;
}

static fx_status parse(const char *text, fx_options *out, fx_error *err) {
    static char line[512];
    char *words[MOST];
    (void)snprintf(line, sizeof line, "%s", text);
    const int count = split(line, words);
    return fx_options_parse(words[0], count - 1, words + 1, out, err);
}

TEST(refused) {
    static const char *const lines[][2] = {
        {"run --max-time 0x10", "--max-time 0x10: not a decimal number"},
        {"run --max-time @1", "--max-time  1: not a decimal number"},
        {"run --max-time 1@", "not a decimal number"},
        {"run --max-time +1", "not a decimal number"},
        {"run --max-time 1e", "not a decimal number"},
        {"run --max-time .", "not a decimal number"},
        {"run --max-time nan", "not a decimal number"},
        {"run --max-time inf", "not a decimal number"},
        {"run --max-time 1e999", "out of range, 0.001 to 3600 seconds per case"},
        {"compare --margin \xd9\xa1", "not a decimal number"},
        {"compare --margin 1%", "not a decimal number"},
        {"compare --margin 50.1", "--margin 50.1: out of range, 0 to 50 %"},
        {"compare --margin -1", "out of range"},
        {"run --seed 0x1", "not a whole number"},
        {"run --seed @1", "not a whole number"},
        {"run --seed +1", "not a whole number"},
        {"run --seed 1e3", "not a whole number"},
        {"run --seed auto", "not a whole number"},
        {"run --processes -1", "out of range, 1 to 1000 processes"},
        {"run --processes aut", "not a whole number, nor auto"},
        {"run --gate-in 3", "unknown option --gate-in"},
        {"run --processes auto --no-archive", "--processes auto needs an archive"},
        {"run --seed 9007199254740993", "out of range"},
        {"run --seed 99999999999999999999", "out of range"},
        {"run --seed 1 --seed 1", "--seed is given twice; leave one of them out"},
        {"run --seed=1 --seed 2", "--seed is given twice"},
        {"run --quick --quick", "--quick is given twice"},
        {"plot -o a --output b", "--output is given twice"},
        {"run --see 1", "unknown option --see; did you mean --seed?"},
        {"run --device", "--device needs a value: --device DEVICE"},
        {"run --device=", "--device needs a value"},
        {"run --quick=1", "--quick takes no value"},
        {"run --benchmark_out=", "--benchmark_out needs a value"},
        {"run --launches 2", "unknown option --launches; did you mean --processes?"},
        {"list --launches 2", "unknown option --launches; `gpufx list --help`"},
        {"compare --formt json", "unknown option --formt; did you mean --format?"},
        {"compare --format pdf", "--format pdf: 'pdf' is not one of "},
        {"compare --format card", "--format card: 'card' is not one of "},
        {"run --samples 3 --precision 1", "leave out --precision or --samples"},
        {"run --append x", "unknown option --append"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        fx_options options;
        const fx_status status = parse(lines[i][0], &options, &err);
        if (status != FX_BAD_INPUT || !strstr(err.text, lines[i][1])) {
            fail_msg("%s: \"%s\"", lines[i][0], err.text);
        }
        fx_options_free(&options);
    }
}

TEST(taken) {
    fx_options options;
    assert_ok(
        parse("run --max-time 1.5e1 --precision .5 --processes auto --axis a=1 --axis b=2 -- --seed", &options, &err));
    assert_true(options.run.by_need);
    assert_int_equal(options.run.processes, 5);
    assert_true(options.run.max_time_s > 14.9 && options.run.max_time_s < 15.1);
    assert_true(options.run.precision_pct > 0.49 && options.run.precision_pct < 0.51);
    assert_int_equal(options.axes.count, 2);
    assert_string_equal(options.words.text[0], "--seed");
    assert_int_equal(options.seed, -1);
    fx_options_free(&options);
}

static void assert_normal(const char *line, const char *wanted) {
    fx_options options;
    fx_text_list words = {0};
    fx_error err = {0};
    char text[512] = "";
    assert_ok(parse(line, &options, &err));
    char verb[32];
    (void)snprintf(verb, sizeof verb, "%.*s", (int)strcspn(line, " "), line);
    fx_options_normal(verb, &options, &words);
    for (size_t i = 0; i < words.count; i++) {
        strcat(strcat(text, i ? " " : ""), words.text[i]);
    }
    assert_string_equal(text, wanted);
    free(words.text);
    fx_options_free(&options);
}

TEST(normal) {
    assert_normal("report a - --", "report --margin 1 a - --");
    assert_normal("sheet --json a", "sheet --format json --json yes a");
    assert_normal("compare a --strict b --fail-on=slower,new --margin 02 -- --c",
                  "compare --margin 02 --fail-on slower,new --strict yes --format text "
                  "a b -- --c");
    assert_normal("plot -o d a", "plot --output d --format both --width page a");
    assert_normal("validate --sass null", "validate --sass yes null");
    assert_normal("claims -- -a --", "claims -- -a --");
}

/* How a verb is handed over: what is added to a bare call, and the words that another or two stand for. */
static json_t *handed_over(const char *verb) {
    fx_options options;
    fx_text_list words = {0};
    fx_error err = {0};
    char *none[] = {NULL};
    json_t *usual = json_array(), *switches = json_array(), *also = json_object();
    assert_ok(fx_options_parse(verb, 0, none, &options, &err));
    fx_options_normal(verb, &options, &words);
    for (size_t i = 1; i < words.count; i++) {
        (void)json_array_append_new(usual, json_string(words.text[i]));
    }
    for (size_t i = 0; i < fx_option_count; i++) {
        const bool own = fx_option_table[i].verbs && fx_option_of(&fx_option_table[i], verb);
        if (own && fx_option_table[i].kind == SWITCH) {
            (void)json_array_append_new(switches, json_string(fx_option_table[i].name));
        }
        if (own && fx_option_table[i].also) {
            (void)json_object_set_new(also, fx_option_table[i].also, json_string(fx_option_table[i].name));
        }
    }
    free(words.text);
    fx_options_free(&options);
    return json_pack("{s:s, s:o, s:o, s:o}", "verb", verb, "usual", usual, "switches", switches, "also", also);
}

/* Python's tests call its verbs by the same file. */
TEST(handed) {
    json_t *file = vectors("handed.json"), *row;
    size_t i;
    json_array_foreach(json_object_get(file, "cases"), i, row) {
        const char *verb = json_string_value(json_object_get(row, "verb"));
        json_t *wanted = handed_over(verb);
        if (!json_equal(row, wanted)) {
            fail_msg("tests/vectors/handed.json: of %s it is to be %s", verb, json_dumps(wanted, 0));
        }
        json_decref(wanted);
    }
    json_decref(file);
}

TEST(shown) {
    static const struct {
        const char *line, *wanted;
    } lines[] = {
        {"run null --quick", "run null --quick"},
        {"run --out /home/alice/a --seed 3", "run --out ... --seed 3"},
        {"run --out=/home/alice/a null", "run --out=... null"},
        {"run --benchmark_out=/home/alice/x.json", "run --benchmark_out=..."},
        {"run --benchmark_out_format=json", "run --benchmark_out_format=json"},
        {"run --device synthetic:/home/alice/d.json", "run --device synthetic:..."},
        {"run --device=synthetic:../d.json", "run --device=synthetic:..."},
        {"run --device /home/alice", "run --device ..."},
        {"run --device synthetic:generic", "run --device synthetic:generic"},
        {"run --filter op:load/width:4 --axis=a=1", "run --filter op:load/width:4 --axis=a=1"},
        {"pattern --output a --file=b --expr 0", "pattern --output ... --file=... --expr 0"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[256], text[256] = "", *words[MOST];
        (void)snprintf(line, sizeof line, "%s", lines[i].line);
        const int count = split(line, words);
        for (int w = 0; w < count; w++) {
            char *word = fx_options_shown(words[0], (const char *const *)words, (size_t)w);
            assert_non_null(word);
            strcat(strcat(text, w ? " " : ""), word);
            free(word);
        }
        assert_string_equal(text, lines[i].wanted);
    }
}

/* The parser's choices have room, and every default is one that the user could type. */
TEST(the_table) {
    for (size_t i = 0; i < fx_option_count; i++) {
        fx_options options;
        char verb[32], *words[] = {NULL};
        const char *verbs = fx_option_table[i].verbs ? fx_option_table[i].verbs : "help";
        (void)snprintf(verb, sizeof verb, "%.*s", (int)strcspn(verbs, " "), verbs);
        assert_true((fx_option_table[i].kind == SWITCH) == !fx_option_table[i].value);
        assert_true(fx_option_table[i].kind != LIST ||
                    fx_option_table[i].field != FX_NO_FIELD); /* the normal form leaves lists out */
        assert_ok(fx_options_parse(verb, 0, words, &options, &err));
        fx_options_free(&options);
    }
}

/* A field has the default of the verb's own option. What is decided elsewhere says "not given". */
TEST(defaults_are_the_verbs_own) {
    static const char *const verbs[] = {"pattern", "run"};
    for (size_t i = 0; i < 2; i++) {
        fx_options options;
        char *none[] = {NULL};
        assert_ok(fx_options_parse(verbs[i], 0, none, &options, &err));
        assert_int_equal(options.seed, i ? -1 : 1);
        assert_true(isnan(options.run.max_time_s) && isnan(options.run.precision_pct));
        assert_int_equal(options.run.processes | options.run.samples, 0);
        assert_string_equal(options.pattern.space ? options.pattern.space : "none", i ? "none" : "shared");
        assert_int_equal(options.pattern.width, i ? 0 : 4);
        assert_false(options.parent.child);
        assert_true(options.parent.events_fd < 0 && options.parent.seed < 0);
        fx_options_free(&options);
    }
}

UNIT_MAIN(NULL, NULL)
