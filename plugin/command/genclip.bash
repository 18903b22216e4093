# SPDX-License-Identifier: LGPL-2.1-or-later
# Bash completion for genclip: commands, models, their fields and values, options, files.

_genclip() {
    local IFS=$'\n' words=() word joined=

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
        --output | -o | --store | --api-key-file | --tls-ca-file)
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -f -- "$current"))
            return
            ;;
    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$("$genclip" "${before[@]}" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)" -- "$current"))
    else
        COMPREPLY=($(compgen -W "$("$genclip" __complete "${words[@]}" 2>/dev/null)" -- "$current"))
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
