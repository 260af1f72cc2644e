Patterns that others asked about: each verdict begins as the log of tests/cli/public_patterns.txt has it.

  $ grep -v '^#' "$TESTDIR/public_patterns.txt" >cases; wc -l <cases
  68
  $ cut -f 3- cases | sed 's/\t/|/' | verdicts --arch sm_90
