# Set-up: packages from the distribution, Python packages in .venv, CUDA where there is none, and the build.
#
# Read by ./gpufx when something is missing or stale; it uses the names set there (GPUFX_ROOT, build, venv, program,
# cuda, wanted). Every step prints one line on stderr and writes what it does to build/setup.log; a step that fails shows the
# end of that log and ends the call with status 2. A stamp is written only after success, so a failed or interrupted
# step is repeated by the next call.
# Python is always started with -I: nothing in the present folder, nor in PYTHONPATH, is run by it.
# shellcheck shell=sh disable=SC2154 # the names above come from ./gpufx

log=$build/setup.log
no_network='temporary failure (in name resolution|resolving)|could not (resolve|connect)|failed to fetch'
no_network="$no_network|network is unreachable|NewConnectionError|connection timed out"

say() {
    printf 'gpufx: %s\n' "$*" >&2
}

die() {
    say "$*"
    exit 2
}

# at_least VERSION MINIMUM
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# show_failure LOG: the part of a log that says why. For a build that is from its first failure on, since ninja lets the
# other jobs finish after it; for tests, what the failed ones printed; else the end.
show_failure() {
    awk '/^FAILED:/ { build = 1 }
         /\*\*\*(Failed|Exception|Timeout|Not Run)/ { test = 1 }
         / Start +[0-9]+: | Test +#[0-9]+: .*(Passed|Skipped)|tests passed,/ { test = 0 }
         build || test' "$1" | head -n 80 >"$1.why"
    [ -s "$1.why" ] || tail -n 25 "$1" >"$1.why"
    sed 's/^/    /' "$1.why" >&2
    rm -f "$1.why"
    if grep -qiE "$no_network" "$1"; then
        say "the network could not be reached. Set-up needs it once: connect (or set the proxy) and call again."
    fi
}

# follow LOG COMMAND...: runs the command with all of its output in the log; on a terminal the last line shows, in place.
follow() {
    file=$1
    shift
    if [ ! -t 2 ]; then
        "$@" >"$file" 2>&1 </dev/null
        return
    fi
    width=$(stty size <&2 2>/dev/null | cut -d ' ' -f 2)
    rm -f "$file.status"
    : >"$file"
    {
        "$@" </dev/null 2>&1
        echo $? >"$file.status"
    } | while IFS= read -r line; do
        printf '%s\n' "$line" >>"$file"
        printf '\r\033[K%.*s' "$((${width:-80} - 1))" "$line" >&2
    done
    printf '\r\033[K' >&2
    read -r status <"$file.status" || status=2
    rm -f "$file.status"
    return "$status"
}

# attempt WHAT COMMAND...: all of its output goes to the log; of what fails the part that says why is shown.
attempt() {
    what=$1
    shift
    say "$what"
    printf '\n== %s\n' "$what" >>"$log"
    follow "$log.step" "$@" && failed= || failed=yes
    cat "$log.step" >>"$log"
    [ -z "$failed" ] || {
        say "this failed: $what"
        show_failure "$log.step"
    }
    rm -f "$log.step"
    [ -z "$failed" ]
}

# step WHAT COMMAND...: one step of the set-up.
step() {
    attempt "$@" || die "nothing was run. The whole log is $log"
}

# One call sets up at a time; the others wait and then find everything done. The lock is held by file descriptor 9.
lock() {
    mkdir -p "$build" 2>/dev/null
    [ -w "$build" ] || die "cannot write to $build: set-up and the build need that folder. Use a checkout of your own."
    exec 9>"$build/.lock"
    command -v flock >/dev/null || return 0
    if ! flock -n 9; then
        say "another call is setting up this checkout; waiting for it"
        flock 9
    fi
}

unlock() {
    exec 9>&-
}

# may_install: sets $as_root to what must stand before apt-get; fails where there is no right to install. A password
# is asked for only on a terminal.
may_install() {
    as_root=
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null || return 1
    as_root=sudo
    sudo -n true 2>/dev/null || { [ -t 0 ] && [ -t 2 ] && sudo -v; }
}

# apt_install PACKAGE...: what runs as root is printed before it runs. An update that fails for one source of many does
# not matter if the packages can be had. A new machine updates itself: that lock is waited for.
apt_install() {
    install="apt-get install -y --no-install-recommends -oDPkg::Lock::Timeout=300 $*"
    say "as root${as_root:+, by $as_root}: apt-get update; $install"
    step "installing $*" run_apt "$@"
}

