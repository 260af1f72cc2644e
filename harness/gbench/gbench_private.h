// What the source files of gbench_c share. C++ only.
#pragma once

#include <benchmark/benchmark.h>

#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "gbench_c.h"

namespace gb {

[[noreturn]] inline void fail(const std::string &text) {
    throw std::runtime_error(text);
}

// Keeps the sentence of gb_last_error in a fixed buffer: reporting an error must not need memory.
gb_status set_error(const char *text) noexcept;

// Every public function that can fail runs its body in here: the one place where C++ ends and C begins.
template <class Body> gb_status guarded(Body &&body) noexcept {
    try {
        body();
        return GB_OK;
    } catch (const std::bad_alloc &) {
        return set_error("out of memory");
    } catch (const std::exception &error) {
        return set_error(error.what());
    } catch (...) {
        return set_error("an exception of unknown type");
    }
}

// Counts the runs, so that what is kept of one is not taken for the next.
extern unsigned run_number;

// The names of all benchmarks, and each as it is reported.
extern std::vector<std::string> registered;

inline std::string full_name(const std::string &name) {
    return name + "/iterations:1/manual_time";
}

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
