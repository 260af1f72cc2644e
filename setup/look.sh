# What ./gpufx does where something is missing or stale: verbs that only look install nothing.
#
# Read by ./gpufx after setup.sh, whose functions it uses.
# shellcheck shell=sh disable=SC2154 # the names come from ./gpufx and setup.sh

# The verbs in their groups, as `gpufx help` lists them, from docs/verbs.md: where there is no program yet, nothing else
# has them. A test compares the two.
verbs() {
    # shellcheck disable=SC2016 # Markdown's quotes
    sed -n -e 's/^| \*\*\(.*\)\*\* | | |$/  \1:/p; s/^| `\([a-z ]*\)` | \([^|]*\) |.*$/\1|\2/p' \
        "$GPUFX_ROOT/docs/verbs.md" | while IFS='|' read -r verb text; do
        [ -n "$text" ] && printf '    %-14s %s\n' "$verb" "$text" || printf '%s\n' "$verb"
    done
}

# Is this a call for help, which an older program answers as well?
asks_for_help() {
    case ${1:-help} in
    help | -h | --help | --version) return 0 ;;
    esac
    for word; do
        case $word in
        -h | --help) return 0 ;;
        --) return 1 ;;
        esac
    done
    return 1
}

# Is this a call that only looks, for which nothing is installed or built?
looks() {
    asks_for_help "$@" || [ "$1" = list ] || [ "$1" = info ]
}

# What set-up would install here.
say_missing() {
    packages=$(missing_packages | tr '\n' ' ')
    [ -z "$packages" ] || say "with apt-get, as root: ${packages% }"
    [ -x "$GPUFX_PYTHON" ] || say "with pip, into .venv: $(grep -c == "$GPUFX_ROOT/plot/requirements.txt") Python packages"
    [ "$cuda" = OFF ] || { find_nvcc && [ -n "$nvcc" ]; } ||
        if driver_runs 13.0; then
            say "with pip, into .venv: the CUDA 13 compiler"
        else
            say "with apt-get, as root, if the distribution has it: a CUDA 12 compiler, for this driver"
        fi
    say "with CMake, into build: the program"
}

# set_up_for WORD...: what ./gpufx does with these words where something is missing or stale. It returns if there is a
# program to run them.
set_up_for() {
    if ! looks "$@"; then
        verbs | sed -n 's/^    \([a-z]*\) .*/\1/p' | grep -qxF -e "$1" ||
            die "unknown verb '$(printf %s "$1" | LC_ALL=C tr -c '[:alnum:]_-' '?')'; ./gpufx help lists them"
        set_up
    elif [ -s "$program" ]; then
        asks_for_help "$@" || { python_is_current && build_is_current; } ||
            say "the build or the Python packages are out of date: ./gpufx setup updates them"
    else
        say "not built yet: ./gpufx setup, or any verb that measures or reads archives, installs and builds what is" \
            "missing. On this machine:"
        say_missing
        case ${1:-help} in
        -h | --help) ;;
        help) [ $# -le 1 ] || exit 77 ;;
        *) exit 77 ;;
        esac
        printf 'gpufx measures what GPU hardware effects cost. Usage: ./gpufx VERB [ARGUMENT...]\n\nVerbs:\n'
        verbs
        exit 0
    fi
}