run_apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get update
    # shellcheck disable=SC2086 # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive $install
}

# Prints the Debian packages for what is missing. Asking for the thing and not for the package leaves a newer CMake, or
# another distribution's packages, alone.
missing_packages() {
    command -v cmake >/dev/null || echo cmake
    command -v ninja >/dev/null || echo ninja-build
    command -v "${CC:-gcc}" >/dev/null || echo gcc
    command -v "${CXX:-g++}" >/dev/null || echo g++
    # pkg-config answers for the libraries, so without it they count as missing; zlib's header is asked for itself.
    command -v pkg-config >/dev/null || echo pkg-config
    pkg-config --exists benchmark 2>/dev/null || echo libbenchmark-dev
    pkg-config --exists jansson 2>/dev/null || echo libjansson-dev
    echo '#include <zlib.h>' | "${CC:-gcc}" -E -x c - >/dev/null 2>&1 || echo zlib1g-dev
    pkg-config --exists cmocka 2>/dev/null || echo libcmocka-dev
    python3 -I -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
}

# Google Benchmark and jansson can be built from their releases, and without cmocka there is no test of the units. Sets
# $extra to what CMake is told of that; fails where something else is missing.
do_without() {
    bundled=
    untested=
    for package; do
        case $package in
        libbenchmark-dev | libjansson-dev | pkg-config) bundled=-DGPUFX_BUNDLED=ON ;;
        libcmocka-dev) untested=-DGPUFX_TESTS=OFF ;;
        *) return 1 ;;
        esac
    done
    [ -z "$untested" ] || [ -z "${testing:-}" ] || return 1
    extra="$bundled $untested"
    say "doing without what you have no right to install here: $*"
}

install_packages() {
    extra=
    for compiler in "${CC:-}" "${CXX:-}"; do
        [ -z "$compiler" ] || command -v "$compiler" >/dev/null ||
            die "there is no compiler '$compiler' (CC, CXX): name one that is installed, or unset them"
    done
    packages=$(missing_packages | tr '\n' ' ')
    packages=${packages% }
    # shellcheck disable=SC2086 # a list of words
    if [ -n "$packages" ]; then
        if ! may_install && ! do_without $packages; then
            say "these packages are missing and you have no right to install them here: $packages"
            if command -v apt-get >/dev/null; then
                say "this command, run by somebody who has, will do; then call again:"
            else
                say "there is no apt-get here; these are Debian's names for them. On Debian or Ubuntu the command is:"
            fi
            printf '    sudo sh -c "apt-get update && apt-get install -y --no-install-recommends %s"\n' "$packages" >&2
            exit 2
        fi
        if [ -z "$extra" ]; then
            apt_install $packages
            packages=$(missing_packages | tr '\n' ' ')
            [ -z "$packages" ] || die "apt-get installed its packages, yet these are still not found: $packages"
        fi
    fi
    version=$(cmake --version | sed -n '1s/[^0-9]*//p')
    at_least "$version" 3.25 || die "CMake $version is too old, 3.25 is needed: 'python3 -m pip install cmake' has one"
    python3 -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "$(python3 -V) is too old, 3.11 is needed: put a newer python3 first on PATH"
}

# install_python SET FILE: the pinned packages of one requirements file, once per content of that file. pip takes no file
# whose hash is not in it, and nothing that runs code while it is installed.
install_python() {
    cmp -s "$2" "$venv/installed/$1" && return
    rm -f "$venv/installed/$1"
    count=$(grep -c == "$2")
    [ "$count" = 1 ] && count="$count Python package" || count="$count Python packages"
    step "installing $count of ${2#"$GPUFX_ROOT/"} into .venv" \
        "$GPUFX_PYTHON" -I -m pip install --disable-pip-version-check --no-input --retries 2 \
        --require-hashes --only-binary :all: -r "$2"
    cp "$2" "$venv/installed/$1"
}

# matplotlib lists the machine's fonts at its first call, which takes a while; harness/call/python.c names it this folder.
list_fonts() {
    [ -d "$build/matplotlib" ] && return
    MPLCONFIGDIR=$build/matplotlib step "listing the fonts for charts" "$GPUFX_PYTHON" -I -c 'import matplotlib.font_manager'
    mkdir -p "$build/matplotlib"
}

