// Errors, registration, and what a benchmark calls while it runs.
//
// Google Benchmark aborts the process on misuse of its State when it was built with checks (as the distributions build
// it). gb_state therefore keeps count of where in its life a run is, and turns every misuse into a failed benchmark.

#include "gbench_c.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>

#include "gbench_private.h"

namespace gb {

std::atomic<bool> running{false};
std::atomic<unsigned> run_number{0};
bool aggregates_only = false;

namespace {

thread_local char last_error[1024];

// More threads than this are more likely a slip than a wish, and Google Benchmark ends the process when the system
// refuses to start one.
constexpr int max_threads = 1024;

// The first skip of a benchmark in one call of gb_run_benchmarks. It holds for the repetitions that follow: Google
// Benchmark crashes over statistics whose first repetition alone was skipped.
struct FirstSkip {
    std::mutex mutex; // threads of one benchmark share it
    unsigned run_number = 0;
    bool is_error = false;
    std::string text;
};

struct Registration {
    std::string name;
    gb_function *run;
    void *context;
    std::vector<int64_t> args;
    bool manual;
    mutable FirstSkip first_skip;
};

} // namespace

gb_status set_error(gb_status status, const char *text) noexcept {
    std::snprintf(last_error, sizeof last_error, "%s", text);
    return status;
}

void refuse_inside_callback(const char *function) {
    if (running) {
        fail(GB_ERROR_STATE, std::string(function) + ": not allowed while benchmarks run");
    }
}

} // namespace gb

struct gb_state {
    benchmark::State &state;
    const gb::Registration &registration;
    bool started = false;
    bool paused = false;
    bool finished = false; // the loop has said false
    bool skipped = false;
    bool timed = false; // gb_set_iteration_time was called
};

