What the pages show is what their commands print, where the reference archives (results/reference.json) are the only ones.

  $ git -C "$GPUFX_ROOT" rev-parse 2>/dev/null || { echo "this is no checkout: which pages belong to it is not known"; exit 80; }
  $ GPUFX_ROOT=$(references) && cd "$GPUFX_ROOT" && COLUMNS=80 as_shown $(git ls-files '*.md' ':!.github')
  gpufx summary 0c03c344: as shown
  gpufx explain results/traces/pairs.fxtrace --kernel transpose --archive h200: as shown
  gpufx pattern --tile 'float[32][32]' --expr 'tile[lane][t]' t=0:31 --archive h200: as shown
  gpufx compare h200 h100: as shown
  gpufx claims h200: as shown
  gpufx predict reduction h200 --filter 'size:268435456/type:int32': as shown
