# What is said and done by a call of ./gpufx where something is missing or stale: verbs that only look install nothing.
#
# Read by ./gpufx after setup.sh, whose functions it uses.
# shellcheck shell=sh disable=SC2154 # the names come from ./gpufx and setup.sh

# The verbs, and what they do, by the tables of docs/verbs.md: where there is no program yet, nothing else says so.
verbs() {
    # shellcheck disable=SC2016 # Markdown's quotes
    sed -n 's/^| `\([a-z]\{1,\}\)[^`]*` | \(.*\) |$/\1 \2/p' "$GPUFX_ROOT/docs/verbs.md" | sed 's/\[\([^]]*\)\]([^)]*)/\1/g'
}

# Is this a call that only looks, for which nothing is installed or built?
looks() {
    case ${1:-help} in
    help | list | info | -h | --help | --version) return 0 ;;
    esac
    for word; do
        case $word in
        -h | --help) return 0 ;;
        --) return 1 ;;
        esac
    done
    return 1
}

# What set-up would install here.
say_missing() {
    packages=$(missing_packages | tr '\n' ' ')
    [ -z "$packages" ] || say "by apt-get, as root: ${packages% }"
    [ -x "$GPUFX_PYTHON" ] || say "by pip, into .venv: $(grep -c == "$GPUFX_ROOT/plot/requirements.txt") Python packages"
    [ "$cuda" = OFF ] || { find_nvcc && [ -n "$nvcc" ]; } ||
        if driver_runs 13.0; then
            say "by pip, into .venv: the CUDA 13 compiler"
        else
            say "by apt-get, as root, where the distribution has it: a CUDA 12 compiler, for the driver here"
        fi
    say "by CMake, into build: the program"
}

# set_up_for WORD...: what ./gpufx does with these words where something is missing or stale. It returns if there is a
# program to run them.
set_up_for() {
    if ! looks "$@"; then
        verbs | cut -d ' ' -f 1 | grep -qxF -e "$1" ||
            die "there is no verb '$(printf %s "$1" | LC_ALL=C tr -c '[:alnum:]_-' '?')': ./gpufx help lists them"
        set_up
    elif [ -s "$program" ]; then
        { python_is_current && build_is_current; } ||
            say "the checkout is newer than what is installed and built of it: ./gpufx setup brings that up to date"
    else
        say "not built yet: ./gpufx setup installs and builds what is missing, and so does any verb that measures or" \
            "reads archives. Here that is"
        say_missing
        case ${1:-help} in
        -h | --help) ;;
        help) [ $# -le 1 ] || exit 77 ;;
        *) exit 77 ;;
        esac
        printf 'gpufx measures what the hardware effects of a GPU cost. Usage: ./gpufx VERB [ARGUMENT...]\n\nVerbs:\n'
        verbs | while read -r verb text; do printf '  %-14s %s\n' "$verb" "$text"; done
        exit 0
    fi
}
