#!/bin/bash
# A bundle of remeasure @COMMIT@, for @ARCHITECTURE@ and Python @VERSION@. Try: ./FILE --help
main() {
    fail() { echo "bundle: $*" >&2; exit 1; }
    local here one python=
    here=$(uname -m) || fail "uname: not found in PATH, expected coreutils"
    [[ $here == @ARCHITECTURE@ ]] \
        || fail "made for @ARCHITECTURE@, found $here; make another one on such a machine"
    for one in python3 python@VERSION@; do
        [[ $("$one" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>&1) == @VERSION@ ]] \
            && python=$one && break
    done
    [[ $python ]] || fail "expected Python @VERSION@, whose packages it has, found" \
        "$(python3 --version 2>/dev/null || echo no Python 3); install it, or make another bundle"
    read -r -d '' program <<'PROGRAM'
@PROGRAM@
PROGRAM
    exec "$python" -I -c "$program" "${BASH_SOURCE[0]}" "$@"
}
main "$@"
exit 1
