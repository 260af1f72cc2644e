Patterns that others asked about: each verdict begins as the log of tests/cli/public_patterns.txt has it.

  $ grep -v '^#' "$TESTDIR/public_patterns.txt" >cases; wc -l <cases
  68
  $ while IFS='	' read -r source known wanted arguments; do
  >   eval "COLUMNS=400 gpufx pattern -q --arch sm_90 $arguments" >answer 2>&1 </dev/null
  >   echo "$wanted" | sed 's/; /\n/g' >verdicts
  >   head -n "$(wc -l <verdicts)" answer | paste -d '\n' verdicts - | while read -r verdict && read -r line; do
  >     case $line in "$verdict"*) ;; *) echo "$source: $line";; esac
  >   done
  > done <cases
