#!/bin/bash
set -euo pipefail
said() { echo "$1 $COMMAND" >>schedule.txt; }
switches() { sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$PPID/status"; }
case $1 in
    measure)
        COMMAND="measure $3 $4"
        said begin
        before=$(switches)
        sleep 1.5
        echo $(($(switches) - before)) >>switches.txt
        if [[ -e fails-$3 ]]; then said end; exit 1; fi
        block=$(printf 'data/raw/%s/%s/block-%02d.zip' "$2" "$3" "$4")
        mkdir -p "${block%/*}"
        said end
        touch "$block" ;;
    tidy)
        COMMAND="tidy ${2##*/} ${*:3}"
        said begin
        for table in @TABLES@; do touch "$2/$table.parquet"; done
        said end ;;
    notebook)
        COMMAND="notebook ${2##*/}"
        said begin
        mkdir -p "$4"
        touch "$3"
        said end ;;
    page) touch "$4" ;;
esac
