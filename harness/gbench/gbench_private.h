// What the source files of gbench_c share. C++ only, never installed.
#ifndef GBENCH_PRIVATE_H
#define GBENCH_PRIVATE_H

#include <benchmark/benchmark.h>

#include <atomic>
#include <exception>
#include <iostream>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "gbench_c.h"

namespace gb {

// Thrown inside the library only; guarded() turns it into a status.
struct Failure {
    gb_status status;
    std::string text;
};

[[noreturn]] inline void fail(gb_status status, std::string text) {
    throw Failure{status, std::move(text)};
}

// Keeps the sentence of gb_last_error in a fixed buffer: reporting an error must not need memory.
gb_status set_error(gb_status status, const char *text) noexcept;

// Every public function that can fail runs its body in here: the one place where C++ ends and C begins.
template <class Body> gb_status guarded(Body &&body) noexcept {
    try {
        body();
        return GB_OK;
    } catch (const Failure &failure) {
        return set_error(failure.status, failure.text.c_str());
    } catch (const std::bad_alloc &) {
        return set_error(GB_ERROR_MEMORY, "out of memory");
    } catch (const std::exception &error) {
        return set_error(GB_ERROR_INTERNAL, error.what());
    } catch (...) {
        return set_error(GB_ERROR_INTERNAL, "an exception of unknown type");
    }
}

// True while benchmarks run: the registry must not change under them. Read by the threads of a benchmark, too.
extern std::atomic<bool> running;

// Counts the runs, so that what is kept of one is not taken for the next.
extern std::atomic<unsigned> run_number;

// True once a registered benchmark reports aggregates only: Google Benchmark aborts on these when hardware counters are
// asked for, too.
extern bool aggregates_only;

// Fails with GB_ERROR_STATE when a callback calls `function`.
void refuse_inside_callback(const char *function);

// ---- flags (gbench_flags.cc) ----

// Reads the environment where gb_initialize has not been called, so that a bad value is an error instead of the exit
// that Google Benchmark would do.
void ensure_flags();

// The value of a flag as it now stands; "" when it was not given.
std::string flag(const std::string &name);

// Hands flags to Google Benchmark and returns those that it did not take. Silent.
std::vector<std::string> push_flags(const std::vector<std::string> &flags);

// argv[0] of gb_initialize, or "".
const char *program() noexcept;

// ---- version differences ----

// Before 1.8 there is no SkipWithMessage: the message travels as an error with this in front.
inline constexpr char message_prefix[] = "skipped: ";

// The int/long pair prefers the first overload where both compile.
template <class State>
auto skip_with_message(State &state, const std::string &text, int) -> decltype(state.SkipWithMessage(text)) {
    state.SkipWithMessage(text);
}
template <class State> void skip_with_message(State &state, const std::string &text, long) {
    state.SkipWithError((message_prefix + text).c_str());
}

struct Skip {
    gb_skip kind;
    const char *text; // borrowed from the run
};

template <class Run> auto skip_of(const Run &run, int) -> decltype(run.skip_message, Skip{}) {
    using Kind = decltype(run.skipped);
    if (run.skipped == Kind::SkippedWithMessage) {
        return {GB_SKIPPED_WITH_MESSAGE, run.skip_message.c_str()};
    }
    return {run.skipped == Kind::SkippedWithError ? GB_SKIPPED_WITH_ERROR : GB_NOT_SKIPPED, run.skip_message.c_str()};
}
template <class Run> auto skip_of(const Run &run, long) -> decltype(run.error_message, Skip{}) {
    const std::size_t prefix = sizeof message_prefix - 1;
    if (run.error_occurred && run.error_message.compare(0, prefix, message_prefix) == 0) {
        return {GB_SKIPPED_WITH_MESSAGE, run.error_message.c_str() + prefix};
    }
    return {run.error_occurred ? GB_SKIPPED_WITH_ERROR : GB_NOT_SKIPPED, run.error_message.c_str()};
}

// ---- quiet ----

// Swallows what is written to std::cerr and std::clog while it lives: Google Benchmark talks there about things that
// we report through a status, or that are no concern of the caller.
class Quiet {
  public:
    Quiet() : cerr_(std::cerr.rdbuf(&nowhere_)), clog_(std::clog.rdbuf(&nowhere_)) {}
    ~Quiet() {
        std::cerr.rdbuf(cerr_);
        std::clog.rdbuf(clog_);
    }
    Quiet(const Quiet &) = delete;
    Quiet &operator=(const Quiet &) = delete;

  private:
    struct Nowhere : std::streambuf {
        int_type overflow(int_type c) override { return traits_type::not_eof(c); }
    };
    Nowhere nowhere_;
    std::streambuf *cerr_;
    std::streambuf *clog_;
};

} // namespace gb

#endif
