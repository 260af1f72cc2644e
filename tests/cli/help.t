Help: every verb has its usage, each of its options once, and its exit statuses, within 80 columns, whichever way it is
asked for.

  $ verbs=$(gpufx help | sed -n '/^Verbs:/,/^.gpufx VERB/s/^    *\([a-z]* \?[a-z]*\)   *[a-z].*/\1/p' | sed 's/ *$//' | tr ' ' _)
  $ test $(echo $verbs | wc -w) -gt 20
  $ for verb in $verbs; do
  >   words=$(echo $verb | tr _ ' ')
  >   gpufx help $words >one || echo "$words: status"
  >   case $verb in setup|test) ;; *) gpufx $words --help >two; gpufx $words -h >three; cmp one two; cmp one three ;; esac
  >   head -n 1 one | grep -q "^Usage: .*gpufx $words" || echo "$words: usage"
  >   grep -q '^Exit status: ' one || echo "$words: exit status"
  >   test $(wc -L <one) -le 80 || echo "$words: too wide"
  >   grep -oE '^  (-[a-z], )?--[a-z][a-z-]*' one | sort | uniq -d
  > done
  $ gpufx help >two; gpufx --help | cmp - two; grep -c '^  77  ' two
  1

Ranges, units and defaults are printed from what the parser reads.

  $ gpufx accept --help | grep -A 1 -- '^  --minutes'
    --minutes MIN        time limit, including reading the base [0.1 to 600
                         minutes; default 2]
  $ gpufx --version
  gpufx 0.1.0

Wrong use.

  $ gpufx
  gpufx: a verb is missing; `gpufx help` lists them, `gpufx characterize` measures this machine
  [2]

A family of verbs.

  $ gpufx archive --help | grep -o '^Usage: gpufx archive [a-z]*'
  Usage: gpufx archive list
  $ gpufx archive
  gpufx: 'archive' takes a second word; `gpufx archive --help` describes them
  [2]
