Every page of help. The options of compare and plot are gpufx_plot's own.

  $ gpufx help
  gpufx measures what a GPU's hardware effects cost: bank conflicts, uncoalesced accesses, divergent
  constant reads, transfers. It puts the cost that the hardware's rules predict beside the measured one,
  keeps every sample, compares archives and draws them.
  
  Usage: gpufx VERB [ARGUMENT...]
  
  Verbs:
    characterize   measure this machine, compare it with the nearest archive, draw it
    run            run probes and archive the samples
    list           what can be measured: probes, axes, cases
    info           what the device, the driver and this build are
    compare        compare archives, with honest statistics
    plot           draw archives
    test           run the project's own tests
    help           this page, or the page of one verb
  
  `gpufx VERB --help` prints a verb's options.
  
  Exit status:
    0    fine
    1    the answer is no: a case failed, a check failed, a comparison met --fail-on
    2    wrong use, bad input, or a file that can't be written
    3    undecided, where a decision was asked for
    77   nothing could be run: no such device, or every case waived
    130  ended by Ctrl-C (143: by SIGTERM)
  
  Environment:
    GPUFX_ROOT    the project's folder; found from the program's place if unset
    GPUFX_PYTHON  the Python that has the packages of plot/; default .venv/bin/python, else python3
  $ gpufx --help | head -n 1
  gpufx measures what a GPU's hardware effects cost: bank conflicts, uncoalesced accesses, divergent
  $ gpufx run --help
  Usage: gpufx run [PROBE...] [OPTION...]
  
  Runs the named probes, or all of them. Every case is a benchmark of Google Benchmark under its own
  name; its samples go to one new archive, written line by line. Ctrl-C finishes the present sample
  and leaves a valid archive of what was measured; a second Ctrl-C ends at once.
  
  Options:
    --axis NAME=VALUES   take these values on an axis: 4 or 1,2,4 or 0:64 or 0:64:8 or 1:64:*2 or
                         load,store or all; may be repeated, and holds for the selected probes that
                         have the axis
    --quick              a first look: fewer points and looser precision
    --filter REGEX       only cases whose name matches this extended regular expression; with a
                         leading '-', only those that don't
    --launches K         repeat the run in K fresh processes into one archive; comparisons want 5 [1
                         to 1000 processes; default 1]
    --device DEVICE      a CUDA index, a UUID, or synthetic:NAME; default: the first CUDA device, else
                         synthetic:generic
    --out DIR            folder of the archive; default: results/ARCH/DEVICE, or out/ARCH/DEVICE for a
                         synthetic device
    --seed N             seed of test data and of synthetic noise [0 to 9007199254740992; default 1]
    --max-time S         stop sampling a case after this long [0.001 to 3600 seconds per case; default
                         2, or 0.25 with --quick]
    --precision PCT      stop sampling once the 95 % interval of the median is this narrow
                         (half-width) [0.001 to 100 % of the median; default 0.5]
    --no-archive         keep nothing: measure and print only
    --help               print this
    --benchmark_*        any flag of Google Benchmark, such as --benchmark_format=json or
                         --benchmark_list_tests
  $ gpufx run -h >one; gpufx help run >two; cmp one two
  $ gpufx characterize --help
  Usage: gpufx characterize [PROBE...] [OPTION...]
  
  Prints what the device is, runs the probes, keeps every sample in an archive, compares it with
  the nearest archive under results/ (the same device, else the same architecture, else the latest)
  and draws both. Ends with a summary and where the files are. Without a GPU the same job runs on
  the synthetic device 'generic', whose numbers are invented.
  
  Options:
    --axis NAME=VALUES   take these values on an axis: 4 or 1,2,4 or 0:64 or 0:64:8 or 1:64:*2 or
                         load,store or all; may be repeated, and holds for the selected probes that
                         have the axis
    --quick              a first look: fewer points and looser precision
    --filter REGEX       only cases whose name matches this extended regular expression; with a
                         leading '-', only those that don't
    --launches K         repeat the run in K fresh processes into one archive; comparisons want 5 [1
                         to 1000 processes; default 1]
    --device DEVICE      a CUDA index, a UUID, or synthetic:NAME; default: the first CUDA device, else
                         synthetic:generic
    --out DIR            folder of the archive; default: results/ARCH/DEVICE, or out/ARCH/DEVICE for a
                         synthetic device
    --seed N             seed of test data and of synthetic noise [0 to 9007199254740992; default 1]
    --max-time S         stop sampling a case after this long [0.001 to 3600 seconds per case; default
                         2, or 0.25 with --quick]
    --precision PCT      stop sampling once the 95 % interval of the median is this narrow
                         (half-width) [0.001 to 100 % of the median; default 0.5]
    --help               print this
    --benchmark_*        any flag of Google Benchmark, such as --benchmark_format=json or
                         --benchmark_list_tests
  $ gpufx list --help
  Usage: gpufx list [PROBE...] [OPTION...]
  
  Prints each probe's question, axes, sweeps, metrics and number of cases.
  
  Options:
    --axis NAME=VALUES   take these values on an axis: 4 or 1,2,4 or 0:64 or 0:64:8 or 1:64:*2 or
                         load,store or all; may be repeated, and holds for the selected probes that
                         have the axis
    --quick              a first look: fewer points and looser precision
    --filter REGEX       only cases whose name matches this extended regular expression; with a
                         leading '-', only those that don't
    --device DEVICE      waive what this device can't run: a CUDA index, a UUID, or synthetic:NAME;
                         default: synthetic:generic
    --cases              list every case by name
    --json               print JSON for other programs
    --help               print this
  $ gpufx info --help
  Usage: gpufx info [OPTION...]
  
  Prints the facts that an archive would carry. Without a GPU it says why and goes on.
  
  Options:
    --device DEVICE      a CUDA index, a UUID, or synthetic:NAME; default: the first CUDA device, else
                         synthetic:generic
    --json               print JSON for other programs
    --help               print this
  $ gpufx help test
  Usage: gpufx test
  
  The script ./gpufx at the root of the project runs the tests: it sets up what they need, builds, and
  calls ctest and pytest. From a build folder of your own, `ctest` runs all but the Python tests.
  
  Options:
    --help               print this
  $ gpufx help help
  Usage: gpufx help [VERB]
  
  Prints all verbs, or the options of one.
  
  Options:
    --help               print this
  $ gpufx help compare plot
  Usage: gpufx compare A B [C ...] [OPTION...]
  
  A and B are archive files or names such as 'latest' or 'h200'. `gpufx compare --help` prints the
  options. Ends with 1 if --fail-on is met and with 3 if a comparison that must decide could not.
  Usage: gpufx plot ARCHIVE... -o DIR [OPTION...]
  
  Draws every probe of the archives, PNG and SVG. `gpufx plot --help` prints the options.
  $ gpufx --version
  gpufx 0.1.0

Wrong use.

  $ gpufx
  gpufx: A verb is missing. `gpufx help` lists them; `gpufx characterize` measures this machine.
  [2]
  $ gpufx lst
  gpufx: There is no verb 'lst'. Did you mean 'list'?
  [2]
  $ gpufx frobnicate
  gpufx: There is no verb 'frobnicate'. `gpufx help` lists them.
  [2]
  $ gpufx help lst
  gpufx: There is no verb 'lst'. Did you mean 'list'?
  [2]
  $ gpufx help frobnicate
  gpufx: There is no verb 'frobnicate'. `gpufx help` lists them.
  [2]
  $ gpufx test
  gpufx: The tests are run by the script ./gpufx at the root of the project: ./gpufx test.
  [2]
