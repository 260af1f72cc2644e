# Stage cuda12 of ./gpufx test: all that needs CUDA is compiled by an nvcc 12.x, for a chip that CUDA 13 has dropped too.
#
# Read by test.sh, whose functions it uses. Where the machine has none, Debian 13's package has one, of which only the
# compiler is unpacked, into .venv/cuda12, on any Debian; headers, libdevice and ptxas of the same release are those of
# the wheels of cuda12.txt. apt checks the one by its signature and pip the others by their hash. What can't be had is
# left out, not failed.
# shellcheck shell=sh disable=SC2154 # the names come from ./gpufx, setup.sh and test.sh

nvcc12_suite=trixie
nvcc12_version=12.4.131

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
    [ -z "${GPUFX_CUDA12:-}" ] || say "GPUFX_CUDA12: there is no nvcc 12.x in $GPUFX_CUDA12/bin"
}

# Downloads the package from the mirror that this machine uses, by lists and settings of apt's own in $1: nothing of the
# machine's changes, and no right to install is needed.
download_nvcc12() {
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    mirror=$(apt-get update --print-uris | sed -n "s|^'\(.*\)/dists/$codename/InRelease'.*|\1|p" | head -n 1)
    if [ -z "$mirror" ]; then
        echo "apt-get names no mirror for '$codename'"
        return 1
    fi
    mkdir -p "$1/lists/partial" "$1/cache/archives/partial" || return
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $nvcc12_suite non-free" >"$1/sources.list"
    cat >"$1/apt.conf" <<END
Dir::Etc::sourcelist "$1/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$1/lists";
Dir::State::status "/dev/null";
Dir::Cache "$1/cache";
APT::Sandbox::User "root";
END
    (cd "$1" && APT_CONFIG=$1/apt.conf && export APT_CONFIG && apt-get update &&
        apt-get download "nvidia-cuda-toolkit=$nvcc12_version*")
}

# Lays compiler and headers into $cuda12 as a toolkit does, once per content of the files that say what they are. The
# package's gcc and g++ call the newest that this nvcc takes.
unpack_cuda12() {
    cat "$GPUFX_ROOT/setup/cuda12.txt" "$GPUFX_ROOT/setup/cuda12.sh" | cmp -s - "$cuda12/installed" && return
    rm -rf "$cuda12"
    "$GPUFX_PYTHON" -I -m pip install --disable-pip-version-check --no-input --retries 2 --require-hashes \
        --only-binary :all: --no-deps --target "$cuda12/wheels" -r "$GPUFX_ROOT/setup/cuda12.txt" || return
    for part in "$cuda12"/wheels/nvidia/*/; do
        cp -R "$part." "$cuda12" || return
    done
    download_nvcc12 "$cuda12/apt" && dpkg -x "$cuda12"/apt/*.deb "$cuda12/package" || return
    own=$cuda12/package/usr/lib/nvidia-cuda-toolkit/bin
    mkdir -p "$cuda12/nvvm/bin" && mv "$own/cicc" "$cuda12/nvvm/bin" &&
        mv "$own/nvcc" "$own/gcc" "$own/g++" "$cuda12/package/usr/bin/cudafe++" "$cuda12/package/usr/bin/fatbinary" \
            "$cuda12/bin" || return
    # shellcheck disable=SC2016 # nvcc's own variables
    printf '%s\n' 'TOP = $(_HERE_)/..' 'PATH += $(TOP)/nvvm/bin:$(_HERE_):' 'INCLUDES += "-I$(TOP)/include" $(_SPACE_)' \
        'NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice' >"$cuda12/bin/nvcc.profile"
    chmod +x "$cuda12"/bin/* && rm -rf "$cuda12/wheels" "$cuda12/apt" "$cuda12/package" || return
    # A compiler that has no gcc here that it takes is as good as none.
    echo '__global__ void k() {}' >"$cuda12/trial.cu" &&
        "$cuda12/bin/nvcc" -arch=sm_60 -c "$cuda12/trial.cu" -o "$cuda12/trial.o" &&
        rm "$cuda12/trial.cu" "$cuda12/trial.o" || return
    cat "$GPUFX_ROOT/setup/cuda12.txt" "$GPUFX_ROOT/setup/cuda12.sh" >"$cuda12/installed"
}

stage_cuda12() {
    (cd "$GPUFX_ROOT" && tests/compile/cuda12 "$build/cuda12" "$nvcc12")
}

test_cuda12() {
    if [ "$cuda" = OFF ]; then
        skip cuda12 "built without CUDA"
        return
    fi
    find_nvcc12
    if [ -z "$nvcc12" ]; then
        cuda12=$venv/cuda12
        if ! unpack_cuda12 >"$results/cuda12.log" 2>&1; then
            skip cuda12 "there is no nvcc 12.x here, and Debian's can't be had ($results/cuda12.log); GPUFX_CUDA12 names a toolkit"
            return
        fi
        nvcc12=$cuda12/bin/nvcc
    fi
    stage cuda12 'files compiled' stage_cuda12
}
