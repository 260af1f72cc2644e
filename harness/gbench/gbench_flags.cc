// The --benchmark_... flags: one table, from which names, values and environment are read.
//
// benchmark::Initialize ends the process on some bad values, prints and carries on with others, and leaves misspelt
// flags in argv for the program to run without. So every flag is checked here first; what Google Benchmark then leaves
// is newer than itself, and an error.

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>

#include "gbench_private.h"

namespace gb {
namespace {

#define NUMBER  "[0-9]+[.]?[0-9]*(?:[eE][-+]?[0-9]{1,2})?"
#define COUNT   "[1-9][0-9]{0,8}"
#define REPORTS "console|json|csv", "console, json or csv"
#define TEXT    "[^]*", "a text"
#define PAIR    "[^=,]+=[^=,]*"

const char min_time[] = "benchmark_min_time";
const char truth[] = "(|true|yes|on|1)|false|no|off|0";

struct Spec {
    const char *name;          // without the dashes; in capitals, the environment variable
    const char *form, *wanted; // of its value: a regular expression, and what a value that does not match is not
};

const Spec specs[] = {
    {"benchmark_list_tests", truth, "true or false"},
    {"benchmark_filter", TEXT},
    {min_time, "(" NUMBER ")s?|" COUNT "x",
     "a number of seconds such as 0.5s, nor a number of iterations such as 100x"},
    {"benchmark_min_warmup_time", NUMBER, "a number of seconds"},
    {"benchmark_repetitions", COUNT, "a whole number from 1 to 999999999"},
    {"benchmark_dry_run", truth, "true or false"},
    {"benchmark_enable_random_interleaving", truth, "true or false"},
    {"benchmark_report_aggregates_only", truth, "true or false"},
    {"benchmark_display_aggregates_only", truth, "true or false"},
    {"benchmark_format", REPORTS},
    {"benchmark_out", TEXT},
    {"benchmark_out_format", REPORTS},
    {"benchmark_color", "auto|true|yes|on|1|false|no|off|0", "auto, true or false"},
    {"benchmark_counters_tabular", truth, "true or false"},
    {"benchmark_perf_counters", TEXT},
    {"benchmark_context", PAIR "(?:," PAIR ")*", "KEY=VALUE, or several with commas between"},
    {"benchmark_time_unit", "ns|us|ms|s", "ns, us, ms or s"},
};

using Values = std::map<std::string, std::string>;

// Held by pointer and never freed: Google Benchmark keeps a pointer to the program's name until the process ends.
struct Store {
    Values values; // checked, in the form that the newest Google Benchmark takes
    std::string program;
};

Store &store() {
    static Store *const instance = new Store;
    return *instance;
}

const Spec *find(const std::string &name) {
    for (const Spec &spec : specs) {
        if (name == spec.name) {
            return &spec;
        }
    }
    return nullptr;
}

// Checks a value and brings it into one form. `who` is the flag or the environment variable, for the error.
std::string checked(const Spec &spec, const std::string &value, const std::string &who) {
    std::smatch found;
    if (!std::regex_match(value, found, std::regex(spec.form))) {
        fail(who + ": '" + value + "' is not " + spec.wanted);
    } else if (spec.form == truth) {
        return found[1].matched ? "true" : "false";
    }
    return spec.name == min_time && found[1].matched ? found[1].str() + "s" : value;
}

std::string dashed(const std::string &name, const std::string &value) {
    return "--" + name + "=" + value;
}

// Takes one argument apart. A flag's last value counts.
void parse(const std::string &argument, Values &values) {
    const size_t equals = argument.find('=');
    const std::string dashed_name = argument.substr(0, equals);
    const Spec *spec = find(dashed_name.substr(2));
    if (!spec) {
        fail(dashed_name + ": there is no such flag");
    }
    if (equals == std::string::npos && spec->form != truth) {
        fail(dashed_name + ": the value is missing; write " + dashed_name + "=VALUE");
    }
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    values[spec->name] = checked(*spec, value, dashed_name);
}

// Adds the environment's values where the command line has none. Google Benchmark has read them itself by now; here
// they are checked.
void add_environment(Values &values) {
    for (const Spec &spec : specs) {
        std::string variable = spec.name;
        for (char &c : variable) {
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        const char *value = std::getenv(variable.c_str());
        if (value && values.count(spec.name) == 0) {
            values[spec.name] = checked(spec, value, "environment variable " + variable);
        }
    }
}

void hand_over(const std::vector<std::string> &flags) {
    const std::vector<std::string> refused = push_flags(flags);
    if (!refused.empty()) {
        fail(refused[0] + ": Google Benchmark " + gb_benchmark_version() + " does not know it");
    }
}

// Hands over all values. They come last: in the course of a call Google Benchmark exits over a format in its
// environment that is bad, unless the command line's is set by then.
void apply(const Values &values) {
    std::vector<std::string> flags;
    for (const auto &[name, value] : values) {
        if (name != min_time && name != "benchmark_list_tests") { // which we do ourselves
            flags.push_back(dashed(name, value));
        }
    }
    hand_over(flags);
    const auto found = values.find(min_time);
    if (found != values.end() && !push_flags({dashed(min_time, found->second)}).empty()) {
        const bool seconds = found->second.back() == 's'; // before 1.8 it was a plain number
        hand_over({dashed(min_time, found->second.substr(0, found->second.size() - seconds))});
    }
}

void take(const char *program, const std::vector<std::string> &arguments) {
    Values values = store().values;
    for (const std::string &argument : arguments) {
        parse(argument, values);
    }
    add_environment(values);
    store().program = program;
    apply(values);
    store().values = values;
}

} // namespace

std::string flag(const std::string &name) {
    const Values &values = store().values;
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
}

std::vector<std::string> push_flags(std::vector<std::string> flags) {
    std::vector<char *> argv{store().program.data()}; // Context::executable_name keeps what stands here
    for (std::string &flag : flags) {
        argv.push_back(flag.data());
    }
    int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    Quiet quiet;
    benchmark::Initialize(&argc, argv.data());
    return std::vector<std::string>(argv.begin() + 1, argv.begin() + argc);
}

} // namespace gb

extern "C" gb_status gb_initialize(int *argc, char **argv) {
    return gb::guarded([&] {
        gb::refuse_inside_callback("gb_initialize");
        std::vector<std::string> flags;
        std::vector<char *> others{argv[0]};
        bool taking = true;
        for (int i = 1; i < *argc; i++) {
            taking = taking && std::strcmp(argv[i], "--") != 0;
            if (taking && std::strncmp(argv[i], "--benchmark_", 12) == 0) {
                flags.push_back(argv[i]);
            } else {
                others.push_back(argv[i]);
            }
        }
        gb::take(argv[0], flags);
        *argc = static_cast<int>(others.size());
        others.push_back(nullptr);
        std::copy(others.begin(), others.end(), argv);
    });
}
