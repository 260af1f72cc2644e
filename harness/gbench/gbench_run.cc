// Lists and runs benchmarks, and hands their results to a reporter in C.
//
// benchmark::RunSpecifiedBenchmarks opens, and so empties, the file of --benchmark_out before it looks whether anything
// matches, and exits when it cannot open it. So the names are asked for first, the file is tried, and only then it is
// called, with the certainty that it will run something.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include "gbench_private.h"

namespace {

using gb::fail;

// ---- names ----

// A reporter that only collects what Google Benchmark writes while it lists.
class Listing : public benchmark::BenchmarkReporter {
  public:
    Listing() {
        SetOutputStream(&out);
        SetErrorStream(&err);
    }
    bool ReportContext(const Context &) override { return false; }
    void ReportRuns(const std::vector<Run> &) override {}

    std::ostringstream out;
    std::ostringstream err;
};

// While it lives, Google Benchmark lists and has no file to open.
class ListMode {
  public:
    ListMode() { gb::push_flags({"--benchmark_list_tests=true", "--benchmark_out="}); }
    ~ListMode() {
        try {
            gb::push_flags({"--benchmark_list_tests=false", "--benchmark_out=" + gb::flag("benchmark_out")});
        } catch (...) { // a destructor must not throw; the next gb_run_benchmarks sets the flags anew
        }
    }
    ListMode(const ListMode &) = delete;
    ListMode &operator=(const ListMode &) = delete;
};

std::string effective_filter(const char *filter) {
    return filter ? filter : benchmark::GetBenchmarkFilter();
}

std::vector<std::string> matching(const std::string &filter) {
    Listing listing;
    {
        ListMode mode;
        gb::Quiet quiet;
        benchmark::RunSpecifiedBenchmarks(&listing, nullptr, filter);
    }
    std::vector<std::string> names;
    std::istringstream lines(listing.out.str());
    for (std::string line; std::getline(lines, line);) {
        names.push_back(line);
    }
    const std::string error = listing.err.str();
    if (names.empty() && error.find("Could not compile") != std::string::npos) {
        const size_t reason = error.find(": ") + 2;
        fail(GB_ERROR_FILTER, "the filter '" + filter + "' is not a regular expression: " +
                                  error.substr(reason, error.find('\n', reason) - reason));
    }
    return names;
}

// ---- context ----

using ContextMap = std::map<std::string, std::string>;

ContextMap custom_context() {
    const ContextMap *context = benchmark::internal::GetGlobalContext();
    return context ? *context : ContextMap();
}

bool begin(const gb_reporter &reporter, const std::vector<std::string> &names) {
    const auto context = [] {
        gb::Quiet quiet; // the first look at the CPU may warn
        return benchmark::BenchmarkReporter::Context();
    }();
    const ContextMap custom = custom_context();
    std::vector<gb_pair> pairs;
    for (const auto &pair : custom) {
        pairs.push_back({pair.first.c_str(), pair.second.c_str()});
    }
    gb_run_context run_context{};
    run_context.executable = gb::program();
    run_context.host = context.sys_info.name.c_str();
    run_context.version = gb_benchmark_version();
    run_context.cpu_count = context.cpu_info.num_cpus;
    run_context.cpu_hz = context.cpu_info.cycles_per_second;
    using Scaling = benchmark::CPUInfo::Scaling;
    const Scaling scaling = context.cpu_info.scaling;
    run_context.cpu_scaling = scaling == Scaling::ENABLED ? 1 : scaling == Scaling::DISABLED ? 0 : -1;
    for (const std::string &name : names) {
        run_context.name_width = std::max(run_context.name_width, name.size());
    }
    run_context.pairs = pairs.data();
    run_context.pair_count = pairs.size();
    return !reporter.begin || reporter.begin(reporter.context, &run_context);
}

// ---- reporters ----

gb_unit our_unit(benchmark::TimeUnit unit) {
    switch (unit) {
    case benchmark::kMicrosecond:
        return GB_UNIT_US;
    case benchmark::kMillisecond:
        return GB_UNIT_MS;
    case benchmark::kSecond:
        return GB_UNIT_S;
    default:
        return GB_UNIT_NS;
    }
}

unsigned our_flags(const benchmark::Counter &counter) {
    using Counter = benchmark::Counter;
    const auto bit = [&](Counter::Flags theirs, unsigned ours) {
        return static_cast<int>(counter.flags) & static_cast<int>(theirs) ? ours : 0U;
    };
    return bit(Counter::kIsRate, GB_COUNTER_RATE) | bit(Counter::kAvgThreads, GB_COUNTER_AVG_THREADS) |
           bit(Counter::kAvgIterations, GB_COUNTER_PER_ITERATION) |
           bit(Counter::kIsIterationInvariant, GB_COUNTER_ITERATION_INVARIANT) |
           bit(Counter::kInvert, GB_COUNTER_INVERT) |
           (counter.oneK == Counter::kIs1024 ? unsigned{GB_COUNTER_BASE_1024} : 0U);
}

// Passes on what Google Benchmark reports. Errors on the way are kept for the end: nothing may be thrown through it.
class Display : public benchmark::BenchmarkReporter {
  public:
    explicit Display(const gb_reporter &reporter) : reporter_(reporter) {}

