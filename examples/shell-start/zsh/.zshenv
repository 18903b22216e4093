# SPDX-License-Identifier: LGPL-2.1-or-later
# Starts zsh for examples/shell: reads the user's .zshenv, and has zsh take .zshrc from here.
genclip_start=$ZDOTDIR
if [[ -n $GENCLIP_SHELL_ZDOTDIR ]]; then ZDOTDIR=$GENCLIP_SHELL_ZDOTDIR; else unset ZDOTDIR; fi
[[ ! -r ${ZDOTDIR:-$HOME}/.zshenv ]] || . "${ZDOTDIR:-$HOME}/.zshenv"
if [[ -o interactive ]]; then
  GENCLIP_SHELL_ZDOTDIR=$ZDOTDIR
  ZDOTDIR=$genclip_start
else
  path=(${(s.:.)GENCLIP_SHELL_PATH} $path)
  unset GENCLIP_SHELL_PATH GENCLIP_SHELL_SHARE GENCLIP_SHELL_ZDOTDIR
fi
unset genclip_start
