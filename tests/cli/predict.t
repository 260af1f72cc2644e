What an algorithm should take: the first word is an algorithm, the second an archive.

  $ GPUFX_ROOT=$(references)
  $ run() { gpufx run "$@" --device synthetic:generic --out made >/dev/null 2>&1; }
  $ gpufx predict | grep reduction
  reduction  [0-9]+ cases (re)
  $ gpufx predict null h200
  gpufx predict: no case of 'null' declares demands; choose one of: .*reduction.* (re)
  [2]

An archive of the algorithm alone has nothing to predict it from, and another one has.

  $ run reduction --quick
  $ gpufx predict reduction made
  gpufx predict: run [0-9a-f]{8} has no quantity that gives the cost of a demand; name an archive of a full run with --archive (re)
  [2]
  $ gpufx predict reduction made --archive h200 >told; sed -n 1p told
  reduction on Synthetic generic GPU (sm_90), driver synthetic,
  $ grep -c 'SYNTHETIC: numbers come from a parameter file' told
  1
  $ sed 's,µ,u,g' told | awk 'length > 80'
  $ grep -o 'variant  .*measured  ratio  bound by' told | tr -s ' '
  variant predicted measured ratio bound by
  $ gpufx predict reduction made --archive h200 --format csv | head -n 1
  case,part,predicted_ns,measured_ns,ratio,bound
  $ gpufx predict reduction made --archive h200 --filter none
  gpufx predict: no case of 'reduction' is left; check --filter
  [2]

Cases that an archive does not have are predicted only.

  $ zcat "$GPUFX_ROOT/results/$(sed -n 's/.*"h200": "\(.*\)".*/\1/p' "$GPUFX_ROOT/results/reference.json")" | sed -e '/"name":"reduction\//d' -e '$d' >without.jsonl
  $ gpufx predict reduction without.jsonl --filter 'cub/size:65536/' | grep 'case: '
  1 case: prediction only: the archive has no measured case

CUB's sums take two launches, the second of one block; its demands are those of its policy.

  $ gpufx predict reduction without.jsonl --filter 'cub/size:16777216/.*dram' --format json >one
  $ python3 -c "import json; d = json.load(open('one'))['answer']['sections'][0]['cases'][0]['demands']; print(d['launches'], d['blocks'], d['barriers'])"
  2.0 9.0 2.0
