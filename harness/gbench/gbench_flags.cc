// The --benchmark_... flags: one table, from which names, values and environment are read.
//
// benchmark::Initialize ends the process on some bad values, prints and carries on with others, and leaves misspelt
// flags in argv for the program to run without. So every flag is checked here first, and Google Benchmark is handed
// nothing that it could refuse, except a flag that is newer than itself.

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "gbench_private.h"

namespace gb {
namespace {

enum class Kind { Bool, Color, Count, Format, MinTime, Pairs, Seconds, Text, Unit };

struct Spec {
    const char *name; // without the dashes; in capitals, the environment variable
    Kind kind;
    bool recent; // not in 1.7.1
};

const Spec specs[] = {
    {"benchmark_list_tests", Kind::Bool, false},
    {"benchmark_filter", Kind::Text, false},
    {"benchmark_min_time", Kind::MinTime, false},
    {"benchmark_min_warmup_time", Kind::Seconds, false},
    {"benchmark_repetitions", Kind::Count, false},
    {"benchmark_dry_run", Kind::Bool, true},
    {"benchmark_enable_random_interleaving", Kind::Bool, false},
    {"benchmark_report_aggregates_only", Kind::Bool, false},
    {"benchmark_display_aggregates_only", Kind::Bool, false},
    {"benchmark_format", Kind::Format, false},
    {"benchmark_out", Kind::Text, false},
    {"benchmark_out_format", Kind::Format, false},
    {"benchmark_color", Kind::Color, false},
    {"benchmark_counters_tabular", Kind::Bool, false},
    {"benchmark_perf_counters", Kind::Text, false},
    {"benchmark_context", Kind::Pairs, false},
    {"benchmark_time_unit", Kind::Unit, false},
};

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

bool is_one_of(const std::string &value, std::initializer_list<const char *> words) {
    for (const char *word : words) {
        if (value == word) {
            return true;
        }
    }
    return false;
}

// The whole text as a number from 0 up.
bool is_number(const std::string &text) {
    char *end = nullptr;
    errno = 0;
    const double number = std::strtod(text.c_str(), &end);
    return !text.empty() && !std::isspace(static_cast<unsigned char>(text[0])) && *end == '\0' && errno == 0 &&
           std::isfinite(number) && number >= 0;
}

// The whole text as digits, from 1 to `most`.
bool is_count(const std::string &text, long long most) {
    errno = 0;
    const long long number = std::strtoll(text.c_str(), nullptr, 10);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && errno == 0 && number >= 1 &&
           number <= most;
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
    const auto refuse = [&](const char *wanted) { fail(who + ": '" + value + "' is not " + wanted); };
    switch (spec.kind) {
    case Kind::Bool:
        if (is_one_of(value, {"true", "yes", "on", "1", ""})) {
            return "true";
        } else if (!is_one_of(value, {"false", "no", "off", "0"})) {
            refuse("true or false");
        }
        return "false";
    case Kind::Color:
        if (!is_one_of(value, {"auto", "true", "yes", "on", "1", "false", "no", "off", "0"})) {
            refuse("auto, true or false");
        }
        return value;
    case Kind::Count:
        if (!is_count(value, INT32_MAX)) {
            refuse("a whole number from 1 to 2147483647");
        }
        return value;
    case Kind::Format:
        if (!is_one_of(value, {"console", "json", "csv"})) {
            refuse("console, json or csv");
        }
        return value;
    case Kind::MinTime: {
        const char last = value.empty() ? '\0' : value.back();
        const std::string number = last == 's' || last == 'x' ? value.substr(0, value.size() - 1) : value;
        if (last == 'x' ? !is_count(number, 1000000000) : !is_number(number)) {
            refuse("a number of seconds such as 0.5s, nor a number of iterations such as 100x");
        }
        return last == 'x' ? value : number + "s";
    }
    case Kind::Seconds:
        if (!is_number(value)) {
            refuse("a number of seconds");
        }
        return value;
    case Kind::Unit:
        if (!is_one_of(value, {"ns", "us", "ms", "s"})) {
            refuse("ns, us, ms or s");
        }
        return value;
    case Kind::Pairs:
        split_pairs(value, who);
        return value;
    case Kind::Text:
        break;
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
    if (equals == std::string::npos && spec->kind != Kind::Bool) {
        fail(dashed_name + ": the value is missing; write " + dashed_name + "=VALUE");
    }
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    const std::string good = checked(*spec, value, dashed_name);
    if (spec->kind == Kind::Pairs) {
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
            if (spec.kind != Kind::Pairs) {
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
        if (spec->kind != Kind::MinTime && !spec->recent && name != "benchmark_list_tests") { // which we do ourselves
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
        if (spec->kind == Kind::MinTime && !push_flags({flag}).empty()) {
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
