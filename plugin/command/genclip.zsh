#compdef genclip
# SPDX-License-Identifier: LGPL-2.1-or-later
# Zsh completion for genclip, which knows itself what may stand at the cursor: see docs/command.md, "Completion".

local line word files
local -a explained plain open
local tab=$'\t'
local current=${(Q)PREFIX}

# No expansion of what it prints: a line may be the ID of a task, and so what a service wants it to be.
for line in "${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "$current" 2>/dev/null)}"; do
    word=${line%%$tab*}
    if [[ $word == '=files' || $word == '=value-files' ]]; then
        files=$word
    elif [[ -z $word ]]; then
        continue
    elif [[ $word == *= ]]; then
        open+=("$word")
    elif [[ $line == *$tab* ]]; then
        explained+=("${word//:/\\:}:${line#*$tab}")
    else
        plain+=("$word")
    fi
done

local found=1
(( ! $#explained )) || { _describe genclip explained && found=0 }
(( ! $#plain )) || { compadd -- "${plain[@]}" && found=0 }
(( ! $#open )) || { compadd -S '' -- "${open[@]}" && found=0 }
if [[ -n $files ]]; then
    [[ $files == '=files' ]] || compset -P 1 '*='
    _files && found=0
fi
return found