# A virtual environment whose interpreter was replaced (an upgrade of the distribution) is made anew.
make_venv() {
    interpreter=$(readlink -f "$GPUFX_PYTHON" 2>/dev/null)
    if [ ! -x "$GPUFX_PYTHON" ] || [ "$(cat "$venv/installed/interpreter" 2>/dev/null)" != "$interpreter" ]; then
        step "making a Python environment in .venv" python3 -I -m venv --clear "$venv"
        mkdir -p "$venv/installed"
        readlink -f "$GPUFX_PYTHON" >"$venv/installed/interpreter"
    fi
}

# NVIDIA's wheels are a toolkit without two names that CMake looks for: lib64 and the unversioned libcudart.so. The
# link .venv/cuda gives that toolkit a path that does not change with Python's version.
link_wheels() {
    toolkit=$(cd "$venv" && echo lib/python3*/site-packages/nvidia/cu13)
    ln -sfn "$toolkit" "$venv/cuda"
    ln -sfn lib "$venv/cuda/lib64"
    [ ! -e "$venv/cuda/lib/libcudart.so.13" ] || ln -sfn libcudart.so.13 "$venv/cuda/lib/libcudart.so"
}

# Sets $driver to the newest CUDA that the driver here knows, such as 12.4, or to nothing where there is none.
ask_driver() {
    driver=$(python3 -I -c 'import ctypes as c; v = c.c_int(); c.CDLL("libcuda.so.1").cuDriverGetVersion(c.byref(v)) or v.value and print(v.value // 1000, v.value % 1000 // 10, sep=".")' 2>/dev/null)
    [ -n "$driver" ] || driver=$(nvidia-smi 2>/dev/null | sed -n 's/.*CUDA[A-Z ]* Version: *\([0-9.]*\).*/\1/p' | head -n 1)
}

# driver_runs RELEASE: does the driver here run what a toolkit of this release compiles? It does for all minor releases
# of what it knows, and for what is older.
driver_runs() {
    [ -z "$driver" ] || [ "${1%%.*}" -le "${driver%%.*}" ]
}

# Sets $nvcc to one that is new enough, and not too new for the driver, or to nothing.
find_nvcc() {
    nvcc=
    ask_driver
    for candidate in ${CUDACXX:+"$CUDACXX"} "$(command -v nvcc)" ${GPUFX_TEST_NVCC-/usr/local/cuda/bin/nvcc \
        /usr/local/cuda-12*/bin/nvcc /usr/lib/nvidia-cuda-toolkit/bin/nvcc}; do
        candidate=$(command -v "$candidate") || continue
        version=$("$candidate" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
        if ! at_least "${version:-0}" 12.0; then
            say "not using $candidate: release ${version:-unknown}, and 12.0 is needed"
        elif ! driver_runs "$version"; then
            say "not using $candidate: release $version, and the driver here runs CUDA up to $driver"
        else
            nvcc=$candidate
            return
        fi
    done
}

# The distribution's package, where a driver is too old for the wheels, which have an nvcc from CUDA 13 on. Sets $nvcc.
install_older_cuda() {
    offered=$(apt-cache policy nvidia-cuda-toolkit 2>/dev/null | sed -n 's/^ *Candidate: \([0-9]*\.[0-9]*\).*/\1/p')
    if at_least "${offered:-0}" 12.0 && driver_runs "$offered" && may_install; then
        apt_install nvidia-cuda-toolkit
        find_nvcc
    fi
    [ -z "$nvcc" ] || return 0
    at_least "$driver" 12.0 ||
        die "the driver here runs CUDA up to $driver, and 12.0 is needed: install a driver of 525 or newer," \
            "or build without CUDA by GPUFX_CUDA=OFF"
    die "the driver here runs CUDA up to $driver: install a CUDA toolkit 12.x and name its nvcc by CUDACXX," \
        "or install a driver of 580 or newer, or build without CUDA by GPUFX_CUDA=OFF"
}

# has_sanitizer TOOLKIT: are the headers of Compute Sanitizer's API there? The build looks for them in the same folders.
has_sanitizer() {
    for file in "$1"/compute-sanitizer/include/sanitizer.h "$1"/extras/Sanitizer/include/sanitizer.h \
        "$1"/include/sanitizer.h "$1"/targets/*/include/sanitizer.h; do
        [ ! -f "$file" ] || return 0
    done
    return 1
}

# The recorder of explain needs those headers to be built, and some toolkits come without. Sets $headers to the folder of
# the wheel's, where they are needed: CUDA 13's, for an nvcc of that release.
install_sanitizer() {
    toolkit=$(readlink -f "$(command -v "$nvcc")")
    if has_sanitizer "${toolkit%/bin/*}" || ! at_least "$version" 13.0; then
        return
    fi
    install_python sanitizer "$GPUFX_ROOT/setup/sanitizer.txt"
    headers=$venv/cuda/include
}

# Sets $nvcc, and installs one where there is none that is new enough.
install_cuda() {
    nvcc=
    headers=
    [ "$cuda" = ON ] || return 0
    find_nvcc
    if [ -z "$nvcc" ] && ! driver_runs 13.0; then
        install_older_cuda
    elif [ -z "$nvcc" ]; then
        install_python cuda "$GPUFX_ROOT/setup/cuda.txt"
        nvcc=$venv/cuda/bin/nvcc
    else
        install_sanitizer
    fi
    command -v cuobjdump >/dev/null || install_python disassembler "$GPUFX_ROOT/setup/disassembler.txt"
    [ ! -d "$(echo "$venv"/lib/python3*/site-packages/nvidia/cu13)" ] || link_wheels
}

