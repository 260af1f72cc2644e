Shells and man know the command line from the table of options.

  $ cat >complete_it <<'END'
  > #!/bin/bash
  > source <(gpufx help --completion ${SHELL_OF:-bash} | grep -v compinit)
  > COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpufx; echo "${COMPREPLY[@]}"
  > END
  $ chmod +x complete_it
  $ ./complete_it gpufx su
  summary
  $ ./complete_it gpufx archive ''
  pack merge list show verify
  $ ./complete_it gpufx sheet latest --format ''
  text markdown latex json csv
  $ ./complete_it gpufx fleet report --format ''
  text html json
  $ ./complete_it gpufx claims latest --verd
  --verdict
  $ ./complete_it gpufx run --conf; ./complete_it gpufx ask --q; ./complete_it gpufx trace show --out
  --config
  --quiet
  --output
  $ ./complete_it gpufx archive list --j
  --json
  $ ./complete_it gpufx list --j
  --json
  $ ./complete_it gpufx sheet latest ''
  
  $ SHELL_OF=zsh ./complete_it gpufx sheet latest --format m
  markdown

Every verb has each of its options, in each form.

  $ gpufx help --completion fish >fish; gpufx help --man >man
  $ for verb in selfcheck sheet 'fleet report' pattern list 'trace show'; do
  >   gpufx help $verb | grep -oE '^  (-[a-z], )?--[a-z][a-z-]*' | grep -oE -- '--[a-z-]+' | while read -r option; do
  >     grep -q -- "\"$verb\"' -l ${option#--}[ ]" fish || echo "fish: $verb $option"
  >     case " $(./complete_it gpufx $verb $option) " in *" $option "*) ;; *) echo "bash: $verb $option" ;; esac
  >     sed -n "/^\\.SS gpufx $verb/,/^\\.SS/p" man | tr -d '\\' | grep -q -- "^\\.B $option" || echo "man: $verb $option"
  >   done
  > done
  $ test "$(grep -c '^\.SS' man)" -gt 30 && head -2 man
  .TH GPUFX 1
  .SH NAME
  $ gpufx help trace show --man | head -n 3
  .TH gpufx-trace-show 1
  .SH NAME
  gpufx\-trace\-show \- show what a trace holds
  $ gpufx help --completion tcsh
  gpufx: --completion tcsh: 'tcsh' is not one of bash, zsh, fish
  [2]
