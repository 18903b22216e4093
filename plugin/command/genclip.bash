# SPDX-License-Identifier: LGPL-2.1-or-later
# Bash completion for genclip: commands, models, their fields and values, options, files.

# Offers the lines of its input that begin with the word given, quoted for the shell. Never by compgen -W, which
# would expand them: a line may be the ID of a task, and so what a service wants it to be.
_genclip_offer() {
    local line
    while IFS= read -r line; do
        [[ $line == "$1"* ]] || continue
        printf -v line %q "$line"
        COMPREPLY+=("$line")
    done
}

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
    local current=${words[-1]} genclip=${COMP_WORDS[0]}
    local before=("${words[@]:0:${#words[@]}-1}")

    COMPREPLY=()
    case ${before[@]: -1} in
        --output | -o | --store | -s | --api-key-file | -k | --tls-ca-file | --publish-folder)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
            ;;
    esac
    if [[ $current == -* && $current != --*=* ]]; then
        # The command alone: behind other words --help could be taken for an option's value, and the command be run.
        local command=("${before[@]:0:1}")
        [[ ${command[0]-} != publish || ${before[1]-} != @(list|prune) ]] || command=("${before[@]:0:2}")
        [[ ${command[0]-} != @(store|cost|budget) || ${before[1]-} == -* ]] || command=("${before[@]:0:2}")
        _genclip_offer "$current" < <("$genclip" "${command[@]}" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)
    else
        local offered
        offered=$("$genclip" __complete "${words[@]}" 2>/dev/null)
        [[ -z $offered ]] || _genclip_offer "$current" <<<"$offered"
        if [[ $current == *=* && $offered == =files ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -P "${current%%=*}=" -f -- "${current#*=}")
        fi
        if [[ ${before[0]-} == frame || ( ${before[0]-} == publish && ${before[1]-} != @(list|prune) ) ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
        fi
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    fi

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
