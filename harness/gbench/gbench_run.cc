// Lists and runs benchmarks.
//
// benchmark::RunSpecifiedBenchmarks opens, and so empties, the file of --benchmark_out before it looks whether anything
// matches, and exits when it cannot open it. So the names are asked for first, the file is tried, and only then it is
// called, with the certainty that it will run something.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
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
            gb::push_flags(
                {"--benchmark_list_tests=false", std::string("--benchmark_out=") + gb_flag("benchmark_out")});
        } catch (...) { // a destructor must not throw; the next gb_run_benchmarks sets the flags anew
        }
    }
    ListMode(const ListMode &) = delete;
    ListMode &operator=(const ListMode &) = delete;
};

// The names that --benchmark_filter matches.
std::vector<std::string> matching() {
    const std::string filter = gb_flag("benchmark_filter");
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
        fail("the filter '" + filter +
             "' is not a regular expression: " + error.substr(reason, error.find('\n', reason) - reason));
    }
    return names;
}

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
    const std::vector<std::string> names = matching();
    if (names.empty()) {
        fail("the filter '" + filter + "' matches no registered benchmark");
    }
    if (std::strcmp(gb_flag("benchmark_list_tests"), "true") == 0) {
        for (const std::string &name : names) {
            std::printf("%s\n", name.c_str());
        }
        std::fflush(stdout);
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

gb_status gb_list_matching(gb_name_function *each, void *context) {
    return gb::guarded([&] {
        for (const std::string &name : matching()) {
            each(name.c_str(), context);
        }
    });
}

gb_status gb_shutdown(void) {
    return gb::guarded([&] {
        benchmark::ClearRegisteredBenchmarks();
        // Shutdown frees the context and leaves the pointer standing.
        if (benchmark::internal::GetGlobalContext()) {
            benchmark::Shutdown();
            benchmark::internal::GetGlobalContext() = nullptr;
        }
    });
}

} // extern "C"
