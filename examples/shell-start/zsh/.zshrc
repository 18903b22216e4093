# SPDX-License-Identifier: LGPL-2.1-or-later
# Starts zsh for examples/shell: reads the user's .zshrc, then adds what is genclip's.
if [[ -n $GENCLIP_SHELL_ZDOTDIR ]]; then ZDOTDIR=$GENCLIP_SHELL_ZDOTDIR; else unset ZDOTDIR; fi
[[ ! -r ${ZDOTDIR:-$HOME}/.zshrc ]] || . "${ZDOTDIR:-$HOME}/.zshrc"
path=(${(s.:.)GENCLIP_SHELL_PATH} $path)
PS1="(genclip) $PS1"
fpath=($GENCLIP_SHELL_SHARE/zsh/site-functions $fpath)
# Without -D, compinit would write a list of completions into the user's folder.
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -D -i }
autoload -Uz _genclip
compdef _genclip genclip
unset GENCLIP_SHELL_PATH GENCLIP_SHELL_SHARE GENCLIP_SHELL_ZDOTDIR
