Every page of help.

  $ gpufx help
  gpufx measures what GPU hardware effects cost: bank conflicts, uncoalesced
  access, divergent branches, atomics, latencies, transfers and more (`gpufx
  list`). It compares the measured cost with the cost that the rules of the
  hardware predict, archives every sample, compares archives and plots them.
  
  Usage: gpufx VERB [ARGUMENT...]
  
  Verbs:
    Measure:
      characterize   measure this machine, compare it with the nearest archive,
                     plot it
      run            run probes and archive the samples
      list           list probes, their axes and cases
      info           describe the device, the driver and this build
    Look:
      ask            search quantities, claims, effects and pages for words
      summary        describe a chip on one screen
      sheet          print the data sheet: every quantity with its interval
      claims         test the rules of tuning guides on the measured chip
      predict        predict the time of an algorithm part by part, and compare it
                     with the measured time
      plot           draw one figure per probe, titled with its finding
      report         write one page with everything, to send to a colleague
      export         convert an archive to CSV, JSON or Parquet
    Compare:
      compare        show what changed between archives, case by case
    Many cards:
      fleet run      run probes on many GPUs, one rank per GPU
      fleet status   show the outcome of a fleet run, rank by rank
      fleet report   find sick cards, and groups of cards that differ
    Your program:
      pattern        predict, draw and measure one access pattern, and look for a
                     cure
      explain        show where the time of a CUDA program's kernels goes, line by
                     line
    Check:
      accept         check whether this card performs like others of its model
      selfcheck      compare this machine with itself: would `compare` raise false
                     alarms?
      validate       check the instrument: random patterns, machine code, hardware
                     counters
    Maintain:
      archive list   list the archives of the project, or of folders
      archive show   describe an archive: device, driver, settings, number of
                     cases
      archive verify check that archives are intact
      setup          install and build what is missing
      test           run the project's tests
      help           list the verbs, or describe one
  
  `gpufx VERB --help` prints the options, examples and exit statuses of a verb.
  docs/glossary.md explains the terms.
  
  Exit status:
    0    success
    1    the answer is no: a case or a check failed, or a comparison met --fail-on
    2    usage error, bad input, or a file that can't be written
    3    undecided, where a decision was required
    77   nothing could run: no such device, every case waived, or not built yet
    130  interrupted by Ctrl-C (143: SIGTERM, 129: SIGHUP)
  
  Environment of the script ./gpufx, which sets up, builds and then runs this
  program; a build keeps its values until others are given, and an empty value
  restores the default:
    GPUFX_CUDA=OFF       build without CUDA; synthetic devices, archives, compare
                         and plot still work
    GPUFX_ARCHITECTURES  GPU architectures to compile for, such as "90" or
                         "80;90"; default: those of the GPUs that nvidia-smi
                         reports, else 90
    CUDACXX              the nvcc to use, 12.0 or newer; default: the one on PATH,
                         else /usr/local/cuda/bin/nvcc, else CUDA from NVIDIA's
                         Python wheels in .venv
    CC, CXX              the C and C++ compilers; default: the system's
  Environment of this program when it is started without the script:
    COLUMNS              maximum width of text, at least 80; default: the
                         terminal, 80 in a pipe
    GPUFX_ROOT           the folder of the project; default: found from the
                         location of the program
    GPUFX_HOME           folder of archives and charts; default: the folder of the
                         project, or for an installed program
                         $XDG_DATA_HOME/gpufx, else ~/.local/share/gpufx
    GPUFX_PYTHON         a Python with the packages of plot/; default:
                         .venv/bin/python, else python3
    XDG_CACHE_HOME       results computed from archives are cached in its folder
                         gpufx; default: ~/.cache
  $ gpufx --help | head -n 1
  gpufx measures what GPU hardware effects cost: bank conflicts, uncoalesced
  $ gpufx run --help
  Usage: gpufx run [PROBE...] [OPTION...]
  
  Runs the named probes, or all of them. Every case is a Google Benchmark
  benchmark with its own name; its samples are appended to one new archive as they
  are taken. Ctrl-C finishes the current sample and leaves a valid archive of what
  was measured; a second Ctrl-C stops at once.
  
  Options:
    --axis NAME=VALUES   values of an axis: 4 or 1,2,4 or 0:64 or 0:64:8 or
                         1:64:*2 or load,store or all; repeatable; applies to the
                         selected probes that have the axis, PROBE.NAME=VALUES to
                         one
    --quick              a first look: fewer cases, fewer samples
    --filter REGEX       only cases whose name matches this extended regular
                         expression; with a leading '-', only those that don't
                         match
    --processes K        repeat the run in K fresh processes into one archive,
                         each in its own order; auto: two for every case, up to
                         five for cases whose mean is not yet known within 0.5 %
                         [1 to 1000 processes, or auto; default like auto, up to
                         3, on a GPU; 1 with --quick, --no-archive or a synthetic
                         device]
    --device DEVICE      a CUDA index, a UUID, or synthetic:NAME; several
                         separated by commas, or all, each in its own process, one
                         after the other; default: the first CUDA device, else
                         synthetic:generic
    --together           measure several devices at once, while they share host
                         memory, links and power; each process sees one device
    --out DIR            folder of the archive; default: results/ARCH/DEVICE, or
                         out/ARCH/DEVICE for a synthetic device
    --seed N             seed for the order of the cases, test data and synthetic
                         noise [0 to 9007199254740992; default random, and
                         recorded in the archive; 1 on a synthetic device]
    --max-time S         time limit per case [0.001 to 3600 seconds per case;
                         default 0.05; 0.5 with one process, 0.1 with --quick]
    --precision PCT      stop sampling once the 95 % CI half-width of the median
                         is below PCT [0.001 to 100 % of the median; default 0.5]
    --samples N          take exactly N samples per case, including the first,
                         however long that takes [1 to 1000000; default as many as
                         --precision needs]
    --profiled           for Nsight Compute: 16x longer loops; the archive is
                         marked as profiled, and compare and plot refuse it
    --one-sm             time single-SM cases on the SM that the driver picks;
                         default: on SMs of up to 16 groups in turn, because their
                         distance to the L2 differs
    --label KEY=VALUE    your own label in the archive, such as node=a7;
                         repeatable
    --no-archive         measure and print only; write no archive
    --json               print JSON, in the envelope of
                         results/schema/envelope-1.schema.json
    -q, --quiet          print errors only: no notes, no progress
    -v, --verbose        print which archives are read, which cases are measured,
                         and the time taken
    -h, --help           print this help
    --benchmark_*        any Google Benchmark flag, such as
                         --benchmark_format=json or --benchmark_list_tests
  
  Examples:
    gpufx run bank_conflict --axis stride=1,2,4:32:4    one probe, these strides
    gpufx run --filter 'op:load/width:4' --processes 5  these cases, in five
        processes
    gpufx run null --no-archive                         the overhead of the
        harness per case
    gpufx run constant --device synthetic:generic       without a GPU, on made-up
        numbers
    gpufx run transfer --device all --together          all GPUs of the host at
        once, one archive each
  
  Exit status: 0 every case was measured or waived, 1 a case or a process failed,
  2 usage error, bad input or a file that can't be written, 77 nothing could run,
  130 interrupted by Ctrl-C (143: SIGTERM, 129: SIGHUP)
  $ gpufx run -h >one; gpufx help run >two; cmp one two
  $ gpufx characterize --help
  Usage: gpufx characterize [PROBE...] [OPTION...]
  
  Prints the device (with -v all that is known of it), runs the probes, archives
  every sample, compares the result with the nearest archive under results/ (same
  device, else same architecture, else the latest) and plots both. Ends with the
  screen of `summary`. Without a GPU it runs on the synthetic device 'generic',
  whose numbers are made up. With several devices each gets its own archive and
  screen, and a final table puts them side by side.
  
  Options:
    --axis NAME=VALUES   values of an axis: 4 or 1,2,4 or 0:64 or 0:64:8 or
                         1:64:*2 or load,store or all; repeatable; applies to the
                         selected probes that have the axis, PROBE.NAME=VALUES to
                         one
    --quick              a first look: fewer cases, fewer samples
    --filter REGEX       only cases whose name matches this extended regular
                         expression; with a leading '-', only those that don't
                         match
    --processes K        repeat the run in K fresh processes into one archive,
                         each in its own order; auto: two for every case, up to
                         five for cases whose mean is not yet known within 0.5 %
                         [1 to 1000 processes, or auto; default like auto, up to
                         3, on a GPU; 1 with --quick, --no-archive or a synthetic
                         device]
    --device DEVICE      a CUDA index, a UUID, or synthetic:NAME; several
                         separated by commas, or all, each in its own process, one
                         after the other; default: the first CUDA device, else
                         synthetic:generic
    --together           measure several devices at once, while they share host
                         memory, links and power; each process sees one device
    --out DIR            folder of the archive; default: results/ARCH/DEVICE, or
                         out/ARCH/DEVICE for a synthetic device
    --seed N             seed for the order of the cases, test data and synthetic
                         noise [0 to 9007199254740992; default random, and
                         recorded in the archive; 1 on a synthetic device]
    --max-time S         time limit per case [0.001 to 3600 seconds per case;
                         default 0.05; 0.5 with one process, 0.1 with --quick]
    --precision PCT      stop sampling once the 95 % CI half-width of the median
                         is below PCT [0.001 to 100 % of the median; default 0.5]
    --samples N          take exactly N samples per case, including the first,
                         however long that takes [1 to 1000000; default as many as
                         --precision needs]
    --one-sm             time single-SM cases on the SM that the driver picks;
                         default: on SMs of up to 16 groups in turn, because their
                         distance to the L2 differs
    --label KEY=VALUE    your own label in the archive, such as node=a7;
                         repeatable
    --json               print JSON, in the envelope of
                         results/schema/envelope-1.schema.json
    -q, --quiet          print errors only: no notes, no progress
    -v, --verbose        print which archives are read, which cases are measured,
                         and the time taken
    -h, --help           print this help
    --benchmark_*        any Google Benchmark flag, such as
                         --benchmark_format=json or --benchmark_list_tests
  
  Examples:
    gpufx characterize --quick               a first look, in seconds
    gpufx characterize --processes 1         one process: fast, too little for a
        comparison
    gpufx characterize --processes 5         five: finds smaller changes than the
        usual two or three
    gpufx characterize transfer --device 1   one probe, on the second GPU
    gpufx characterize --device all --quick  every GPU of the host, one after the
        other
  
  Exit status: 0 every case was measured or waived, 1 a case or a process failed,
  2 usage error, bad input or a file that can't be written, 77 nothing could run,
  130 interrupted by Ctrl-C (143: SIGTERM, 129: SIGHUP)
  $ gpufx list --help
  Usage: gpufx list [PROBE...] [OPTION...]
  
  Prints the question and the number of cases of every probe. For named probes, or
  with another option, also prints axes, sweeps and metrics.
  
  Options:
    --axis NAME=VALUES   values of an axis: 4 or 1,2,4 or 0:64 or 0:64:8 or
                         1:64:*2 or load,store or all; repeatable; applies to the
                         selected probes that have the axis, PROBE.NAME=VALUES to
                         one
    --quick              a first look: fewer cases, fewer samples
    --filter REGEX       only cases whose name matches this extended regular
                         expression; with a leading '-', only those that don't
                         match
    --device DEVICE      waive what this device can't run: a CUDA index, a UUID,
                         or synthetic:NAME; default: synthetic:generic
    --cases              list every case by name
    --claims             list what tuning guides claim, and the cases that decide
                         it, instead of axes and sweeps
    -o, --output FILE    output file; default: standard output
    --json               print JSON, in the envelope of
                         results/schema/envelope-1.schema.json
    -q, --quiet          print errors only: no notes, no progress
    -v, --verbose        print which archives are read, which cases are measured,
                         and the time taken
    -h, --help           print this help
  
  Examples:
    gpufx list                                       every probe
    gpufx list bank_conflict                         one of them, with its axes
    gpufx list coalescing --cases --filter level:l2  the names of some cases
    gpufx list --json --cases                        with lane offsets and the
        count of the law for every case
    gpufx list --claims                              what tuning guides claim, and
        the cases that decide it
  
  Exit status: 0 success, 2 usage error or an empty selection, 77 no such device
  $ gpufx info --help
  Usage: gpufx info [OPTION...]
  
  Prints the facts that an archive would record. Without a GPU it prints why there
  is none, and describes the synthetic device 'generic' instead. A GPU that is
  present but unusable, because its driver is broken or not loaded, is an error.
  
  Options:
    --device DEVICE      a CUDA index, a UUID, or synthetic:NAME; default: the
                         first CUDA device, else synthetic:generic
    -o, --output FILE    output file; default: standard output
    --json               print JSON, in the envelope of
                         results/schema/envelope-1.schema.json
    -q, --quiet          print errors only: no notes, no progress
    -v, --verbose        print which archives are read, which cases are measured,
                         and the time taken
    -h, --help           print this help
  
  Examples:
    gpufx info                             this machine
    gpufx info --device 1 --json           the second GPU, as JSON
    gpufx info --device synthetic:planted  a synthetic device
  
  Exit status: 0 success, 2 usage error, 77 no such device, or a GPU that is
  present but unusable
  $ gpufx help test
  Usage: gpufx test
  
  The script ./gpufx at the root of the project runs the tests: it sets up what
  they need, builds, and calls ctest and pytest. In a build folder of your own,
  `ctest` runs all but the Python tests.
  
  Options:
    -q, --quiet          print errors only: no notes, no progress
    -v, --verbose        print which archives are read, which cases are measured,
                         and the time taken
    -h, --help           print this help
  
  Examples:
    ./gpufx test          everything; needs no GPU
    ./gpufx test --quick  without the sanitizers, the compilation for all
                          architectures, the check of its machine code, and tests
                          that take seconds
  
  Exit status: 0 all passed, 1 a stage failed, 2 setup failed
  $ gpufx help help
  Usage: gpufx help [VERB...] [OPTION...]
  
  Lists all verbs, or describes each named one.
  
  Options:
    --completion SHELL   print the completion script for this shell [bash, zsh]
    -q, --quiet          print errors only: no notes, no progress
    -v, --verbose        print which archives are read, which cases are measured,
                         and the time taken
    -h, --help           print this help
  
  Examples:
    gpufx help                    all verbs, exit statuses, environment
    gpufx help run                same as gpufx run --help
    gpufx help --completion bash  for `source <(...)`
  
  Exit status: 0 success, 2 no such verb
  $ gpufx help compare plot
  Usage: gpufx compare BASE ARCHIVE... [OPTION...]
  
  Compares each further archive with the first, the base: each case is SAME,
  SLOWER, FASTER, or UNSURE for lack of evidence. One screen shows what changed,
  worst first: a factor that all times share, factors that many cases share,
  quantities, probes and cases. SLOWER and FASTER hold for the comparison as a
  whole: 99 of 100 comparisons of equal archives report none. Two runs of one card
  are judged by the variation between processes, two cards of one model by the
  variation between cards; for two models it shows plain differences.
  docs/gates.md has recipes for CI. ARCHIVE is a file, a folder (its newest
  archive), 'latest' (a synthetic archive only if nothing was measured), part of a
  device name such as 'h200', 'sm_90', or the id of a run; NAME~1 is the one
  before of the same card, NAME~~1 of any card.
  
  Options:
    --margin PCT         ignore differences up to PCT [0 to 50 %; default 1]
    --level LEVEL        variation that differences are judged by: between
                         processes of one run, or between boards (cards of one
                         model); default: process for one card, board for two
                         cards of a model [process, board]
    --fail-on CONDITIONS exit 1 if one of these is met; quote them, since a shell
                         takes > for a redirection; separated by commas: slower,
                         faster, missing, new, incomparable, changed, incomplete;
                         slower>5% (by more than 5 %), share:slower>1% (more than
                         1 % of the cases), 'dram.read_rate<-3%' (a quantity);
                         exit 3 if the evidence can't decide, and for unsure or
                         unsure>10%
    --all                print every case, with interval and reason; json and csv
                         always do
    --strict             with --fail-on: slower and faster ask of every case, not
                         of quantities and kinds of cases
    --probe PROBE        only this probe
    --filter REGEX       only cases whose name matches this Python regular
                         expression
    --format FORMAT      output format [text, markdown, json, csv; default text]
    -o, --output FILE    output file; default: standard output
    --json               print JSON, in the envelope of
                         results/schema/envelope-1.schema.json
    -q, --quiet          print errors only: no notes, no progress
    -v, --verbose        print which archives are read, which cases are measured,
                         and the time taken
    -h, --help           print this help
  
  Examples:
    gpufx compare latest~1 latest                              the last two runs
    gpufx compare h200 latest --all --format markdown
    gpufx compare old.jsonl new.jsonl --fail-on
        'slower>5%,dram.read_rate<-3%,missing'
    gpufx compare h200 latest --level process                  two cards, judged
        by the variation between processes
  
  Exit status: 0 success, 1 --fail-on is met, 2 usage error or an unreadable
  archive, 3 --fail-on unsure is met, or there is too little evidence to pass
  Usage: gpufx plot ARCHIVE... [-o DIR] [OPTION...]
  
  Draws one figure per probe, with all archives in the same panels. The title is
  the finding. Without --probe it also draws hierarchy.svg, the memory hierarchy
  to scale. ARCHIVE is a file, a folder (its newest archive), 'latest' (a
  synthetic archive only if nothing was measured), part of a device name such as
  'h200', 'sm_90', or the id of a run; NAME~1 is the one before of the same card,
  NAME~~1 of any card.
  
  Options:
    -o, --output DIR     folder of the figures; default: out/charts/ARCHIVE
    --probe PROBE        only this probe
    --format FORMAT      format of the figures; both: png and svg [png, svg, pdf,
                         both; default both]
    --supplement         draw the supplementary panels of each probe instead of
                         those that show its finding
    --panel LETTER       only this panel of --probe, which may be supplementary
    --axis AXIS          plot the cost over this axis of --probe, sweep by sweep,
                         instead of the probe's own figure
    --width WIDTH        width of the figures: a page on a screen, one or two
                         columns in print, or a slide [page, 89mm, 183mm, slide;
                         default page]
    --no-title           leave the title and the question out, for a paper that
                         has a caption
    --data               also write the numbers of each figure as CSV
    --json               print JSON, in the envelope of
                         results/schema/envelope-1.schema.json
    -q, --quiet          print errors only: no notes, no progress
    -v, --verbose        print which archives are read, which cases are measured,
                         and the time taken
    -h, --help           print this help
  
  Examples:
    gpufx plot latest                          into out/charts/ARCHIVE
    gpufx plot h200 latest -o both             two archives in each figure, and
        their ratio
    gpufx plot latest --supplement             the panels that the first figures
        leave out
    gpufx plot latest --probe transfer --panel b --width 89mm --format pdf --data
    gpufx plot latest --probe coalescing --axis stride
  
  Exit status: 0 success, 2 usage error or an unreadable archive
  $ gpufx plot --help | sed -n '/^Examples/,$p'
  Examples:
    gpufx plot latest                          into out/charts/ARCHIVE
    gpufx plot h200 latest -o both             two archives in each figure, and
        their ratio
    gpufx plot latest --supplement             the panels that the first figures
        leave out
    gpufx plot latest --probe transfer --panel b --width 89mm --format pdf --data
    gpufx plot latest --probe coalescing --axis stride
  
  Exit status: 0 success, 2 usage error or an unreadable archive
  $ gpufx validate --help | sed -n '1s/ \[.*//p;/^Examples/,$p'
  Usage: gpufx validate
  Examples:
    gpufx validate                                all that this machine can check,
        as one table
    gpufx validate --patterns                     10,000 random patterns on the
        GPU, in minutes
    gpufx validate --sass                         the machine code of this build;
        needs no GPU
    gpufx validate --sass bank_conflict           of one probe; nvcc compiles it
        if the build has no CUDA
    gpufx validate --counters --quick             a few cases of each probe under
        Nsight Compute
    gpufx validate --counters bank_conflict --filter op:store
  
  Exit status: 0 everything that was checked agrees, 1 something differs or
  failed, 2 usage error, 77 nothing could be checked here
  $ gpufx plot -h >one; gpufx plot --help >two; cmp one two; head -n 1 one | cut -c 1-17
  Usage: gpufx plot
  $ gpufx --version
  gpufx 0.1.0

