# SPDX-License-Identifier: LGPL-2.1-or-later
# Bash completion for genclip, which knows itself what may stand at the cursor: see docs/command.md, "Completion".

_genclip() {
    local words=() word joined=

    # Bash splits words at "=" and ":"; genclip does not.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ ${#words[@]} -gt 0 && ( $word == [=:]* || $joined == *[=:] ) ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        joined=${words[-1]}
    done
    [[ ${#words[@]} -gt 0 ]] || words=("")
    local current=${words[-1]} line files=

    COMPREPLY=()
    while IFS= read -r line; do
        line=${line%%$'\t'*}
        case $line in
            =files | =value-files) files=$line ;;
            # Never by compgen -W, which would expand it: it may be the ID of a task, and so what a service wants it to be.
            "$current"*) printf -v line %q "$line"; COMPREPLY+=("$line") ;;
        esac
    done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
    if [[ -n $files ]]; then
        compopt -o filenames 2>/dev/null
        local name=
        [[ $files == =files ]] || name=${current%%=*}=
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -P "$name" -f -- "${current#"$name"}")
    fi
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null

    # What bash takes for words of their own before the cursor must not be repeated.
    local prefix=${current%"${current##*[=:]}"}
    if [[ -n $prefix && $COMP_WORDBREAKS == *[=:]* ]]; then
        local i
        for i in "${!COMPREPLY[@]}"; do
            COMPREPLY[i]=${COMPREPLY[i]#"$prefix"}
        done
    fi
}

complete -F _genclip genclip
