Shells know the command line from the table of options.

  $ cat >complete_it <<'END'
  > #!/bin/bash
  > source <(gpufx help --completion ${SHELL_OF:-bash} | grep -v compinit)
  > COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpufx; echo "${COMPREPLY[@]}"
  > END
  $ chmod +x complete_it
  $ ./complete_it gpufx su
  summary
  $ ./complete_it gpufx archive ''
  list show verify
  $ ./complete_it gpufx sheet latest --format ''
  text markdown latex json csv
  $ ./complete_it gpufx fleet report --format ''
  text html json
  $ ./complete_it gpufx claims latest --ful
  --full
  $ ./complete_it gpufx run --precis; ./complete_it gpufx ask --q; ./complete_it gpufx archive show --out
  --precision
  --quiet
  --output
  $ ./complete_it gpufx archive list --j
  --json
  $ ./complete_it gpufx list --j
  --json
  $ ./complete_it gpufx sheet latest ''
  
  $ SHELL_OF=zsh ./complete_it gpufx sheet latest --format m
  markdown

Every verb has each of its options.

  $ for verb in selfcheck sheet 'fleet report' pattern list 'archive show'; do
  >   gpufx help $verb | grep -oE '^  (-[a-z], )?--[a-z][a-z-]*' | grep -oE -- '--[a-z-]+' | while read -r option; do
  >     case " $(./complete_it gpufx $verb $option) " in *" $option "*) ;; *) echo "bash: $verb $option" ;; esac
  >   done
  > done
  $ gpufx help --completion tcsh
  gpufx: --completion tcsh: 'tcsh' is not one of bash, zsh
  [2]
