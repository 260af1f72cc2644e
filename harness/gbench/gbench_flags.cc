// The --benchmark_... flags: one table, from which names, values and environment are read.
//
// benchmark::Initialize ends the process on some bad values, prints and carries on with others, and leaves misspelt
// flags in argv for the program to run without. So every flag is checked here first, and Google Benchmark is handed
// nothing that it could refuse, except a flag that is newer than itself.

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>
#include <utility>

#include "gbench_private.h"

namespace gb {
namespace {

#define NUMBER  "[0-9]+[.]?[0-9]*(?:[eE][-+]?[0-9]{1,2})?"
#define COUNT   "[1-9][0-9]{0,8}"
#define REPORTS "console|json|csv", "console, json or csv"
#define TEXT    "[^]*", "a text"

const char truth[] = "(|true|yes|on|1)|false|no|off|0";

struct Spec {
    const char *name;          // without the dashes; in capitals, the environment variable
    const char *form, *wanted; // of its value: a regular expression, and what a value that does not match is not
    bool recent;               // not in 1.7.1
};

const Spec specs[] = {
    {"benchmark_list_tests", truth, "true or false", false},
    {"benchmark_filter", TEXT, false},
    {"benchmark_min_time", "(" NUMBER ")s?|" COUNT "x",
     "a number of seconds such as 0.5s, nor a number of iterations such as 100x", false},
    {"benchmark_min_warmup_time", NUMBER, "a number of seconds", false},
    {"benchmark_repetitions", COUNT, "a whole number from 1 to 999999999", false},
    {"benchmark_dry_run", truth, "true or false", true},
    {"benchmark_enable_random_interleaving", truth, "true or false", false},
    {"benchmark_report_aggregates_only", truth, "true or false", false},
    {"benchmark_display_aggregates_only", truth, "true or false", false},
    {"benchmark_format", REPORTS, false},
    {"benchmark_out", TEXT, false},
    {"benchmark_out_format", REPORTS, false},
    {"benchmark_color", "auto|true|yes|on|1|false|no|off|0", "auto, true or false", false},
    {"benchmark_counters_tabular", truth, "true or false", false},
    {"benchmark_perf_counters", TEXT, false},
    {"benchmark_context", TEXT, false},
    {"benchmark_time_unit", "ns|us|ms|s", "ns, us, ms or s", false},
};

bool is(const Spec &spec, const char *name) {
    return std::strcmp(spec.name, name) == 0;
}

using Values = std::map<std::string, std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

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

Pairs split_pairs(const std::string &text, const std::string &who) {
    Pairs pairs;
    for (size_t at = 0; !text.empty() && at <= text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        const std::string item = text.substr(at, comma - at);
        const size_t equals = item.find('=');
        if (equals == std::string::npos || equals == 0 || item.find('=', equals + 1) != std::string::npos) {
            fail(who + ": '" + item + "' is not KEY=VALUE");
        }
        pairs.emplace_back(item.substr(0, equals), item.substr(equals + 1));
        at = comma + 1;
    }
    return pairs;
}

// Checks a value and brings it into one form. `who` is the flag or the environment variable, for the error.
std::string checked(const Spec &spec, const std::string &value, const std::string &who) {
    std::smatch found;
    if (!std::regex_match(value, found, std::regex(spec.form))) {
        fail(who + ": '" + value + "' is not " + spec.wanted);
    } else if (spec.form == truth) {
        return found[1].matched ? "true" : "false";
    } else if (is(spec, "benchmark_min_time") && found[1].matched) {
        return found[1].str() + "s";
    } else if (is(spec, "benchmark_context")) {
        split_pairs(value, who);
    }
    return value;
}

std::string dashed(const std::string &name, const std::string &value) {
    return "--" + name + "=" + value;
}

// Takes one argument apart. The pairs of --benchmark_context add up over calls; any other flag's last value counts.
void parse(const std::string &argument, Values &values, Pairs &pairs) {
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
    const std::string good = checked(*spec, value, dashed_name);
    if (is(*spec, "benchmark_context")) {
        const Pairs more = split_pairs(good, dashed_name);
        pairs.insert(pairs.end(), more.begin(), more.end());
    } else {
        values[spec->name] = good;
    }
}

// Adds the environment's values where the command line has none. Google Benchmark has read them itself by now; here
// they are checked. It needs no help with the pairs of BENCHMARK_CONTEXT.
void add_environment(Values &values) {
    for (const Spec &spec : specs) {
        std::string variable = spec.name;
        for (char &c : variable) {
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        const char *value = std::getenv(variable.c_str());
        if (value && values.count(spec.name) == 0) {
            const std::string good = checked(spec, value, "environment variable " + variable);
            if (!is(spec, "benchmark_context")) {
                values[spec.name] = good;
            }
        }
    }
}

[[noreturn]] void refuse_as_too_old(const std::string &flag) {
    fail(flag + ": Google Benchmark " + gb_benchmark_version() + " is too old for it");
}

// Hands over all values, those that this version may not know one by one. They come last: in the course of a call
// Google Benchmark exits over a format in its environment that is bad, unless the command line's is set by then.
void apply(const Values &values) {
    std::vector<std::string> usual;
    for (const auto &[name, value] : values) {
        const Spec *spec = find(name);
        if (name != "benchmark_min_time" && !spec->recent && name != "benchmark_list_tests") { // which we do ourselves
            usual.push_back(dashed(name, value));
        }
    }
    const std::vector<std::string> refused = push_flags(usual);
    if (!refused.empty()) {
        fail(refused[0] + ": refused by Google Benchmark " + gb_benchmark_version());
    }
    for (const auto &[name, value] : values) {
        const Spec *spec = find(name);
        const std::string flag = dashed(name, value);
        if (name == "benchmark_min_time" && !push_flags({flag}).empty()) {
            if (value.back() == 'x') {
                refuse_as_too_old(flag);
            }
            push_flags({dashed(name, value.substr(0, value.size() - 1))}); // before 1.8 it was a plain number
        } else if (spec->recent && !push_flags({flag}).empty() && value == "true") {
            refuse_as_too_old(flag);
        }
    }
}

void take(const char *program, const std::vector<std::string> &arguments) {
    Values values = store().values;
    Pairs pairs;
    for (const std::string &argument : arguments) {
        parse(argument, values, pairs);
    }
    add_environment(values);
    store().program = program;
    apply(values);
    store().values = values;
    for (const auto &pair : pairs) {
        add_context(pair.first, pair.second, "--benchmark_context");
    }
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
