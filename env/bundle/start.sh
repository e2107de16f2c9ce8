#!/bin/bash
# A bundle of remeasure @COMMIT@, for @ARCHITECTURE@ and Python @VERSIONS@. Try: ./FILE --help
fail() { echo "bundle: $*" >&2; exit 1; }
# Asked before bash reads on: what was cut may end in the middle of a function.
bytes=$(stat -c %s "${BASH_SOURCE[0]}" 2>/dev/null) || fail "stat: not found in PATH, expected coreutils"
[[ $bytes == $((10#@FILE_BYTES@)) ]] \
    || fail "${BASH_SOURCE[0]}: found $bytes bytes, expected $((10#@FILE_BYTES@)): copy it again"
main() {
    local here one version python= versions="@VERSIONS@"
    here=$(uname -m 2>/dev/null) || fail "uname: not found in PATH, expected coreutils"
    [[ $here == @ARCHITECTURE@ ]] \
        || fail "made for @ARCHITECTURE@, found $here; make another one on such a machine"
    for one in python3 ${versions//3./python3.}; do
        version=$("$one" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
        [[ $version && " $versions " == *" $version "* ]] && python=$one && break
    done
    [[ $python ]] || fail "expected Python ${versions// /, }, whose packages it has, found" \
        "$(python3 --version 2>/dev/null || echo no Python 3); install one of them"
    read -r -d '' program <<'PROGRAM'
@PROGRAM@
PROGRAM
    exec "$python" -I -c "$program" "${BASH_SOURCE[0]}" "$@"
}
main "$@"
exit 1