    bool ReportContext(const Context &) override { return true; } // begin() has been asked already
    void ReportRuns(const std::vector<Run> &runs) override {
        const gb_status status = gb::guarded([&] { pass_on(runs); });
        if (status_ == GB_OK && status != GB_OK) {
            status_ = status;
            text_ = gb_last_error();
        }
    }
    void check() const {
        if (status_ != GB_OK) {
            fail(status_, "while reporting: " + text_);
        }
    }

  private:
    void pass_on(const std::vector<Run> &runs) {
        std::vector<std::string> names;
        std::vector<std::vector<gb_counter>> counters;
        std::vector<gb_run> ours;
        names.reserve(runs.size()); // pointers into it must stay
        counters.reserve(runs.size());
        for (const Run &run : runs) {
            names.push_back(run.benchmark_name());
            counters.emplace_back();
            for (const auto &counter : run.counters) {
                counters.back().push_back({counter.first.c_str(), counter.second.value, our_flags(counter.second)});
            }
            ours.push_back(translated(run, names.back(), counters.back()));
        }
        if (!ours.empty()) {
            reporter_.runs(reporter_.context, ours.data(), ours.size());
        }
    }

    static gb_run translated(const Run &run, const std::string &name, const std::vector<gb_counter> &counters) {
        const gb::Skip skip = gb::skip_of(run, 0);
        gb_run ours{};
        ours.name = name.c_str();
        ours.registered_name = run.run_name.function_name.c_str();
        ours.label = run.report_label.c_str();
        ours.iterations = run.iterations;
        ours.unit = our_unit(run.time_unit);
        ours.skip = skip.kind;
        ours.skip_text = skip.text;
        ours.threads = run.threads;
        ours.repetitions = run.repetitions;
        ours.is_aggregate = run.run_type == Run::RT_Aggregate;
        ours.repetition_index = ours.is_aggregate ? -1 : run.repetition_index;
        ours.is_percentage = ours.is_aggregate && run.aggregate_unit == benchmark::kPercentage;
        // A fraction is no time: it must not be scaled to the unit.
        ours.real_time = ours.is_percentage ? run.real_accumulated_time : run.GetAdjustedRealTime();
        ours.cpu_time = ours.is_percentage ? run.cpu_accumulated_time : run.GetAdjustedCPUTime();
        ours.aggregate_name = run.aggregate_name.c_str();
        ours.counters = counters.data();
        ours.counter_count = counters.size();
        return ours;
    }