namespace {

using gb::fail;
using gb::FirstSkip;
using gb::Registration;

void remember_skip(FirstSkip &first, bool is_error, const char *text) {
    const std::lock_guard<std::mutex> lock(first.mutex);
    if (first.run_number != gb::run_number) {
        first.text = text;
        first.is_error = is_error;
        first.run_number = gb::run_number;
    }
}

void skip(gb_state &run, bool is_error, const char *text) noexcept {
    if (run.skipped) {
        return;
    }
    run.skipped = true;
    try {
        remember_skip(run.registration.first_skip, is_error, text);
        if (is_error) {
            run.state.SkipWithError(text);
        } else {
            gb::skip_with_message(run.state, text, 0);
        }
    } catch (...) {
        run.state.SkipWithError("out of memory"); // short enough to need none
    }
}

// Runs the body of a gb_state function; what goes wrong in it becomes the benchmark's error.
template <class Body> void failing_into(gb_state &run, Body &&body) noexcept {
    const gb_status status = gb::guarded(body);
    if (status != GB_OK) {
        skip(run, true, gb_last_error());
    }
}

void skip_like_the_first(gb_state &run, FirstSkip &first) {
    std::string text;
    bool is_error;
    {
        const std::lock_guard<std::mutex> lock(first.mutex);
        if (first.run_number != gb::run_number) {
            return;
        }
        text = first.text;
        is_error = first.is_error;
    }
    skip(run, is_error, text.c_str());
}

void call(benchmark::State &state, const Registration &registration) {
    gb_state run{state, registration};
    failing_into(run, [&] {
        skip_like_the_first(run, registration.first_skip);
        if (!run.skipped) {
            registration.run(&run, registration.context);
        }
    });
    // Google Benchmark takes an early return as its own broken invariant and aborts; a skip completes the run.
    if (!run.skipped && !run.finished) {
        skip(run, true, "the callback returned before gb_keep_running said false");
    }
    // Without a time Google Benchmark would raise the iterations until the end of days.
    if (!run.skipped && registration.manual && !run.timed) {
        skip(run, true, "manual time, but gb_set_iteration_time was not called");
    }
    // Google Benchmark aborts over repetitions that differ in their count of iterations; a skipped run that enters its
    // loop, and leaves it at once, has the count of the others.
    if (run.skipped && !run.started) {
        gb_keep_running(&run);
    }
}

benchmark::TimeUnit library_unit(gb_unit unit) {
    switch (unit) {
    case GB_UNIT_US:
        return benchmark::kMicrosecond;
    case GB_UNIT_MS:
        return benchmark::kMillisecond;
    case GB_UNIT_S:
        return benchmark::kSecond;
    default:
        return benchmark::kNanosecond;
    }
}

// In C an enum may hold any int; in C++ merely reading such a one is undefined.
template <class Enum> int as_int(const Enum &value) {
    static_assert(sizeof value == sizeof(int), "a C enum");
    int result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}

bool is_time(double seconds) {
    return std::isfinite(seconds) && seconds >= 0;
}

void check(const gb_benchmark &b) {
    const std::string who = std::string("gb_register: ") + b.name + ": ";
    const auto refuse = [&](const char *what) { fail(GB_ERROR_ARGUMENT, who + what); };
    if (std::string(b.name).find_first_of("\r\n") != std::string::npos) {
        refuse("the name has a line break");
    } else if (!b.run) {
        refuse("run is NULL");
    } else if (b.arg_count > 0 && !b.args) {
        refuse("arg_count is not 0, but args is NULL");
    } else if (as_int(b.clock) < GB_CLOCK_CPU || as_int(b.clock) > GB_CLOCK_MANUAL) {
        refuse("clock is not one of GB_CLOCK_...");
    } else if (as_int(b.unit) < GB_UNIT_DEFAULT || as_int(b.unit) > GB_UNIT_S) {
        refuse("unit is not one of GB_UNIT_...");
    } else if (b.iterations < 0) {
        refuse("iterations is below 0");
    } else if (b.repetitions < 0) {
        refuse("repetitions is below 0");
    } else if (!is_time(b.min_time_s)) {
        refuse("min_time_s is not a number of seconds from 0 up");
    } else if (!is_time(b.min_warmup_s)) {
        refuse("min_warmup_s is not a number of seconds from 0 up");
    } else if (b.iterations > 0 && (b.min_time_s > 0 || b.min_warmup_s > 0)) {
        refuse("iterations excludes min_time_s and min_warmup_s");
    } else if (b.min_warmup_s > 0 && b.min_time_s <= 0) {
        refuse("min_warmup_s needs min_time_s: Google Benchmark ignores it otherwise");
    } else if (b.threads < 0 || b.threads > gb::max_threads) {
        refuse("threads is not from 0 to 1024");
    }
}

void add(const gb_benchmark &b) {
    auto registration = std::make_shared<Registration>();
    registration->name = b.name;
    registration->run = b.run;
    registration->context = b.context;
    registration->args.assign(b.args, b.args + b.arg_count);
    registration->manual = b.clock == GB_CLOCK_MANUAL;
    std::vector<std::string> arg_names;
    for (size_t i = 0; b.arg_names && i < b.arg_count; i++) {
        arg_names.emplace_back(b.arg_names[i] ? b.arg_names[i] : "");
    }

    // `auto`: the type has moved between namespaces since 1.7.
    auto *benchmark =
        benchmark::RegisterBenchmark(b.name, [registration](benchmark::State &state) { call(state, *registration); });
    if (!arg_names.empty()) {
        benchmark->ArgNames(arg_names);
    }
    if (!registration->args.empty()) {
        benchmark->Args(registration->args);
    }
    if (b.clock == GB_CLOCK_PROCESS) {
        benchmark->MeasureProcessCPUTime();
    } else if (b.clock == GB_CLOCK_REAL) {
        benchmark->UseRealTime();
    } else if (b.clock == GB_CLOCK_MANUAL) {
        benchmark->UseManualTime();
    }
    if (b.unit != GB_UNIT_DEFAULT) {
        benchmark->Unit(library_unit(b.unit));
    }
    if (b.iterations > 0) {
        benchmark->Iterations(b.iterations);
    }
    if (b.repetitions > 0) {
        benchmark->Repetitions(b.repetitions);
    }
    if (b.min_time_s > 0) {
        benchmark->MinTime(b.min_time_s);
    }
    if (b.min_warmup_s > 0) {
        benchmark->MinWarmUpTime(b.min_warmup_s);
    }
    if (b.threads > 1) {
        benchmark->Threads(b.threads);
    }
    if (b.aggregates_only) {
        benchmark->ReportAggregatesOnly(true);
        gb::aggregates_only = true;
    }
}

benchmark::Counter::Flags library_flags(unsigned flags) {
    using Counter = benchmark::Counter;
    static const struct {
        unsigned ours;
        Counter::Flags theirs;
    } pairs[] = {
        {GB_COUNTER_RATE, Counter::kIsRate},
        {GB_COUNTER_AVG_THREADS, Counter::kAvgThreads},
        {GB_COUNTER_PER_ITERATION, Counter::kAvgIterations},
        {GB_COUNTER_ITERATION_INVARIANT, Counter::kIsIterationInvariant},
        {GB_COUNTER_INVERT, Counter::kInvert},
    };
    Counter::Flags result = Counter::kDefaults;
    for (const auto &pair : pairs) {
        if (flags & pair.ours) {
            result = result | pair.theirs;
        }
    }
    return result;
}

} // namespace

