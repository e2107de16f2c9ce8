# Sourced by build: a lean User Mode Linux from Debian's source, with the kernel's x86 code for
# cryptography. uml.config and <kind>.config say what is in it, patch.py lets it be built.

make_kernel() {
    fetch 'linux-source-[0-9.]+'
    local known found options=$work/options
    known=$(<"$here/uml.version")
    found=$(sed -nE 's/^linux-source-.*_(.*)_all\.deb$/\1/p' "$work/finished/packages.txt")
    [[ $found == "$known" ]] || echo "the mirror has Linux $found, and patch.py was tried on $known;" \
        "if the kernel can be built, run env/guest/kernel/check $kind, then write $found into uml.version"
    mkdir "$work/source"
    tar -xf "$work"/root/usr/src/linux-source-*.tar.xz -C "$work/source" --strip-components=1
    cd "$work/source"
    python3 "$here/patch.py" .
    cat "$here/uml.config" "$here/$kind.config" >"$options"
    # The same bytes wherever and whenever they are compiled: the kernel's name has the date of its
    # source instead of today's.
    local archives=("$work"/root/usr/src/linux-source-*.tar.xz)
    export LC_ALL=C KBUILD_BUILD_USER=remeasure KBUILD_BUILD_HOST=remeasure KBUILD_BUILD_TIMESTAMP
    KBUILD_BUILD_TIMESTAMP=$(date -u -r "${archives[0]}")
    make ARCH=um KCONFIG_ALLCONFIG="$options" allnoconfig
    require_options "$options"
    make ARCH=um -j"$(nproc)" linux
    strip linux
    cp linux "$work/finished/linux"
    cp .config "$work/finished/config"
    # Kernels that differ in none of these are the same (measure/same_guests.py).
    {
        printf 'version\t%s\n' "$found"
        printf 'source\t%s\n' "$(hash_of "${archives[0]}" "$here/patch.py" "$here/clearcpuid.c")"
        printf 'configuration\t%s\n' "$(hash_of <(grep '^CONFIG' "$options" | sort))"
        printf 'compiler\t%s\n' "gcc $(gcc -dumpfullversion)"
    } >"$work/finished/kernel.tsv"
}

hash_of() { cat "$@" | sha256sum | cut -c1-16; }

# An option that depends on another one that is off is dropped in silence.
require_options() {
    local line name dropped=()
    while IFS= read -r line; do
        case $line in '' | '#'*) continue ;; esac
        name=${line%%=*}
        if [[ ${line#*=} == n ]]; then
            grep -q "^$name=" .config && dropped+=("$line")
        else
            grep -qxF "$line" .config || dropped+=("$line")
        fi
    done <"$1"
    [[ ${#dropped[@]} == 0 ]] || { echo "options that did not take: ${dropped[*]}"; return 1; }
}
