#!/usr/bin/env bash
# bundle.sh <cmake> <build folder> <name> [<mpirun>]: what the build installs, the libraries that it is linked
# with, and Open MPI's runtime, as <build folder>/<name>.tar.gz. NVIDIA's libraries and glibc stay out. Refuses a
# bundle over 50 MB.
set -Eeuo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=oracle/cmake/bundle/libraries.sh
source "$here/libraries.sh"
# shellcheck source=oracle/cmake/bundle/open_mpi.sh
source "$here/open_mpi.sh"
cmake=$1 build=$2 name=$3 mpirun=${4-}
most=50000000
stage=$build/bundle/$name
private=$stage/lib/oracle
trap 'echo "bundle.sh: line $LINENO failed" >&2' ERR

give_up() {
  echo "bundle.sh: $*" >&2
  exit 3
}

lay_down() {
  rm -rf "$build/bundle"
  mkdir -p "$private"
  local component
  for component in programs modules data manual bundle; do
    "$cmake" --install "$build" --prefix "$stage" --component "$component" --strip >"$build/bundle/log" ||
      give_up "installing $component: $(<"$build/bundle/log")"
  done
  # Samples of other machines, of which profiles are made again, would be a third of the data.
  rm -rf "$stage/share/oracle/data/samples"
  local script
  for script in campaign gpu_tests; do
    find "$stage/share/oracle" -name "$script.sh" -printf "share/oracle/%P\n" | while IFS= read -r path; do
      ln -s "$path" "$stage/$script.sh"
    done
  done
}

# What others wrote comes with its licence, where the system's packages say which.
add_licences() {
  local library package folder=$stage/licences
  command -v dpkg-query >/dev/null || return 0
  mkdir -p "$folder"
  for library in "${sources_of_libraries[@]}"; do
    package=$(package_of "$library")
    if [[ -n $package && -r /usr/share/doc/$package/copyright ]]; then
      cp -L "/usr/share/doc/$package/copyright" "$folder/$package.txt"
    fi
  done
}

# The same bytes from the same files.
pack() {
  tar --create --directory "$build/bundle" --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime='2000-01-01 00:00Z' "$name" | gzip -n >"$build/$name.tar.gz.part"
  local size
  size=$(stat --format=%s "$build/$name.tar.gz.part")
  ((size <= most)) || give_up "$size bytes are more than $most; see what is large in $stage"
  mv "$build/$name.tar.gz.part" "$build/$name.tar.gz"
  echo "$build/$name.tar.gz: $((size / 1000000)) MB"
}

lay_down
if [[ -n $mpirun ]]; then add_open_mpi "$mpirun"; fi
add_libraries
add_licences
forget_folders
pack
