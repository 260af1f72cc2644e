// The --benchmark_... flags that are taken: one table of names and values.
//
// benchmark::Initialize ends the process on some bad values, prints and carries on with others, and leaves misspelt
// flags in argv for the program to run without. So every flag is checked here first. The library itself reads the
// environment before main, where it may change what is measured without a trace: a variable of its name is refused.

#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>

#include "gbench_private.h"

namespace gb {
namespace {

#define COUNT "[1-9][0-9]{0,8}"
#define TEXT  "[^]*", "a text"

const char truth[] = "|true|false";
const char variables[] = "LIST_TESTS FILTER MIN_TIME MIN_WARMUP_TIME REPETITIONS DRY_RUN ENABLE_RANDOM_INTERLEAVING "
                         "REPORT_AGGREGATES_ONLY DISPLAY_AGGREGATES_ONLY FORMAT OUT OUT_FORMAT COLOR COUNTERS_TABULAR "
                         "PERF_COUNTERS CONTEXT TIME_UNIT";

struct Spec {
    const char *name;          // without the dashes
    const char *form, *wanted; // of its value: a regular expression, and what a value that does not match is not
};

const Spec specs[] = {
    {"benchmark_list_tests", truth, "true or false"},
    {"benchmark_filter", TEXT},
    {"benchmark_repetitions", COUNT, "a whole number from 1 to 999999999"},
    {"benchmark_out", TEXT},
    {"benchmark_out_format", "console|json|csv", "console, json or csv"},
};

using Values = std::map<std::string, std::string>;

// Held by pointer and never freed: Google Benchmark keeps a pointer to the program's name until the process ends.
struct Store {
    Values values; // checked, in the form that the newest Google Benchmark takes
    std::regex filter{"."};
    std::string program;
};

Store &store() {
    static Store *const instance = new Store;
    return *instance;
}

// Takes one argument apart and checks its value. A flag's last value counts.
void parse(const std::string &argument, Values &values) {
    const size_t equals = argument.find('=');
    const std::string dashed_name = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    std::string names;
    for (const Spec &spec : specs) {
        names += std::string(" --") + spec.name;
        if (dashed_name.substr(2) != spec.name) {
            continue;
        }
        if (equals == std::string::npos && spec.form != truth) {
            fail(dashed_name + ": the value is missing; write " + dashed_name + "=VALUE");
        }
        if (!std::regex_match(value, std::regex(spec.form))) {
            fail(dashed_name + ": '" + value + "' is not " + spec.wanted);
        }
        values[spec.name] = spec.form == truth && value.empty() ? "true" : value;
        return;
    }
    fail(dashed_name + ": not one of" + names);
}

void refuse_environment() {
    std::istringstream words(variables);
    for (std::string word; words >> word;) {
        if (std::getenv(("BENCHMARK_" + word).c_str())) {
            fail("environment variable BENCHMARK_" + word + ": unset it, and give a flag");
        }
    }
}

// Hands over all values.
void apply(const Values &values) {
    std::vector<std::string> flags;
    std::vector<char *> argv{store().program.data()}; // Context::executable_name keeps what stands here
    for (const auto &[name, value] : values) {
        if (name != "benchmark_list_tests") { // which we do ourselves
            flags.push_back("--" + name + "=" + value);
        }
    }
    for (std::string &flag : flags) {
        argv.push_back(flag.data());
    }
    int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    Quiet quiet;
    benchmark::Initialize(&argc, argv.data());
    if (argc > 1) {
        fail(std::string(argv[1]) + ": Google Benchmark " + gb_benchmark_version() + " does not know it");
    }
}

// As Google Benchmark reads it: "" and "all" take every name, and "-" before an expression those that do not match.
std::regex filter_of(const std::string &value) {
    try {
        return std::regex(value.empty() || value == "all" ? "." : value.substr(value[0] == '-'), std::regex::extended);
    } catch (const std::regex_error &error) {
        fail("--benchmark_filter: '" + value + "' is not a regular expression: " + error.what());
    }
}

} // namespace
} // namespace gb

extern "C" const char *gb_flag(const char *name) {
    const auto &values = gb::store().values;
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second.c_str();
}

extern "C" gb_status gb_initialize(const char *program, const char *const *flags, size_t count) {
    return gb::guarded([&] {
        gb::refuse_environment();
        gb::Values values = gb::store().values;
        for (size_t i = 0; i < count; i++) {
            gb::parse(flags[i], values);
        }
        const std::regex filter = gb::filter_of(values["benchmark_filter"]);
        gb::store().program = program;
        gb::apply(values);
        gb::store().values = values;
        gb::store().filter = filter;
    });
}

extern "C" bool gb_matches(const char *name) {
    bool found = false;
    gb::guarded([&] { found = std::regex_search(gb::full_name(name), gb::store().filter); });
    return found != (gb_flag("benchmark_filter")[0] == '-');
}
