# Completions of finance for bash, printed by `finance completions bash`.
_finance() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= at=1
    local options= words= files=
    COMPREPLY=()
    while ((at < COMP_CWORD)) && [[ ${COMP_WORDS[at]} == -* ]]; do
        at=$((at + 1))
    done
    command=${COMP_WORDS[at]}
    if ((COMP_CWORD == at)); then
        COMPREPLY=($(compgen -W "--help --version --verbose serve demo create-user add-member list-users set-password disable-user enable-user disable-second-factor add import import-profile delete-profile detect-transfers backup restore migrate health config push-key test-mail mcp openapi man completions" -- "$current"))
        return
    fi
    case $command in
        serve) options="--help"; words="" ;;
        demo) options="--help"; words="" ;;
        create-user) options="--help --name --password --link"; words="" ;;
        add-member) options="--help --profile --name --role --password --link"; words="" ;;
        list-users) options="--help --json"; words="" ;;
        set-password) options="--help --name --password --link"; words="" ;;
        disable-user) options="--help --name"; words="" ;;
        enable-user) options="--help --name"; words="" ;;
        disable-second-factor) options="--help --name"; words="" ;;
        add) options="--help --name --dry-run"; words="" ;;
        import) options="--help --name --account --payment-date --dry-run"; words=""; files=yes ;;
        import-profile) options="--help --name"; words=""; files=yes ;;
        delete-profile) options="--help --name --yes"; words="" ;;
        detect-transfers) options="--help --name --all --dry-run"; words="" ;;
        backup) options="--help --list --json"; words=""; files=yes ;;
        restore) options="--help --yes"; words=""; files=yes ;;
        migrate) options="--help"; words="" ;;
        health) options="--help"; words="" ;;
        config) options="--help --json"; words="" ;;
        push-key) options="--help"; words="" ;;
        test-mail) options="--help --to"; words="" ;;
        mcp) options="--help"; words="" ;;
        openapi) options="--help"; words="" ;;
        man) options="--help"; words="" ;;
        completions) options="--help"; words="bash zsh fish" ;;
    esac
    case "$command $previous" in
        "create-user --name" | "create-user --password") return ;;
        "add-member --profile" | "add-member --name" | "add-member --password") return ;;
        "add-member --role") words="owner editor viewer"; options= ;;
        "set-password --name" | "set-password --password") return ;;
        "disable-user --name") return ;;
        "enable-user --name") return ;;
        "disable-second-factor --name") return ;;
        "add --name") return ;;
        "import --name" | "import --account" | "import --payment-date") return ;;
        "import-profile --name") return ;;
        "delete-profile --name") return ;;
        "detect-transfers --name") return ;;
        "test-mail --to") return ;;
    esac
    if [[ $current == -* || -z $files ]]; then
        COMPREPLY=($(compgen -W "$options $words" -- "$current"))
    else
        compopt -o default
    fi
}
complete -F _finance finance
