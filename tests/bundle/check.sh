#!/usr/bin/env bash
# check.sh <bundle.tar.gz> <command that writes it>...: writes the bundle, looks at what is in it, unpacks it into a
# root folder that holds glibc, a shell and what reads text and nothing else, and has inside.sh run its programs there
# as a user who is not root. Exit code 77: no such root can be entered here.
set -Eeuo pipefail
here=$(dirname "$(readlink -f "$0")")
bundle=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'echo "bundle: line $LINENO of check.sh failed"' ERR
root=$scratch/root
most=50000000

fail() {
  printf '%s\n' "bundle: $*"
  exit 1
}

# place <program>: into the root, with the libraries that the loader finds for it.
place() {
  local file
  file=$(readlink -f "$(command -v "$1")")
  cp "$file" "$root/usr/bin/$1"
  while IFS= read -r file; do
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done < <(ldd "$root/usr/bin/$1" 2>/dev/null | grep -o '/[^ ]*' | grep -vF "$root" || true)
}

make_root() {
  local program
  mkdir -p "$root"/{proc,sys,dev,tmp,srv,usr/bin}
  chmod 755 "$scratch"
  chmod 1777 "$root/tmp"
  ln -s usr/bin "$root/bin"
  for program in bash sh env cat cut date dirname basename readlink mkdir mktemp cp mv rm sed grep awk head tail tr \
    sleep timeout wc find ldd uname; do
    place "$program"
  done
}

# What the bundle brings may not be what the root lends it: the programs would not miss it.
no_library_twice() {
  local name
  while IFS= read -r name; do
    [[ -z $(find "$root" -path "$root/srv" -prune -o -name "$name" -print) ]] ||
      fail "the empty root holds $name, which the bundle brings"
  done < <(sed -n 's|.*/lib/oracle/\(lib[^/]*\)$|\1|p' "$scratch/contents")
}

look_at() {
  local size
  size=$(stat --format=%s "$bundle")
  ((size <= most)) || fail "$size bytes are over $most"
  tar --list --file "$bundle" >"$scratch/contents"
  ! grep -E '/lib(cuda|cudart|cublas|cublasLt|cudnn|cufft|nccl|nvrtc|nvidia)[^/]*$' "$scratch/contents" ||
    fail 'it holds a library of NVIDIA'
  ! grep -E '/(libc|libm|libpthread|ld-linux[^/]*)\.so' "$scratch/contents" || fail 'it holds glibc'
}

# What its programs ask of glibc is what the README promises.
asks_of_glibc() {
  local newest
  # Most of the files are no programs.
  newest=$({ find "$root/srv" -type f -exec objdump --dynamic-syms {} + 2>/dev/null || true; } |
    grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -n 1)
  [[ $newest == GLIBC_2.* && ${newest#GLIBC_2.} -le 36 ]] || fail "it asks for $newest, and 2.36 is promised"
}

if ! unshare --mount true 2>/dev/null; then
  echo 'skipped: a root of its own needs the right to mount'
  exit 77
fi
"${@:2}" >"$scratch/said" 2>&1 || fail "$(<"$scratch/said")"
look_at
make_root
tar --extract --file "$bundle" --directory "$root/srv" --no-same-owner
no_library_twice
asks_of_glibc
mv "$root/srv/"* "$root/srv/any folder"
cp "$here/inside.sh" "$root/srv/"
chown -R 12345:12345 "$root/srv"

# shellcheck disable=SC2016  # the words are the inner shell's
unshare --mount --uts --ipc bash -c '
  for folder in proc sys dev; do mount --rbind "/$folder" "$1/$folder"; done
  exec chroot --userspec=12345:12345 "$1" /usr/bin/env -i PATH=/usr/bin HOME=/tmp LC_ALL=C \
    bash /srv/inside.sh "/srv/any folder"' bash "$root"