extern "C" {

const char *gb_last_error(void) {
    return gb::last_error;
}

const char *gb_status_name(gb_status status) {
    switch (status) {
    case GB_OK:
        return "ok";
    case GB_ERROR_ARGUMENT:
        return "bad argument";
    case GB_ERROR_FLAG:
        return "bad flag";
    case GB_ERROR_FILTER:
        return "bad filter";
    case GB_ERROR_NO_MATCH:
        return "no match";
    case GB_ERROR_OUTPUT:
        return "output file";
    case GB_ERROR_STATE:
        return "wrong order of calls";
    case GB_ERROR_MEMORY:
        return "out of memory";
    case GB_ERROR_INTERNAL:
        return "internal error";
    }
    return "unknown status";
}

gb_status gb_register(const gb_benchmark *benchmark) {
    return gb::guarded([&] {
        gb::refuse_inside_callback("gb_register");
        if (!benchmark || !benchmark->name || !*benchmark->name) {
            fail(GB_ERROR_ARGUMENT, benchmark ? "gb_register: the name is empty" : "gb_register: benchmark is NULL");
        }
        check(*benchmark);
        add(*benchmark);
    });
}

bool gb_keep_running(gb_state *state) {
    return gb_keep_running_batch(state, 1);
}

bool gb_keep_running_batch(gb_state *state, int64_t n) {
    if (!state || state->finished) {
        return false;
    }
    if (state->paused) {
        gb_resume_timing(state); // the library's clock must run when the loop ends
    }
    bool more = false;
    failing_into(*state, [&] {
        if (n < 1) {
            fail(GB_ERROR_ARGUMENT, "gb_keep_running_batch: n is below 1");
        }
        state->started = true;
        more = n == 1 ? state->state.KeepRunning() : state->state.KeepRunningBatch(n);
    });
    state->finished = !more;
    return more;
}

void gb_set_iteration_time(gb_state *state, double seconds) {
    if (!state || state->skipped) {
        return;
    }
    if (!is_time(seconds)) {
        skip(*state, true, "gb_set_iteration_time: not a number of seconds from 0 up");
        return;
    }
    state->timed = true;
    state->state.SetIterationTime(seconds);
}

void gb_pause_timing(gb_state *state) {
    if (state && state->started && !state->finished && !state->skipped && !state->paused) {
        failing_into(*state, [&] {
            state->state.PauseTiming();
            state->paused = true;
        });
    }
}

void gb_resume_timing(gb_state *state) {
    if (state && state->paused && !state->skipped) {
        failing_into(*state, [&] {
            state->state.ResumeTiming();
            state->paused = false;
        });
    }
}

int64_t gb_iterations(const gb_state *state) {
    return state ? state->state.iterations() : 0;
}

int64_t gb_max_iterations(const gb_state *state) {
    return state ? state->state.max_iterations : 0;
}

int64_t gb_range(gb_state *state, size_t position) {
    int64_t value = 0;
    if (state) {
        failing_into(*state, [&] {
            const std::vector<int64_t> &args = state->registration.args;
            if (position >= args.size()) {
                fail(GB_ERROR_ARGUMENT, "gb_range: argument " + std::to_string(position) + " of " +
                                            std::to_string(args.size()) + " (counted from 0)");
            }
            value = args[position];
        });
    }
    return value;
}

size_t gb_range_count(const gb_state *state) {
    return state ? state->registration.args.size() : 0;
}

int gb_thread_index(const gb_state *state) {
    return state ? state->state.thread_index() : 0;
}

int gb_threads(const gb_state *state) {
    return state ? state->state.threads() : 0;
}

void gb_set_counter(gb_state *state, const char *name, double value, unsigned flags) {
    if (!state || state->skipped) {
        return;
    }
    failing_into(*state, [&] {
        if (!name || !*name) {
            fail(GB_ERROR_ARGUMENT, "gb_set_counter: the name is empty");
        }
        if (flags >= 2U * GB_COUNTER_BASE_1024) {
            fail(GB_ERROR_ARGUMENT, std::string("gb_set_counter: ") + name + ": unknown flag");
        }
        const auto thousand = flags & GB_COUNTER_BASE_1024 ? benchmark::Counter::kIs1024 : benchmark::Counter::kIs1000;
        state->state.counters[name] = benchmark::Counter(value, library_flags(flags), thousand);
    });
}

void gb_set_bytes_processed(gb_state *state, int64_t bytes) {
    gb_set_counter(state, "bytes_per_second", static_cast<double>(bytes), GB_COUNTER_RATE | GB_COUNTER_BASE_1024);
}

void gb_set_items_processed(gb_state *state, int64_t items) {
    gb_set_counter(state, "items_per_second", static_cast<double>(items), GB_COUNTER_RATE);
}

void gb_set_label(gb_state *state, const char *label) {
    if (state) {
        failing_into(*state, [&] { state->state.SetLabel(label ? label : ""); });
    }
}

void gb_skip_with_error(gb_state *state, const char *text) {
    if (state) {
        skip(*state, true, text ? text : "");
    }
}

void gb_skip_with_message(gb_state *state, const char *text) {
    if (state) {
        skip(*state, false, text ? text : "");
    }
}

bool gb_is_skipped(const gb_state *state) {
    return state && state->skipped;
}

} // extern "C"