    const gb_reporter &reporter_;
    gb_status status_ = GB_OK;
    std::string text_;
};

// A usual reporter without the remark that the library was built as DEBUG: every distribution's is, by its lack of
// NDEBUG, and it slows nothing in the measured loop, which is compiled here.
template <class Reporter> class Calm : public Reporter {
  public:
    using Reporter::Reporter;

    bool ReportContext(const benchmark::BenchmarkReporter::Context &context) override {
        std::ostringstream text;
        std::ostream &err = this->GetErrorStream();
        this->SetErrorStream(&text);
        const bool go = Reporter::ReportContext(context);
        this->SetErrorStream(&err);
        std::istringstream lines(text.str());
        for (std::string line; std::getline(lines, line);) {
            if (line.find("Library was built as DEBUG") == std::string::npos) {
                err << line << '\n';
            }
        }
        return go;
    }
};

bool wants_color() {
    const std::string color = gb::flag("benchmark_color");
    if (color.empty() || color == "auto") {
        const char *terminal = std::getenv("TERM");
        return isatty(STDOUT_FILENO) && terminal && *terminal && std::strcmp(terminal, "dumb") != 0;
    }
    return color == "true" || color == "yes" || color == "on" || color == "1";
}

// Google Benchmark's default reporter is one static object that a second run finds freed: a new one for every run.
std::unique_ptr<benchmark::BenchmarkReporter> default_display() {
    const std::string format = gb::flag("benchmark_format");
    if (format == "json") {
        return std::make_unique<benchmark::JSONReporter>();
    } else if (format == "csv") {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        return std::make_unique<Calm<benchmark::CSVReporter>>();
#pragma GCC diagnostic pop
    }
    using Console = Calm<benchmark::ConsoleReporter>;
    int options = wants_color() ? Console::OO_Color : Console::OO_None;
    if (gb::flag("benchmark_counters_tabular") == "true") {
        options |= Console::OO_Tabular;
    }
    return std::make_unique<Console>(static_cast<Console::OutputOptions>(options));
}

// ---- output file ----

// Makes sure that the file of --benchmark_out can be opened, without emptying it. True: it did not exist and does now.
bool try_output(const std::string &path) {
    struct stat before;
    const bool existed = stat(path.c_str(), &before) == 0;
    if (existed && !S_ISREG(before.st_mode) && !S_ISDIR(before.st_mode)) {
        if (access(path.c_str(), W_OK) != 0) { // opening a pipe would wait for its reader
            fail(GB_ERROR_OUTPUT, "--benchmark_out=" + path + ": " + std::strerror(errno));
        }
        return false;
    }
    const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        fail(GB_ERROR_OUTPUT, "--benchmark_out=" + path + ": " + std::strerror(errno));
    }
    close(file);
    return !existed;
}

// ---- run ----

// A run: while it lives, calls from inside callbacks are refused.
class Running {
  public:
    Running() {
        gb::run_number++;
        gb::running = true;
    }
    ~Running() { gb::running = false; }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;
};

size_t run_with(const gb_reporter &reporter, const std::vector<std::string> &names, const std::string &filter,
                const std::string &new_file) {
    if (!begin(reporter, names)) {
        if (!new_file.empty()) {
            unlink(new_file.c_str());
        }
        return 0;
    }
    Display display(reporter);
    size_t count = 0;
    const gb_status status = gb::guarded([&] { count = benchmark::RunSpecifiedBenchmarks(&display, nullptr, filter); });
    const std::string text = status == GB_OK ? "" : gb_last_error();
    if (reporter.finish) {
        reporter.finish(reporter.context);
    }
    if (status != GB_OK) {
        fail(status, text);
    }
    display.check();
    return count;
}

