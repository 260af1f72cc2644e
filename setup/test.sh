# ./gpufx test: every stage runs, whatever the ones before it said.
#
# Read by ./gpufx after setup.sh, whose functions it uses. What the stages print goes to build/test.log; of one that fails
# the part that says why is shown.
# shellcheck shell=sh disable=SC2154 # the names come from ./gpufx and setup.sh

test_help() {
    cat <<'END'
usage: ./gpufx test [--quick]

Sets up, builds everything and runs all tests; no GPU is needed. Stages: build, where warnings are errors; ctest, which
has pytest, the linters, and every kernel by an nvcc 12.x, the machine's or that of the toolkit that GPUFX_CUDA12 names;
asan, host code and its tests under two sanitizers; fuzz. What the machine has no tool for is skipped and named.

  --quick      leave out asan, fuzz, the compilation for all architectures and by an nvcc 12.x, the machine-code tests, which
               need it, and every test marked slow

Exit status: 0 all passed, 1 a stage failed, 2 it could not be set up or the options are wrong.
Log: build/test.log. Environment: see the head of ./gpufx.
END
}

# Packages that only widen what is tested; without the right to install them the rest still runs.
install_test_packages() {
    packages=
    command -v clang >/dev/null || packages=clang
    command -v shellcheck >/dev/null || packages="$packages shellcheck"
    if [ -n "$packages" ]; then
        if ! may_install; then
            say "testing without these, which you have no right to install here: $packages"
            return
        fi
        # shellcheck disable=SC2086 # a list of words
        apt_install $packages
    fi
    # The run-time libraries of the sanitizers and of libFuzzer are a package of its own, named after clang's version.
    if ! { clang_sanitizes && clang_fuzzes; } && may_install; then
        major=$(clang -dumpversion | cut -d. -f1)
        apt_install "libclang-rt-$major-dev"
    fi
}

clang_sanitizes() {
    echo 'int main(void) { return 0; }' | clang -fsanitize=address,undefined -x c - -o "$build/.asan" 2>/dev/null &&
        rm "$build/.asan"
}

clang_fuzzes() {
    echo 'int LLVMFuzzerTestOneInput(const char *data, unsigned long size) { return !data && size; }' |
        clang -fsanitize=fuzzer -x c - -o "$build/.fuzz" 2>/dev/null && rm "$build/.fuzz"
}

# stage WHAT COMMAND...
stage() {
    began=$(date +%s)
    attempt "$@" || failures="$failures, $1"
    say "$1: $(($(date +%s) - began)) s"
}

stage_asan() {
    sanitizer=${CC:-cc}
    sanitizer=${sanitizer%% *}
    compilers=
    if clang_sanitizes; then
        sanitizer=clang
        compilers="-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++"
    fi
    # A folder keeps the compiler that it was configured with: another one wants a new folder.
    compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$asan/CMakeCache.txt" 2>/dev/null)
    [ "${compiler##*/}" = "${sanitizer##*/}" ] || rm -rf "$asan"
    # shellcheck disable=SC2086 # two options or none
    [ -f "$asan/build.ninja" ] || cmake -S "$GPUFX_ROOT" --preset asan --fresh $compilers || return
    cmake --build "$asan" && ctest --test-dir "$asan" --output-on-failure -j "$tests"
}

stage_fuzz() {
    [ -f "$fuzz/build.ninja" ] || cmake -S "$GPUFX_ROOT" --preset fuzz --fresh || return
    cmake --build "$fuzz" --target fuzzed -- -k 0
}

test_verb() {
    shift
    quick=
    while [ $# -gt 0 ]; do
        case $1 in
        --quick) quick=yes ;;
        -h | --help)
            test_help
            exit 0
            ;;
        *) die "test has no option or argument '$1'; './gpufx test --help' lists what it has" ;;
        esac
        shift
    done

    # shellcheck disable=SC2034 # read by setup.sh
    testing=yes
    lock
    prepare
    install_python test "$GPUFX_ROOT/setup/test.txt"
    install_test_packages
    asan=$GPUFX_ROOT/build-asan
    fuzz=$GPUFX_ROOT/build-fuzz
    failures=
    jobs=$(getconf _NPROCESSORS_ONLN)
    tests=$((jobs + 1)) # at once: some wait most of their time
    without=${quick:+-LE all-arch|slow}

    begin_build
    log=$build/test.log
    : >"$log"
    stage "building everything" cmake --build "$build"
    [ -n "$failures" ] || end_build
    unlock
    # shellcheck disable=SC2086 # empty or an option with its value
    stage ctest ctest --test-dir "$build" --output-on-failure -j "$tests" $without
    sed -n 's/.* - \(.*\) (Skipped).*/    skipped \1/p; /tests passed/p' "$log"
    if [ -n "$quick" ]; then
        say "asan and fuzz are left out by --quick"
    else
        stage asan stage_asan
        if clang_fuzzes; then
            stage fuzz stage_fuzz
        else
            say "no fuzz: clang with libFuzzer is not installed; ctest replays its inputs"
        fi
    fi
    [ -z "$failures" ] || {
        echo "FAILED:${failures#,} (log: $log)"
        exit 1
    }
    echo "all tests passed"
}
