# ./gpufx test: every stage runs, whatever the ones before it said; one closing line for each, and a summary.
#
# Read by ./gpufx after setup.sh, whose functions it uses. What a stage prints goes to build/test/STAGE.log; the end of
# that log is shown when the stage fails.
# shellcheck shell=sh disable=SC2154 # the names come from ./gpufx and setup.sh

test_help() {
    cat <<'END'
usage: ./gpufx test [--quick]

Sets up, builds everything and runs all tests; no GPU is needed. Stages: build, where warnings are errors; ctest; cuda12,
every kernel by an nvcc 12.x, the machine's or that of the toolkit that GPUFX_CUDA12 names; asan, host code and its tests
under two sanitizers; fuzz; pytest; format; ruff; shellcheck. What the machine has no tool for is skipped and named.

  --quick      leave out cuda12, asan, fuzz, the compilation for all architectures, the machine-code tests, which need it, and
               every test marked slow

Exit status: 0 all passed, 1 a stage failed, 2 it could not be set up or the options are wrong.
Logs: build/test/STAGE.log. Environment: see the head of ./gpufx.
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

# stage NAME DETAIL COMMAND...: DETAIL is a pattern; its last match in the log ends the closing line.
stage() {
    name=$1
    detail=$2
    shift 2
    began=$(date +%s)
    say "$name ..."
    if follow "$results/$name.log" "$@"; then
        verdict=ok
    else
        verdict=FAILED
        failures="$failures $name"
        show_failure "$results/$name.log"
    fi
    line=$(printf '%-7s %-11s %4s s  %s' "$verdict" "$name" $(($(date +%s) - began)) \
        "$(grep -E "$detail" "$results/$name.log" | tail -n 1)")
    say "$line"
    summary="$summary    $line
"
}

skip() {
    line=$(printf '%-7s %-11s %4s    %s' skipped "$1" '' "$2")
    say "$line"
    summary="$summary    $line
"
}

stage_ctest() {
    # shellcheck disable=SC2086 # empty or an option with its value
    ctest --test-dir "$build" --output-on-failure -j "$tests" $without
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

# Archives that come and go change no test: beside the reference archives the tests have some that nobody has. All three
# folders share their processes, each of which loads the libraries once; what waits most comes first.
stage_pytest() {
    strangers=$build/roots/pytest
    "$GPUFX_ROOT/tests/cli/tools/strangers" "$strangers" || return
    (cd "$GPUFX_ROOT/plot" && exec env -u PYTHONDONTWRITEBYTECODE GPUFX_ROOT="$strangers" XDG_CACHE_HOME="$build/cache" \
        PYTHONPATH="$GPUFX_ROOT/plot:$GPUFX_ROOT/harness/validate" PYTHONPYCACHEPREFIX="$build/pycache" \
        "$GPUFX_PYTHON" -P -m pytest -p no:cacheprovider -c pyproject.toml -n "$tests" --dist worksteal \
        ${quick:+-m "not slow"} ../tests/terminal ../harness/validate/tests tests)
}

# The program inside the wheel is called directly: the script that pip makes for it names this folder.
stage_format() {
    formatter=$(echo "$venv"/lib/python3*/site-packages/clang_format/data/bin/clang-format)
    find "$GPUFX_ROOT/harness" "$GPUFX_ROOT/micro" "$GPUFX_ROOT/tests" \
        \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cu' -o -name '*.cuh' \) \
        -print0 | xargs -0 -n 64 -P "$jobs" "$formatter" --dry-run -Werror &&
        "$GPUFX_PYTHON" -I -m ruff format --no-cache --check --config "$GPUFX_ROOT/plot/pyproject.toml" \
            "$GPUFX_ROOT/plot" "$GPUFX_ROOT/harness/validate" "$GPUFX_ROOT/tests" "$GPUFX_ROOT/setup" "$GPUFX_ROOT/micro"
}

stage_ruff() {
    "$GPUFX_PYTHON" -I -m ruff check --no-cache "$GPUFX_ROOT/plot" "$GPUFX_ROOT/harness/validate" &&
        "$GPUFX_PYTHON" -I -m ruff check --no-cache --config "$GPUFX_ROOT/plot/pyproject.toml" "$GPUFX_ROOT/tests" \
            "$GPUFX_ROOT/setup" "$GPUFX_ROOT/micro"
}

stage_shellcheck() {
    (cd "$GPUFX_ROOT" && shellcheck -x gpufx setup/*.sh .ci/run tests/cli/run tests/cli/tools/altered tests/cli/tools/linked_tree tests/cli/tools/references \
        tests/cli/tools/strangers tests/compile/cuda12 tests/install/moved tests/install/wheel \
        tests/frontdoor/checkout tests/frontdoor/inside tests/frontdoor/stand_in tests/cli/tools/refused tests/cli/tools/verdicts)
}

# Sets $nvcc12 to an nvcc 12.x of the machine's, or to nothing.
find_nvcc12() {
    nvcc12=
    for candidate in ${GPUFX_CUDA12:+"$GPUFX_CUDA12/bin/nvcc"} "$(command -v nvcc)" ${GPUFX_TEST_NVCC-/usr/local/cuda-12*/bin/nvcc \
        /usr/lib/nvidia-cuda-toolkit/bin/nvcc}; do
        case $("$candidate" --version 2>/dev/null) in
        *"release 12."*)
            nvcc12=$candidate
            return
            ;;
        esac
    done
}

stage_cuda12() {
    (cd "$GPUFX_ROOT" && tests/compile/cuda12 "$build/cuda12" "$nvcc12")
}

test_cuda12() {
    find_nvcc12
    if [ "$cuda" = OFF ]; then
        skip cuda12 "built without CUDA"
    elif [ -z "$nvcc12" ]; then
        skip cuda12 "there is no nvcc 12.x${GPUFX_CUDA12:+ in $GPUFX_CUDA12/bin}; GPUFX_CUDA12 names a toolkit"
    else
        stage cuda12 'files compiled' stage_cuda12
    fi
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
    results=$build/test
    asan=$GPUFX_ROOT/build-asan
    fuzz=$GPUFX_ROOT/build-fuzz
    mkdir -p "$results"
    summary=
    failures=
    jobs=$(getconf _NPROCESSORS_ONLN)
    tests=$((jobs + 1)) # at once: some wait most of their time
    without=${quick:+-LE all-arch|slow}

    begin_build
    stage build '^\[[0-9]+/[0-9]+\]|no work' cmake --build "$build"
    [ -n "$failures" ] || end_build
    unlock
    stage ctest 'tests passed' stage_ctest
    if [ -n "$quick" ]; then
        skip cuda12 "left out by --quick"
        skip asan "left out by --quick"
        skip fuzz "left out by --quick"
    else
        test_cuda12
        stage asan 'tests passed' stage_asan
        if clang_fuzzes; then
            stage fuzz '^\[[0-9]+/[0-9]+\]|no work' stage_fuzz
        else
            skip fuzz "clang with libFuzzer is not installed; ctest replays its inputs"
        fi
    fi
    stage pytest ' (passed|failed)' stage_pytest
    stage format 'error:|reformatted' stage_format
    stage ruff 'All checks|Found' stage_ruff
    if command -v shellcheck >/dev/null; then
        stage shellcheck 'SC[0-9]' stage_shellcheck
    else
        skip shellcheck "not installed"
    fi

    printf '\n%s' "$summary"
    [ -z "$failures" ] || {
        echo "FAILED:$failures (logs in $results)"
        exit 1
    }
    echo "all tests passed"
}
