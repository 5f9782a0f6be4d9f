# complete.zsh <prefix>: in an interactive zsh with the installed completion, the Tab key completes.
zmodload zsh/zpty || exit 0
prefix=$1
zpty shell zsh -f -i
zpty -w shell "PATH=$prefix/bin:\$PATH fpath=($prefix/share/zsh/vendor-completions \$fpath)"
zpty -w shell "PROMPT= RPS1=; unsetopt ZLE_BRACKETED_PASTE 2>/dev/null; autoload -Uz compinit; compinit -u -D; print -r -- REA''DY"
seen=
until [[ $seen == *READY* ]]; do
  zpty -r shell line || exit 1
  seen+=$line
done

# complete_with_zsh <typed> <expected line>
complete_with_zsh() {
  local line seen=
  zpty -w -n shell "$1"$'\t'$'\C-A'"print -r -- 'LI''NE='"$'\C-E'$'\n'
  until [[ $seen == *LINE=*$'\n'* ]]; do
    zpty -r shell line || exit 1
    seen+=$line
  done
  [[ $seen == *"LINE=$2"* ]] || { print -r -- "zsh: $1<Tab> made: $seen"; exit 1; }
}

complete_with_zsh 'oracle pl' 'oracle plan'
complete_with_zsh 'oracle plan resnet5' 'oracle plan resnet50'
complete_with_zsh 'oracle plan resnet50 --cluster abc' 'oracle plan resnet50 --cluster abci'
complete_with_zsh 'oracle show cluster abc' 'oracle show cluster abci'
complete_with_zsh 'oracle plan resnet50 --format j' 'oracle plan resnet50 --format json'
