Languages: what the program writes and prints does not depend on them.

  $ device=synthetic:$GPUFX_ROOT/tests/abuse/device.json
  $ gpufx run bank_conflict --quick --device $device --out plain >/dev/null

A locale that does not exist is nothing to speak about.

  $ LC_ALL=xx_XX LANG=xx_XX LANGUAGE=xx gpufx run bank_conflict --quick --device $device --out none >/dev/null
  $ archive none/*
  synthetic case=69 waived=0 failed=0 fit=6 processes=1 complete
  $ LC_ALL=xx_XX gpufx compare plain none --format csv | grep -c bank_conflict
  69

A decimal comma: the archive and all that is printed keep the point. The locale is made here; without the means for it
the rest is skipped.

  $ mkdir locales; localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >/dev/null 2>&1 || exit 80
  $ export LOCPATH=$PWD/locales
  $ LC_ALL=de_DE.UTF-8 "$GPUFX_PYTHON" -c 'import locale; locale.setlocale(locale.LC_ALL, ""); print(f"{1.5:n}")'
  1,5
  $ LC_ALL=de_DE.UTF-8 gpufx run bank_conflict --quick --device $device --out comma | sed 's/[0-9][0-9]*/0/g'
  bank_conflict: 0 measured in 0.0 s; 0 fits
  0 measured, 0 waived, 0 failed in 0.0 s
  archive: * (glob)
  $ archive comma/*
  synthetic case=69 waived=0 failed=0 fit=6 processes=1 complete
  $ samples() { sed -n 's/.*"samples":\(.*\)}/\1/p' $1/*; }
  $ samples comma >a; samples plain >b; cmp a b
  $ LC_ALL=de_DE.UTF-8 gpufx run null --device $device --max-time 0.5 --precision 0,5 --out comma
  gpufx: --precision 0,5: not a decimal number
  [2]
  $ gpufx compare plain comma >a; LC_ALL=de_DE.UTF-8 gpufx compare plain comma >b; cmp a b
  $ gpufx plot plain -o a.svg --format svg >/dev/null; LC_ALL=de_DE.UTF-8 gpufx plot plain -o b.svg --format svg >/dev/null
  $ diff -r a.svg b.svg
