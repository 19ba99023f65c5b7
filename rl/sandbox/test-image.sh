#!/bin/bash
# Makes a small image from programs of this machine, which must be a Debian, without any registry:
#   test-image.sh docker|podman NAME [FOLDER]
# The content of FOLDER comes on top.
set -euo pipefail
engine=$1 name=$2 extra=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
packages="bash dash coreutils tar grep sed mawk findutils perl-base git procps util-linux util-linux-extra mount login gzip
  bzip2 xz-utils diffutils hostname libc-bin python3-minimal python3.11-minimal libpython3.11-minimal libpython3.11-stdlib
  python3-pytest python3-pluggy python3-iniconfig python3-packaging python3-attr"
for package in $packages; do dpkg -L "$package" 2> /dev/null || true; done |
  sed -E 's#^/(bin|sbin|lib|lib64)/#/usr/\1/#' | grep -vE '^/usr/share/(doc|man|locale|info|lintian|bash-completion)/' |
  while read -r path; do if [ -f "$path" ]; then echo "$path"; fi; done | sort -u > "$work/files"
grep -E '^/usr/(bin|sbin|lib/x86_64-linux-gnu|lib/python3.11/lib-dynload)/' "$work/files" | { xargs ldd 2> /dev/null || true; } |
  grep -oE '/lib[^ )]+' | sed -E 's#^/#/usr/#' | sort -u >> "$work/files"
printf '%s\n' /usr/bin/awk /usr/bin/python3 /usr/bin/which >> "$work/files"
mkdir -p "$root"/{usr/bin,usr/sbin,usr/lib,usr/lib64,etc,proc,sys,dev,run,root,var/tmp,tmp,workspace}
sort -u "$work/files" | tar -c --dereference -P -T - 2> /dev/null | tar -x -C "$root" --strip-components=0 2> /dev/null || true
for link in bin sbin lib lib64; do [ -e "$root/$link" ] || ln -s "usr/$link" "$root/$link"; done
printf 'root:x:0:0:root:/root:/bin/bash\nagent:x:1000:1000::/workspace:/bin/bash\n' > "$root/etc/passwd"
printf 'root:x:0:\nagent:x:1000:\n' > "$root/etc/group"
printf 'root:*:19000:0:99999:7:::\n' > "$root/etc/shadow"
chmod 600 "$root/etc/shadow"
chmod 1777 "$root/tmp" "$root/var/tmp"
[ -z "$extra" ] || cp -a "$extra/." "$root/"
tar -c --owner=0 --group=0 -C "$root" . | "$engine" import - "$name"
