Patterns that others asked about: each verdict begins as the log of tests/cli/public_patterns.txt has it.

  $ grep -v '^#' "$TESTDIR/public_patterns.txt" >cases; wc -l <cases
  123
  $ cut -f 3- cases | sed 's/\t/|/' | verdicts --arch sm_90

GitHub shows ten annotations of a step (adrienverge/yamllint/issues/573): the costly ones come first.

  $ printf '__global__ void f(float *a) {\n    a[2 * threadIdx.x] = 0;\n    a[8 * threadIdx.x] = 0;\n}\n' >f.cu
  $ gpufx pattern --file f.cu --block 32 --format github | cut -d , -f 2
  line=3
  line=2