size_t run_matching(const char *given_filter, const gb_reporter *reporter) {
    const std::string filter = effective_filter(given_filter);
    const std::vector<std::string> names = matching(filter);
    if (names.empty()) {
        fail(GB_ERROR_NO_MATCH,
             matching("").empty() ? "no benchmark is registered" : "the filter '" + filter + "' matches no benchmark");
    }
    if (gb::flag("benchmark_list_tests") == "true") {
        for (const std::string &name : names) {
            std::printf("%s\n", name.c_str());
        }
        std::fflush(stdout);
        return names.size();
    }
    if (gb::aggregates_only && !gb::flag("benchmark_perf_counters").empty()) {
        fail(GB_ERROR_FLAG, "--benchmark_perf_counters: not together with a benchmark that reports aggregates only");
    }
    const std::string out = gb::flag("benchmark_out");
    const bool is_new = !out.empty() && try_output(out);
    Running now;
    if (reporter) {
        return run_with(*reporter, names, filter, is_new ? out : "");
    }
    const std::unique_ptr<benchmark::BenchmarkReporter> display = default_display();
    return benchmark::RunSpecifiedBenchmarks(display.get(), nullptr, filter);
}

void clear() {
    benchmark::ClearRegisteredBenchmarks();
    gb::aggregates_only = false;
}

} // namespace

extern "C" {

const char *gb_benchmark_version(void) {
#ifdef GB_HAVE_BENCHMARK_VERSION
    static const std::string version = [] {
        const std::string text = benchmark::GetBenchmarkVersion();
        const std::string number = text.substr(text.compare(0, 1, "v") == 0);
        return number.empty() || number == "0.0.0" ? std::string(GB_BENCHMARK_VERSION) : number;
    }();
    return version.c_str();
#else
    return GB_BENCHMARK_VERSION;
#endif
}

gb_status gb_add_context(const char *key, const char *value) {
    return gb::guarded([&] {
        gb::refuse_inside_callback("gb_add_context");
        if (!key || !*key || !value) {
            fail(GB_ERROR_ARGUMENT, "gb_add_context: key or value is missing");
        }
        if (custom_context().count(key) > 0) {
            fail(GB_ERROR_ARGUMENT, std::string("gb_add_context: the key '") + key + "' is there already");
        }
        benchmark::AddCustomContext(key, value);
    });
}

gb_status gb_run_benchmarks(const char *filter, const gb_reporter *display, size_t *run_count) {
    if (run_count) {
        *run_count = 0;
    }
    return gb::guarded([&] {
        gb::refuse_inside_callback("gb_run_benchmarks");
        if (display && !display->runs) {
            fail(GB_ERROR_ARGUMENT, "gb_run_benchmarks: the reporter's runs is NULL");
        }
        gb::ensure_flags();
        const size_t count = run_matching(filter, display);
        if (run_count) {
            *run_count = count;
        }
    });
}

gb_status gb_count_matching(const char *filter, size_t *count) {
    return gb::guarded([&] {
        gb::refuse_inside_callback("gb_count_matching");
        if (!count) {
            fail(GB_ERROR_ARGUMENT, "gb_count_matching: count is NULL");
        }
        *count = 0;
        gb::ensure_flags();
        *count = matching(effective_filter(filter)).size();
    });
}

gb_status gb_list_matching(const char *filter, gb_name_function *each, void *context) {
    return gb::guarded([&] {
        gb::refuse_inside_callback("gb_list_matching");
        if (!each) {
            fail(GB_ERROR_ARGUMENT, "gb_list_matching: each is NULL");
        }
        gb::ensure_flags();
        for (const std::string &name : matching(effective_filter(filter))) {
            if (!each(name.c_str(), context)) {
                break;
            }
        }
    });
}

gb_status gb_clear(void) {
    return gb::guarded([&] {
        gb::refuse_inside_callback("gb_clear");
        clear();
    });
}

gb_status gb_shutdown(void) {
    return gb::guarded([&] {
        gb::refuse_inside_callback("gb_shutdown");
        clear();
        // Shutdown frees the context and leaves the pointer standing.
        if (benchmark::internal::GetGlobalContext()) {
            benchmark::Shutdown();
            benchmark::internal::GetGlobalContext() = nullptr;
        }
    });
}

} // extern "C"
