Comparisons of whole runs, of one process with five, and of processes as many as needed.

  $ run() { gpufx run bank_conflict null --quick --out "$@" >/dev/null 2>&1; }
  $ verdicts() { COLUMNS=120 gpufx compare "$@" >out 2>err; echo "status $?"; grep "^[0-9]* cases: " out; }
  $ altered test 'models[-2] |= {"noise_pct": 0.1, "process_spread_pct": 0.1}
  > models.insert(0, {"probe": "bank_conflict", "match": {"mode": "throughput", "stride": 32}, "a": 3, "b": 2, "noise_pct": 0.1,
  >   "process_spread_pct": 4})' >even.json
  $ altered even.json 'models.insert(0, {"probe": "bank_conflict", "match": {"mode": "latency"}, "a": 4.5, "b": 3,
  >   "noise_pct": 0.1, "process_spread_pct": 0.1})' >slow.json
  $ run five --device synthetic:./even.json --processes 5
  $ run auto --device synthetic:./even.json --processes auto --seed 2
  $ run one --device synthetic:./even.json --seed 3
  $ run slow --device synthetic:./slow.json --seed 4

One process that takes half as long again ends with status 1, against five and against as many as needed; an equal one
does not.

  $ verdicts five one --fail-on slower
  status 0
  70 cases: 4 UNSURE, 66 SAME
  $ verdicts five slow --fail-on 'slower>5%'
  status 1
  70 cases: 24 SLOWER, 4 UNSURE, 42 SAME; shared.wavefront_latency +50.0 %
  $ verdicts five slow --fail-on 'slower>60%'
  status 0
  70 cases: 24 SLOWER, 4 UNSURE, 42 SAME; shared.wavefront_latency +50.0 %
  $ verdicts auto slow --fail-on slower
  status 1
  70 cases: 25 SLOWER, 3 UNSURE, 42 SAME; shared.wavefront_latency +50.1 %
  $ verdicts five auto --fail-on changed,unsure
  status 3
  70 cases: 4 UNSURE, 66 SAME

The condition that is met, or has no answer, is named, with the case that changed most.

  $ sed -E 's/by [0-9a-f]{8}/by ID/; s/for [0-9a-f]{8}/for ID/; s/ UNSURE, .*/ UNSURE, .../' err
  note: --fail-on 'changed': 0 of 8 quantities and 1 of 2 probes judged at 10 %; quick runs don't decide 1 quantity of the
    host and its link; not judged: null, which vary more between runs
  gpufx compare: --fail-on 'unsure' can't be decided for ID: 4 of 70 cases are UNSURE, ...

As annotations: what the gate says, and without one how many cases are slower.

  $ for gate in '' "--fail-on slower>5%" "--fail-on slower>60%" "--fail-on unsure"; do gpufx compare five slow --format github $gate 2>/dev/null | sed -E 's/[0-9a-f]{8}/ID/g' | cut -c1-90; done
  ::warning title=gpufx compare::ID vs ID: 70 cases: 24 SLOWER, 4 UNSURE, 42 SAME
  ::error title=gpufx compare::--fail-on 'slower>5%25' is met by ID: 24 of 70 cases are SLOW
  ::warning title=gpufx compare::--fail-on 'unsure' can't be decided for ID: 4 of 70 cases a

How many processes each case has is said, and so is what differences are held against.

  $ sed -n -E 's/^(base|new) *[0-9a-f]*, /\1 ID, /; s/[0-9]{4}-[0-9]{2}-[0-9]{2}/DATE/p' out
  base ID, Synthetic test GPU, driver synthetic, DATE, 5 processes, SYNTHETIC
  new ID, Synthetic test GPU, driver synthetic, DATE, 2 to 5 processes, SYNTHETIC
  $ grep "^margin" out
  margin 1 %; one model; judged by the variation between processes

An archive says nothing about itself, whatever it is called; nor does a gate pass by it.

  $ gpufx compare five five --fail-on slower
  gpufx: 'five' and 'five' are the same archive, *; name another one, such as the one before, latest~1 (glob)
  [2]
  $ gpufx compare five ./five -q 2>&1 | sed 's/, [^,;]*;/, FILE;/'
  gpufx: 'five' and './five' are the same archive, FILE; name another one, such as the one before, latest~1
  $ gpufx compare "$(echo five/*.gz)" one five -q 2>&1 | sed "s/'five.*' and/'FILE' and/; s/, [^,;]*;/, FILE;/"
  gpufx: 'FILE' and 'five' are the same archive, FILE; name another one, such as the one before, latest~1
  $ gpufx compare five one --fail-on slower>5%; rm 5%
  gpufx: --fail-on 'slower': the shell took the rest as the name of a file, '5%'; quote the condition: --fail-on 'slower>5%'