# setting NAME: what the last configuration said of it.
setting() {
    sed -n "s/^$1: //p" "$build/settings" 2>/dev/null
}

# Prints the architectures that the GPUs here want. A GPU newer than the compiler gets the newest code the compiler
# knows, and the driver compiles the PTX beside it; an older one gets nothing here and is refused by name when it is
# asked to measure.
code_for_gpus() {
    known=$("$nvcc" --list-gpu-code | sed -n 's/^sm_\([0-9]*\)$/\1/p' | sort -n)
    for capability in $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
        sed -n 's/^\([0-9]*\)\.\([0-9]\)$/\1\2/p' | sort -un); do
        best=
        for architecture in $known; do
            [ "$architecture" -le "$capability" ] && best=$architecture
        done
        if [ -z "$best" ]; then
            say "a GPU here is sm_$capability, older than anything this nvcc compiles for: it cannot be measured"
            continue
        fi
        [ "$best" = "$capability" ] || say "this nvcc does not know sm_$capability; compiling for sm_$best"
        echo "$best"
    done
}

# Sets $architectures. What the build at hand has stays in it: machines that share a checkout don't build in turns.
choose_architectures() {
    architectures=
    [ "$cuda" = ON ] || return 0
    if [ -n "${GPUFX_ARCHITECTURES:-}" ]; then
        architectures=$(printf %s "$GPUFX_ARCHITECTURES" | sed 's/sm_//g' | tr -s ', ' ';')
        known=$("$nvcc" --list-gpu-code | sed -n 's/^sm_\([0-9a-z]*\)$/\1/p' | tr '\n' ' ')
        for architecture in $(printf %s "$architectures" | tr ';' ' '); do
            case " $known all all-major native " in
            *" ${architecture%%-*} "*) ;;
            *) die "GPUFX_ARCHITECTURES: $architecture is no architecture that $nvcc compiles for: ${known% }" ;;
            esac
        done
        return
    fi
    here=$(code_for_gpus)
    built=
    if grep -qx GPUFX_ARCHITECTURES= "$build/settings" 2>/dev/null && [ "$(setting nvcc)" = "$nvcc" ]; then
        built=$(setting 'code for' | tr ';' '\n')
    fi
    architectures=$(printf '%s\n%s\n' "$here" "$built" | grep . | sort -nu | tr '\n' ';')
    architectures=${architectures%;}
    architectures=${architectures:-90}
}

# Remembers the GPUs here as known if the build has code for them; else it is stale.
remember_gpus() {
    [ "$cuda" = ON ] || return 0
    nvcc=$(setting nvcc)
    for architecture in $(code_for_gpus); do
        case ";$(setting 'code for');" in
        *";$architecture;"*) ;;
        *) return 1 ;;
        esac
    done
    { { gpus && cat "$build/gpus"; } | sort -u >"$build/gpus.new" && mv "$build/gpus.new" "$build/gpus"; } 2>/dev/null || :
}

