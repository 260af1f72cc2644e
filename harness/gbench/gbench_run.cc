// Lists and runs benchmarks.
//
// benchmark::RunSpecifiedBenchmarks opens, and so empties, the file of --benchmark_out before it looks whether anything
// matches, and exits when it cannot open it. So the names are looked through first, the file is tried, and only then it
// is called, with the certainty that it will run something.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gbench_private.h"

namespace {

using gb::fail;

// ---- display ----

class Silent : public benchmark::BenchmarkReporter {
  public:
    Silent() {
        gb::Quiet quiet; // the first look at the CPU may warn
        Context();
    }
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &) override {}
};

// ---- output file ----

// Makes sure that the file of --benchmark_out can be opened, without emptying it.
void try_output(const std::string &path) {
    struct stat before;
    const bool existed = stat(path.c_str(), &before) == 0;
    bool writable;
    if (existed && !S_ISREG(before.st_mode) && !S_ISDIR(before.st_mode)) {
        writable = access(path.c_str(), W_OK) == 0; // opening a pipe would wait for its reader
    } else {
        const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        writable = file >= 0;
        if (writable) {
            close(file);
        }
    }
    if (!writable) {
        fail("--benchmark_out=" + path + ": " + std::strerror(errno));
    }
}

// ---- run ----

void run_matching() {
    const std::string filter = gb_flag("benchmark_filter");
    const bool lists = std::strcmp(gb_flag("benchmark_list_tests"), "true") == 0;
    size_t found = 0;
    for (const std::string &name : gb::registered) {
        if (gb_matches(name.c_str())) {
            found++;
            std::cout << (lists ? gb::full_name(name) + "\n" : "");
        }
    }
    std::cout.flush();
    if (found == 0) {
        fail("the filter '" + filter + "' matches no registered benchmark");
    }
    if (lists) {
        return;
    }
    const std::string out = gb_flag("benchmark_out");
    if (!out.empty()) {
        try_output(out);
    }
    Silent display;
    gb::run_number++;
    benchmark::RunSpecifiedBenchmarks(&display, nullptr, filter);
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
        // Google Benchmark would print, and forget the pair.
        const auto *context = benchmark::internal::GetGlobalContext();
        if (context && context->count(key) > 0) {
            fail("gb_add_context: the key '" + std::string(key) + "' is there already");
        }
        benchmark::AddCustomContext(key, value);
    });
}

gb_status gb_run_benchmarks(void) {
    return gb::guarded(run_matching);
}

gb_status gb_shutdown(void) {
    return gb::guarded([&] {
        benchmark::ClearRegisteredBenchmarks();
        gb::registered.clear();
        // Shutdown frees the context and leaves the pointer standing.
        if (benchmark::internal::GetGlobalContext()) {
            benchmark::Shutdown();
            benchmark::internal::GetGlobalContext() = nullptr;
        }
    });
}

} // extern "C"
