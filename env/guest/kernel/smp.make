# Sourced by build: User Mode Linux for several processors, from Debian's sources.

make_kernel() {
    fetch 'linux-source-[0-9.]+' user-mode-linux
    mkdir "$work/source"
    tar -xf "$work"/root/usr/src/linux-source-*.tar.xz -C "$work/source" --strip-components=1
    cd "$work/source"
    # Debian's configuration of User Mode Linux; its modules are left out, but for what smp.config
    # has built in.
    zcat "$work/root/usr/share/doc/user-mode-linux/config.gz" |
        sed -E 's/^(CONFIG_\w+)=m$/# \1 is not set/' >.config
    local option value
    while read -r option value; do
        case $option in '' | '#'*) continue ;; esac
        case $value in
            y) scripts/config -e "$option" ;;
            n) scripts/config -d "$option" ;;
            *) scripts/config --set-val "$option" "$value" ;;
        esac
    done <"$here/smp.config"
    make ARCH=um olddefconfig
    make ARCH=um -j"$(nproc)" linux
    strip linux
    cp linux "$work/finished/linux"
    cp .config "$work/finished/config"
}
