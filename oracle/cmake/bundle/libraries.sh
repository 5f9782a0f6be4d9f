# Which shared libraries does a bundle need? Everything that its programs, modules and plugins name, but for glibc,
# which every system has its own of, and NVIDIA's. Sourced by bundle.sh, after it set $cmake, $stage and $private.
# shellcheck shell=bash disable=SC2154

sources_of_libraries=()

is_of_glibc() {
  [[ $1 =~ ^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|mvec|nsl|anl))\.so ]]
}

is_of_nvidia() {
  [[ $1 =~ ^lib(cuda|cudart|cublas|cublasLt|cudnn|cufft|curand|cusolver|cusparse|cupti|nccl|nvrtc|nvidia|nvJitLink)[._-] ]]
}

is_elf() { [[ $(head -c 4 "$1" | tr -d '\0') == $'\x7fELF' ]]; }

# elf_files <folder>
elf_files() {
  find "$1" -type f | while IFS= read -r file; do
    if is_elf "$file"; then printf '%s\n' "$file"; fi
  done
}

# Names that a file asks for.
needed() { objdump --private-headers "$1" | awk '$1 == "NEEDED" { print $2 }'; }

# Where the system's loader finds what a file asks for: "name path" lines.
found_by_loader() {
  LD_LIBRARY_PATH=$private${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }'
}

# add_libraries_of <file>: copies what is missing of them, and of what they need.
add_libraries_of() {
  local file=$1 name path
  local -A place=()
  while read -r name path; do place[$name]=$path; done < <(found_by_loader "$file")
  while IFS= read -r name; do
    if is_of_glibc "$name" || is_of_nvidia "$name" || [[ -e $private/$name ]]; then continue; fi
    [[ -n ${place[$name]-} ]] || give_up "$file needs $name, which the loader does not find"
    cp -L "${place[$name]}" "$private/$name"
    chmod u+w "$private/$name"
    sources_of_libraries+=("${place[$name]}")
    add_libraries_of "$private/$name"
  done < <(needed "$file")
}

add_libraries() {
  local file
  while IFS= read -r file; do add_libraries_of "$file"; done < <(elf_files "$stage")
}

# Folders that a library was built to look in would come before the bundle's; what a program says holds for
# the libraries that say nothing.
forget_folders() {
  local file
  while IFS= read -r file; do
    if [[ ${file##*/} == oracle-*.so ]]; then continue; fi
    printf 'file(RPATH_REMOVE FILE "%s")\n' "$file"
  done < <(elf_files "$private") >"$build/bundle/forget.cmake"
  "$cmake" -P "$build/bundle/forget.cmake"
}

# The package that a file of the system belongs to, under either name of /lib.
package_of() {
  local path=$1 candidate
  for candidate in "$path" "/usr$path" "$(readlink -f "$path")" "${path#/usr}"; do
    dpkg-query --search "$candidate" 2>/dev/null | sed 's/[:,].*//' | grep . && return
  done || true
}