# Configures afresh only when the answer differs from that of the last time; ninja notices edited CMake files itself.
configure() {
    settings="$wanted
nvcc: $nvcc
code for: $architectures
besides: $extra${headers:+ $headers}"
    [ -f "$build/build.ninja" ] && [ "$(cat "$build/settings" 2>/dev/null)" = "$settings" ] && return
    # The files of a checkout that was moved or copied name the old place.
    if [ -f "$build/settings" ] && [ "$(head -n 1 "$build/settings")" != "root: $GPUFX_ROOT" ]; then
        say "this checkout was moved or copied: building it afresh"
        rm -rf "$GPUFX_ROOT/build-asan" "$GPUFX_ROOT/build-fuzz"
        find "$build" -mindepth 1 -maxdepth 1 ! -name .lock ! -name setup.log -exec rm -rf {} +
    fi
    rm -f "$build/settings"
    for name in CC CXX CUDACXX; do
        eval "[ -z \"\${$name:-}\" ] || export $name"
    done
    configured="$cuda${architectures:+ for sm_$(printf %s "$architectures" | sed 's/;/, sm_/g') with $nvcc}"
    # shellcheck disable=SC2086 # options or none
    step "configuring the build, CUDA $configured" \
        cmake -S "$GPUFX_ROOT" --preset dev --fresh -DGPUFX_CUDA="$cuda" \
        ${nvcc:+-DCMAKE_CUDA_COMPILER="$nvcc"} ${architectures:+-DCMAKE_CUDA_ARCHITECTURES="$architectures"} \
        ${headers:+-DGPUFX_SANITIZER_INCLUDE="$headers"} $extra
    printf '%s\n' "$settings" >"$build/settings"
}

# Refuses what breaks nvcc (' and ,), CMake, ninja, or a list of paths: they fail far from the cause.
check_place() {
    bad=$(printf %s "$GPUFX_ROOT" | LC_ALL=C tr -cd '"#$\047,:;<>\\]`|[[:cntrl:]' | head -c 1)
    case $bad in
    '') return ;;
    [[:cntrl:]]) bad="a control character" ;;
    esac
    die "the path of this checkout holds $bad, which compilers or CMake can't take: move it from $GPUFX_ROOT"
}

# prepare: everything but the build.
prepare() {
    check_place
    : >"$log"
    if [ "$cuda" = ON ] && [ "$(uname -s)" != Linux ]; then
        say "there is no CUDA for $(uname -s): building without it"
        cuda=OFF
    fi
    install_packages
    make_venv
    install_python plot "$GPUFX_ROOT/plot/requirements.txt"
    list_fonts
    install_cuda
    python_wanted >"$venv/stamp"
    choose_architectures
    configure
}

# The stamp of a build dates from its start, so that an edit made meanwhile is newer; none stands while a build runs.
# An empty program, left by a full disk, would count as built.
begin_build() {
    rm -f "$build/stamp"
    printf '%s\n' "$wanted" >"$build/stamp.new"
    changed_since build/stamp.new >"$build/future"
    if [ -s "$build/future" ]; then
        say "dated in the future, and rebuilt when that comes: $(head -n 1 "$build/future" | cut -d ' ' -f 2-)" \
            "(of $(grep -c . "$build/future")); 'touch' ends that"
    fi
    [ -s "$program" ] || rm -f "$program"
}

end_build() {
    mv "$build/stamp.new" "$build/stamp"
    remember_gpus
}

build_program() {
    begin_build
    NINJA_STATUS='[%f/%t, %p] ' step "building" cmake --build "$build" --target gpufx
    end_build
}

set_up() {
    if python_is_current && build_is_current && remember_gpus; then
        return
    fi
    lock
    if ! python_is_current || ! build_is_current || ! gpus_are_known; then
        prepare
        build_program
    fi
    unlock
}

setup_help() {
    cat <<'END'
usage: ./gpufx setup

Installs and builds what is missing, and runs nothing: packages of the distribution, by apt-get, as root or by sudo, which
is printed before it runs; Python packages, and CUDA 13 where there is no nvcc of 12.0 or newer that the driver runs, into
.venv, by pip, by the hashes in plot/requirements.txt and setup/*.txt; the program, into build/, for the GPUs here.

Exit status: 0 fine, 2 it could not be set up. Log: build/setup.log. Environment: see the head of ./gpufx.
END
}

setup_verb() {
    case ${2:-} in
    '') ;;
    -h | --help)
        setup_help
        return
        ;;
    *) die "setup has no option or argument '$2': ./gpufx setup --help says what it does" ;;
    esac
    lock
    prepare
    build_program
    unlock
    say "ready: ./gpufx characterize measures this machine"
}
