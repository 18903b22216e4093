# SPDX-License-Identifier: LGPL-2.1-or-later
# Fish completion for genclip, which knows itself what may stand at the cursor: see docs/command.md, "Completion".

function __genclip_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # Fish shows what follows a tab as a description, and expands nothing of it.
    for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case =files
                __fish_complete_path "$current"
            case =value-files
                set -l name (string replace -r '=.*' '=' -- "$current")
                for file in (__fish_complete_path (string replace -r '^[^=]*=' '' -- "$current"))
                    echo $name$file
                end
            case '*'
                echo $line
        end
    end
end

complete -c genclip -f -a '(__genclip_complete)'
