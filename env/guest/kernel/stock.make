# Sourced by build: Debian's kernel for virtual machines, an initrd, and a disk of its modules.

make_kernel() {
    local cloud='[0-9.]+[^-]*-cloud-amd64'
    fetch "linux-base-$cloud" "linux-binary-$cloud" "linux-modules-$cloud" busybox-static
    local version modules start=$work/start
    version=$(ls "$work/root/usr/lib/modules")
    modules=$work/tree/lib/modules/$version
    mkdir -p "${modules%/*}"
    mv "$work/root/usr/lib/modules/$version" "$modules"
    mv "$modules/vmlinuz" "$work/finished"
    find "$modules" -name '*.ko.xz' -exec xz -d {} +
    depmod -b "$work/tree" "$version"
    mkdir -p "$start/bin" "$start/modules"
    cp "$work/root/usr/bin/busybox" "$start/bin/busybox"
    local number=10 name
    for name in virtio_blk failover net_failover virtio_net; do
        # What is not there is built in.
        find "$modules" -name "$name.ko" -exec cp {} "$start/modules/$number-$name.ko" \;
        number=$((number + 1))
    done
    install -m 755 "$here/stock.init" "$start/init"
    (cd "$start" && find . | cpio --quiet -o -H newc -R 0:0) >"$work/finished/initrd"
    mke2fs -qq -t ext4 -m 0 -O ^has_journal -d "$modules" "$work/finished/modules.ext4" 512M
    sed -nE 's/^linux-binary-.*_(.*)_amd64\.deb$/version\t\1/p' "$work/finished/packages.txt" \
        >"$work/finished/kernel.tsv"
}
