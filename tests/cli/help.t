Every page of help.

  $ gpufx help
  gpufx measures what a GPU's hardware effects cost: bank conflicts, uncoalesced
  accesses, divergent branches, atomics, latencies, transfers and more (`gpufx
  list`). It puts the cost that the hardware's rules predict beside the measured
  one, keeps every sample, compares archives and draws them.
  
  Usage: gpufx VERB [ARGUMENT...]
  
  Verbs:
    characterize   measure this machine, compare it with the nearest archive, draw
                   it
    run            run probes and archive the samples
    fleet run      run probes on many GPUs, one rank each
    fleet status   what came out of a fleet run, rank by rank
    list           what can be measured: probes, axes, cases
    info           what the device, the driver and this build are
    pattern        predict and measure what one access pattern costs
    explain        what the memory accesses of a CUDA program cost, line by line
    trace cost     what the accesses of a recorded program cost, for other
                   programs
    trace show     what a trace holds
    fits           what the laws cost on the chip of an archive
    compare        compare archives case by case
    accept         is this card as the other cards of its chip are?
    ask            which command answers a question, and what it says here
    claims         which rules of the tuning guides hold on the measured chip
    summary        one screen: what the chip is
    sheet          the data sheet: every quantity with its interval
    predict        what an algorithm should take, part by part, and what it takes
    report         one page with everything, to send to a colleague
    plot           draw archives
    export         an archive in the form of another tool
    import         what another tool measured, to set beside ours
    archive list   the archives of the project, of folders, of datasets
    archive show   what an archive says of itself
    archive verify whether archives are whole
    archive pack   add archives to a dataset
    archive merge  add what other datasets have
    fleet report   which cards are sick, which groups differ, what changed
    history        a quantity over time: when it changed, and what else did
    query          ask a dataset of many archives in SQL
    validate       check the instrument itself: random patterns, machine code,
                   counters
    selfcheck      compare this machine with itself: are there false alarms?
    setup          install and build what is missing
    test           run the project's own tests
    help           this page, or the page of a verb
  
  `gpufx VERB --help` prints a verb's options, examples and exit statuses.
  docs/glossary.md explains the words.
  
  Exit status:
    0    fine
    1    the answer is no: a case failed, a check failed, a comparison met
         --fail-on
    2    wrong use, bad input, or a file that can't be written
    3    undecided, where a decision was asked for
    77   nothing could be run: no such device, every case waived, or not built yet
    130  ended by Ctrl-C (143: by SIGTERM, 129: by SIGHUP)
  
  Environment, for the script ./gpufx, which sets up, builds and then runs this
  program; the build keeps what was chosen until another value is given, and an
  empty one is the default again:
    GPUFX_CUDA=OFF       build without CUDA: synthetic devices, archives, compare
                         and plot still work
    GPUFX_ARCHITECTURES  GPU architectures to compile for, such as "90" or
                         "80;90"; default: those of the GPUs that nvidia-smi
                         reports, else 90
    CUDACXX              the nvcc to use, 12.0 or newer; default: the one on PATH,
                         else /usr/local/cuda/bin/nvcc, else CUDA from NVIDIA's
                         Python wheels in .venv
    CC, CXX              the C and C++ compilers; default: the system's
  Environment, for this program when it is started without the script:
    COLUMNS              how wide text may be, 80 at the least; default: the
                         terminal, 80 in a pipe
    GPUFX_ROOT           the project's folder; default: found from the program's
                         place
    GPUFX_HOME           where archives and charts are kept; default: the
                         project's folder, or for an installed program
                         $XDG_DATA_HOME/gpufx, else ~/.local/share/gpufx
    GPUFX_PYTHON         the Python with the packages of plot/; default:
                         .venv/bin/python, else python3
  $ gpufx --help | head -n 1
  gpufx measures what a GPU's hardware effects cost: bank conflicts, uncoalesced
  $ gpufx run --help
  Usage: gpufx run [PROBE...] [OPTION...]
  
  Runs the named probes, or all of them. Every case is a benchmark of Google
  Benchmark under its own name; its samples go to one new archive, written line by
  line. Ctrl-C finishes the present sample and leaves a valid archive of what was
  measured; a second Ctrl-C ends at once.
  
  Options:
    --axis NAME=VALUES   take these values on an axis: 4 or 1,2,4 or 0:64 or
                         0:64:8 or 1:64:*2 or load,store or all; may be repeated,
                         and holds for the selected probes that have the axis
    --quick              a first look: fewer points, fewer samples
    --filter REGEX       only cases whose name matches this extended regular
                         expression; with a leading '-', only those that don't
    --only FILE          only the cases whose names stand in this file, one a
                         line, as `gpufx list --cases` prints them
    --processes K        repeat the run in K fresh processes into one archive,
                         each in an order of its own; auto: two of everything, and
                         up to five of the cases that --between asks for [1 to
                         1000 processes, or auto; default as auto, up to 3, on a
                         GPU; 1 with --quick, --no-archive or a synthetic device]
    --between PCT        with --processes auto: go on until the 95 % interval of a
                         case's mean over its processes is this narrow
                         (half-width) [0.001 to 100 %; default 0.5]
    --device DEVICE      a CUDA index, a UUID, or synthetic:NAME; several with
                         commas between, or all, each in a process of its own, one
                         after the other; default: the first CUDA device, else
                         synthetic:generic
    --together           several devices at once, as where they share the host's
                         memory, links and power; each sees itself alone
    --out DIR            folder of the archive; default: results/ARCH/DEVICE, or
                         out/ARCH/DEVICE for a synthetic device
    --seed N             seed of the order of the cases, of test data and of
                         synthetic noise [0 to 9007199254740992; default a new one
                         for each archive, which keeps it; 1 on a synthetic
                         device]
    --max-time S         stop sampling a case after this long [0.001 to 3600
                         seconds per case; default 0.05; 0.5 with one process, 0.1
                         with --quick]
    --precision PCT      stop sampling once the 95 % interval of the median is
                         this narrow (half-width) [0.001 to 100 % of the median;
                         default 0.5]
    --samples N          take exactly N samples of each case, the first one
                         included, however long that takes [1 to 1000000; default
                         as many as --precision wants]
    --profiled           for Nsight Compute: 16 times longer loops; the archive is
                         marked as profiled, and refused by compare and plot
    --one-sm             time what one SM does where the driver puts it; default:
                         on SMs of up to 16 groups in turn, since they differ in
                         what they reach beyond their own caches
    --label KEY=VALUE    a word of your own for the archive, such as node=a7; may
                         be repeated
    --host-name          keep the host's name in the archive; default: nothing
                         that names it
    --no-archive         keep nothing: measure and print only
    -h, --help           print this
    --benchmark_*        any flag of Google Benchmark, such as
                         --benchmark_format=json or --benchmark_list_tests
  
  Examples:
    gpufx run bank_conflict --axis stride=1,2,4:32:4    one probe, these strides
    gpufx run --filter 'op:load/width:4' --processes 5  these cases, in five
        processes
    gpufx run null --no-archive                         what the harness itself
        costs per case
    gpufx run constant --device synthetic:generic       without a GPU, on invented
        numbers
    gpufx run transfer --device all --together          all GPUs of the host at
        once, an archive each
  
  Exit status: 0 every case was measured or waived, 1 a case or a process failed,
  2 wrong use, bad input or a file that can't be written, 77 nothing could be run,
  130 ended by Ctrl-C (143: by SIGTERM, 129: by SIGHUP)
  $ gpufx run -h >one; gpufx help run >two; cmp one two
  $ gpufx characterize --help
  Usage: gpufx characterize [PROBE...] [OPTION...]
  
  Prints what the device is, runs the probes, keeps every sample in an archive,
  compares it with the nearest archive under results/ (the same device, else the
  same architecture, else the latest) and draws both. Ends with the screen of
  `summary`. Without a GPU the same job runs on the synthetic device 'generic',
  whose numbers are invented. Of several devices each has its own archive and
  screen, and a table at the end sets them side by side.
  
  Options:
    --axis NAME=VALUES   take these values on an axis: 4 or 1,2,4 or 0:64 or
                         0:64:8 or 1:64:*2 or load,store or all; may be repeated,
                         and holds for the selected probes that have the axis
    --quick              a first look: fewer points, fewer samples
    --filter REGEX       only cases whose name matches this extended regular
                         expression; with a leading '-', only those that don't
    --only FILE          only the cases whose names stand in this file, one a
                         line, as `gpufx list --cases` prints them
    --processes K        repeat the run in K fresh processes into one archive,
                         each in an order of its own; auto: two of everything, and
                         up to five of the cases that --between asks for [1 to
                         1000 processes, or auto; default as auto, up to 3, on a
                         GPU; 1 with --quick, --no-archive or a synthetic device]
    --between PCT        with --processes auto: go on until the 95 % interval of a
                         case's mean over its processes is this narrow
                         (half-width) [0.001 to 100 %; default 0.5]
    --device DEVICE      a CUDA index, a UUID, or synthetic:NAME; several with
                         commas between, or all, each in a process of its own, one
                         after the other; default: the first CUDA device, else
                         synthetic:generic
    --together           several devices at once, as where they share the host's
                         memory, links and power; each sees itself alone
    --out DIR            folder of the archive; default: results/ARCH/DEVICE, or
                         out/ARCH/DEVICE for a synthetic device
    --seed N             seed of the order of the cases, of test data and of
                         synthetic noise [0 to 9007199254740992; default a new one
                         for each archive, which keeps it; 1 on a synthetic
                         device]
    --max-time S         stop sampling a case after this long [0.001 to 3600
                         seconds per case; default 0.05; 0.5 with one process, 0.1
                         with --quick]
    --precision PCT      stop sampling once the 95 % interval of the median is
                         this narrow (half-width) [0.001 to 100 % of the median;
                         default 0.5]
    --samples N          take exactly N samples of each case, the first one
                         included, however long that takes [1 to 1000000; default
                         as many as --precision wants]
    --one-sm             time what one SM does where the driver puts it; default:
                         on SMs of up to 16 groups in turn, since they differ in
                         what they reach beyond their own caches
    --label KEY=VALUE    a word of your own for the archive, such as node=a7; may
                         be repeated
    --host-name          keep the host's name in the archive; default: nothing
                         that names it
    -h, --help           print this
    --benchmark_*        any flag of Google Benchmark, such as
                         --benchmark_format=json or --benchmark_list_tests
  
  Examples:
    gpufx characterize --quick               a first look, in seconds
    gpufx characterize --processes 1         one process: a look without a
        comparison
    gpufx characterize --processes 5         five: to find smaller changes than
        the usual two or three
    gpufx characterize transfer --device 1   one probe, on the second GPU
    gpufx characterize --device all --quick  every GPU of the host, one after the
        other
  
  Exit status: 0 every case was measured or waived, 1 a case or a process failed,
  2 wrong use, bad input or a file that can't be written, 77 nothing could be run,
  130 ended by Ctrl-C (143: by SIGTERM, 129: by SIGHUP)
  $ gpufx list --help
  Usage: gpufx list [PROBE...] [OPTION...]
  
  Prints each probe's question and number of cases; of probes that are named, or
  with another option, axes, sweeps and metrics, too.
  
  Options:
    --axis NAME=VALUES   take these values on an axis: 4 or 1,2,4 or 0:64 or
                         0:64:8 or 1:64:*2 or load,store or all; may be repeated,
                         and holds for the selected probes that have the axis
    --quick              a first look: fewer points, fewer samples
    --filter REGEX       only cases whose name matches this extended regular
                         expression; with a leading '-', only those that don't
    --device DEVICE      waive what this device can't run: a CUDA index, a UUID,
                         or synthetic:NAME; default: synthetic:generic
    --cases              list every case by name
    --claims             list what guides claim, and the cases that decide it,
                         instead of axes and sweeps
    --json               print JSON for other programs
    -h, --help           print this
  
  Examples:
    gpufx list                                       every probe
    gpufx list bank_conflict                         one of them, with its axes
    gpufx list coalescing --cases --filter level:l2  the names of some cases
    gpufx list --json --cases                        with the lanes and the law's
        count of every case
    gpufx list --claims                              what guides claim, and the
        cases that decide it
  
  Exit status: 0 fine, 2 wrong use or an empty selection, 77 no such device
  $ gpufx info --help
  Usage: gpufx info [OPTION...]
  
  Prints the facts that an archive would carry. Without a GPU it says why, and
  prints those of the synthetic device 'generic', which stands in. A GPU that is
  in the machine and can't be used, since its driver is broken or not loaded, is
  an error.
  
  Options:
    --device DEVICE      a CUDA index, a UUID, or synthetic:NAME; default: the
                         first CUDA device, else synthetic:generic
    --json               print JSON for other programs
    -h, --help           print this
  
  Examples:
    gpufx info                             this machine
    gpufx info --device 1 --json           the second GPU, for other programs
    gpufx info --device synthetic:planted  what an invented device says of itself
  
  Exit status: 0 fine, 2 wrong use, 77 no such device, or a GPU that is there and
  can't be used
  $ gpufx help test
  Usage: gpufx test
  
  The script ./gpufx at the root of the project runs the tests: it sets up what
  they need, builds, and calls ctest and pytest. From a build folder of your own,
  `ctest` runs all but the Python tests.
  
  Options:
    -h, --help           print this
  
  Examples:
    ./gpufx test          everything; needs no GPU
    ./gpufx test --quick  without the sanitizers, the compilation for all
                          architectures, the check of its machine code, and tests
                          that take seconds
  
  Exit status: 0 all passed, 1 a stage failed, 2 it could not be set up
  $ gpufx help help
  Usage: gpufx help [VERB...] [OPTION...]
  
  Prints all verbs, or the page of each verb that is named.
  
  Options:
    --completion SHELL   print what completes command lines in this shell [bash,
                         zsh, fish]
    --man                print the page for man, gpufx(1)
    -h, --help           print this
  
  Examples:
    gpufx help                    all verbs, exit statuses, environment
    gpufx help run                the same as gpufx run --help
    gpufx help --completion bash  what `source <(...)` takes
    gpufx help --man              to be kept as man1/gpufx.1
  
  Exit status: 0 fine, 2 no such verb
  $ gpufx help compare plot
  Usage: gpufx compare BASE ARCHIVE... [OPTION...]
  
  Compares each further archive with the first, the base: is each case SAME,
  SLOWER, FASTER, or UNSURE for lack of evidence? One screen says what changed,
  worst first: what all times share, factors that many cases share, quantities,
  probes and cases. SLOWER and FASTER hold for the comparison as a whole: in 99 of
  100 comparisons of equal archives no case is called so. Two runs on one card are
  held against what processes differ by, two cards of one model against what its
  cards differ by, and of two models plain differences are shown. docs/gates.md
  has recipes for CI. An archive is named by its file, a folder (its newest
  archive), 'latest' (a synthetic one only where nothing was measured), part of a
  device's name such as 'h200', 'sm_90' or the id of a run; NAME~1 is the one
  before.
  
  Options:
    --margin PCT         differences up to PCT count as none [0 to 50 %; default
                         1]
    --level LEVEL        what differences are held against: what processes differ
                         by, what occasions of a card do, or boards, cards of one
                         model; default: processes of one card, boards where two
                         cards of a model are compared [process, occasion, board]
    --fail-on CONDITIONS exit 1 if one of these is met, with commas: slower,
                         faster, missing, new, incomparable, changed, incomplete;
                         slower>5% (by more than 5 %), share:slower>1% (more than
                         1 % of the cases), 'dram.read_rate<-3%' (a quantity);
                         exit 3 where the evidence can't say, and for unsure or
                         unsure>10%
    --all                every case, with interval and reason; json and csv have
                         all
    --only-changed       every case but those that are SAME or UNSURE
    --by WHAT            case by case, or the quantities; foreign archives have
                         these alone [case, quantity; default case]
    --probe PROBE        this probe only
    --filter REGEX       only cases whose name matches this regular expression
                         (Python's)
    --format FORMAT      for people, for a page or for other programs [text,
                         markdown, json, csv; default text]
    -h, --help           print this
  
  Examples:
    gpufx compare latest~1 latest                              the last two runs
    gpufx compare h200 latest --only-changed --format markdown
    gpufx compare old.jsonl new.jsonl --fail-on
        'slower>5%,dram.read_rate<-3%,missing'
    gpufx compare h200 latest --level process                  two cards, held
        against what processes differ by
  
  Exit status: 0 fine, 1 --fail-on is met, 2 wrong use or an archive that can't be
  read, 3 --fail-on unsure is met, or the evidence is too little to pass
  Usage: gpufx plot ARCHIVE... [-o DIR] [OPTION...]
  
  Draws one figure per probe, all archives in the same panels. Its title is what
  the archive says. Without --probe also hierarchy.svg, the memory hierarchy drawn
  to scale. An archive is named by its file, a folder (its newest archive),
  'latest' (a synthetic one only where nothing was measured), part of a device's
  name such as 'h200', 'sm_90' or the id of a run; NAME~1 is the one before.
  
  Options:
    -o, --output DIR     folder of the figures; default: out/charts
    --probe PROBE        this probe only
    --format FORMAT      of the figures; both: png and svg [png, svg, pdf, both;
                         default both]
    --supplement         draw the further panels of each probe in place of those
                         that show its finding
    --panel LETTER       this panel of --probe alone, also one of its supplement
    --axis AXIS          the cost over this axis of --probe, sweep by sweep, in
                         place of the probe's own figure
    --width WIDTH        of the figures: a page on a screen, one or two columns in
                         print, or a slide [page, 89mm, 183mm, slide; default
                         page]
    --data               write the numbers of each figure beside it, as CSV
    --brief              print the folder of the figures, not each file
    -h, --help           print this
  
  Examples:
    gpufx plot latest                          into out/charts
    gpufx plot h200 latest -o both             two archives in each figure, and
        their ratio
    gpufx plot latest --supplement             what the first figures leave out
    gpufx plot latest --probe transfer --panel b --width 89mm --format pdf --data
    gpufx plot latest --probe coalescing --axis stride
  
  Exit status: 0 fine, 2 wrong use or an archive that can't be read
  $ gpufx plot --help | sed -n '/^Examples/,$p'
  Examples:
    gpufx plot latest                          into out/charts
    gpufx plot h200 latest -o both             two archives in each figure, and
        their ratio
    gpufx plot latest --supplement             what the first figures leave out
    gpufx plot latest --probe transfer --panel b --width 89mm --format pdf --data
    gpufx plot latest --probe coalescing --axis stride
  
  Exit status: 0 fine, 2 wrong use or an archive that can't be read
  $ gpufx validate --help | sed -n '1s/ \[.*//p;/^Examples/,$p'
  Usage: gpufx validate
  Examples:
    gpufx validate                                all that this machine can check,
        as one table
    gpufx validate --patterns                     10,000 random patterns on the
        GPU, in minutes
    gpufx validate --sass                         the machine code of this build;
        needs no GPU
    gpufx validate --counters --quick             a few cases of each probe under
        Nsight Compute
    gpufx validate --counters bank_conflict --filter op:store
  
  Exit status: 0 all that was checked agrees, 1 something differs or failed, 2
  wrong use, 77 nothing could be checked here
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
  gpufx: 'test' is done by the script ./gpufx at the root of the project: ./gpufx test
  [2]