Wrong use.

  $ gpufx
  gpufx: a verb is missing; `gpufx help` lists them, `gpufx characterize` measures this machine
  [2]
  $ gpufx lst
  gpufx: unknown verb 'lst'; did you mean 'list'?
  [2]
  $ gpufx frobnicate
  gpufx: unknown verb 'frobnicate'; `gpufx help` lists them
  [2]
  $ gpufx help lst
  gpufx: unknown verb 'lst'; did you mean 'list'?
  [2]
  $ gpufx help frobnicate
  gpufx: unknown verb 'frobnicate'; `gpufx help` lists them
  [2]
  $ gpufx test
  gpufx: 'test' is a verb of the script ./gpufx at the root of the project: run ./gpufx test
  [2]

A family of verbs.

  $ gpufx fleet --help
  Usage: gpufx fleet VERB [ARGUMENT...]
  
  Verbs:
      fleet run      run probes on many GPUs, one rank per GPU
      fleet status   show the outcome of a fleet run, rank by rank
      fleet report   find sick cards, and groups of cards that differ
  
  `gpufx fleet VERB --help` prints the options and examples of a verb.
  docs/clusters.md describes runs on many GPUs, docs/fleet.md the report.
  $ gpufx archive -h | tail -n 2
  `gpufx archive VERB --help` prints the options and examples of a verb.
  docs/archive.md describes archives, docs/queries.md tables of many.

An archive is a word, and a probe an option.

  $ gpufx plot latest bank_conflict
  gpufx: 'latest': there is no archive under results/ or out/ yet; run `gpufx characterize` first
  [2]
  $ gpufx plot bank_conflict --archive latest
  gpufx: unknown option --archive; an archive is an argument of its own here: `gpufx plot --help` shows where
  [2]
