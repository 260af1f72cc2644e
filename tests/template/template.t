The template of an effect works as it is: listed, measured and fitted.

  $ gpufx_template list effect_template | tail -n 1
    66 cases
  $ gpufx_template run effect_template --device synthetic:generic --out out
  effect_template: 66 measured* in *.* s; 2 fits (glob)
  66 measured, 0 waived, 0 failed in *.* s (glob)
  archive: */out/*.jsonl.gz (glob)
