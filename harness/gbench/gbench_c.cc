// Errors, registration, and what a benchmark calls while it runs.
//
// Google Benchmark aborts the process on misuse of its State when it was built with checks (as the distributions build
// it). gb_state therefore keeps count of where in its life a run is, and turns every misuse into a failed benchmark.

#include "gbench_c.h"

#include <cmath>
#include <cstdio>
#include <memory>

#include "gbench_private.h"

namespace gb {

unsigned run_number = 0;
std::vector<std::string> registered;

namespace {

char last_error[1024];

// The first skip of a benchmark in one call of gb_run_benchmarks. It holds for the repetitions that follow: Google
// Benchmark crashes over statistics whose first repetition alone was skipped.
struct FirstSkip {
    unsigned run_number = 0;
    bool is_error = false;
    std::string text;
};

struct Registration {
    gb_function *run;
    void *context;
    FirstSkip first_skip;
};

} // namespace

gb_status set_error(const char *text) noexcept {
    std::snprintf(last_error, sizeof last_error, "%s", text);
    return GB_ERROR;
}

} // namespace gb

struct gb_state {
    benchmark::State &state;
    gb::FirstSkip &first_skip;
    bool skipped = false;
    bool timed = false; // gb_set_iteration_time was called
};

namespace {

using gb::fail;
using gb::FirstSkip;
using gb::Registration;

// Before 1.8 there is no SkipWithMessage: the message travels as an error. The int/long pair prefers the first overload
// where both compile.
template <class State>
auto skip_with_message(State &state, const std::string &text, int) -> decltype(state.SkipWithMessage(text)) {
    state.SkipWithMessage(text);
}
template <class State> void skip_with_message(State &state, const std::string &text, long) {
    state.SkipWithError(("skipped: " + text).c_str());
}

void skip(gb_state &run, bool is_error, const std::string &text) noexcept {
    if (run.skipped) {
        return;
    }
    run.skipped = true;
    try {
        if (run.first_skip.run_number != gb::run_number) {
            run.first_skip = {gb::run_number, is_error, text};
        }
        if (is_error) {
            run.state.SkipWithError(text.c_str());
        } else {
            skip_with_message(run.state, text, 0);
        }
    } catch (...) {
        run.state.SkipWithError("out of memory"); // short enough to need none
    }
}

// Runs the body of a gb_state function; what goes wrong in it becomes the benchmark's error.
template <class Body> void failing_into(gb_state *run, Body &&body) noexcept {
    if (run && gb::guarded(body) != GB_OK) {
        skip(*run, true, gb_last_error());
    }
}

void call(benchmark::State &state, Registration &registration) {
    FirstSkip &first = registration.first_skip;
    gb_state run{state, first};
    if (first.run_number == gb::run_number) {
        skip(run, first.is_error, first.text);
    }
    // Google Benchmark aborts over repetitions that differ in their count of iterations: a skipped run enters its loop,
    // and leaves it at once.
    while (state.KeepRunning()) {
        registration.run(&run, registration.context);
        if (!run.skipped && !run.timed) {
            skip(run, true, "gb_set_iteration_time was not called");
        }
    }
}

} // namespace

extern "C" {

const char *gb_last_error(void) {
    return gb::last_error;
}

gb_status gb_register(const char *name, gb_function *run, void *context) {
    return gb::guarded([&] {
        auto registration = std::make_shared<Registration>(Registration{run, context, {}});
        // `auto`: the type has moved between namespaces since 1.7.
        auto *benchmark =
            benchmark::RegisterBenchmark(name, [registration](benchmark::State &state) { call(state, *registration); });
        benchmark->UseManualTime();
        benchmark->Iterations(1);
        gb::registered.push_back(name);
    });
}

void gb_set_iteration_time(gb_state *state, double seconds) {
    failing_into(state, [&] {
        if (!std::isfinite(seconds) || seconds < 0) {
            fail("gb_set_iteration_time: not a number of seconds from 0 up");
        }
        state->timed = true;
        if (!state->skipped) {
            state->state.SetIterationTime(seconds);
        }
    });
}

void gb_set_counter(gb_state *state, const char *name, double value) {
    failing_into(state, [&] { state->state.counters[name] = value; });
}

void gb_set_label(gb_state *state, const char *label) {
    failing_into(state, [&] { state->state.SetLabel(label); });
}

void gb_skip_with_error(gb_state *state, const char *text) {
    failing_into(state, [&] { skip(*state, true, text); });
}

void gb_skip_with_message(gb_state *state, const char *text) {
    failing_into(state, [&] { skip(*state, false, text); });
}

} // extern "C"
