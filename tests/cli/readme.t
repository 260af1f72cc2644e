What the pages show is what their commands print, by the archives that belong to the project: what somebody has measured
here since has no part in it.

  $ git -C "$GPUFX_ROOT" rev-parse 2>/dev/null || { echo "this is no checkout: which archives belong to it is not known"; exit 80; }
  $ mkdir root && for entry in "$GPUFX_ROOT"/*; do case ${entry##*/} in results | out) ;; *) ln -s "$entry" root ;; esac; done
  $ (cd "$GPUFX_ROOT" && git ls-files -z results | xargs -0 cp --parents -t "$OLDPWD/root")
  $ cd root && GPUFX_ROOT=$PWD COLUMNS=80 as_shown $(git -C "$GPUFX_ROOT" ls-files '*.md')
  gpufx summary d680b83f: as shown
  gpufx summary e0f1fc15: as shown
  gpufx pattern --space global --expr 'lane*12': as shown
  gpufx pattern --lanes 0,128,256,384,4,132: as shown
  gpufx claims d680b83f: as shown
  gpufx predict reduction d680b83f --filter 'size:268435456/type:int32': as shown
  gpufx accept d680b83f: as shown
