# Open MPI's runtime for a bundle: mpirun and orted, the plugins for one machine and for TCP, texts and settings,
# below lib/oracle/mpi in the folders that Open MPI itself looks for under OPAL_PREFIX. Sourced by bundle.sh, after
# it set $here, $stage and $private.
# shellcheck shell=bash disable=SC2154

# Plugins that need a fabric's libraries, and those of files and of OpenSHMEM, which nothing here uses.
left_out='_(ofi|ucx|psm2?|openib|verbs|usnic|monitoring|flux)\.so$'
left_out+='|/mca_(atomic|fbtl|fcoll|fs|io|memheap|scoll|sharedfp|spml|sshmem)_|/libompi_dbg_'

# add_open_mpi <mpirun>
add_open_mpi() {
  local info folder=$private/mpi prefix plugins texts settings plugin
  info=$(dirname "$1")/ompi_info
  [[ -x $info ]] || give_up "$1 is not Open MPI's (no ompi_info beside it); build with Open MPI, or without MPI"
  # path:<name>:<folder> lines
  prefix=$("$info" --parsable --path prefix | cut -d: -f3)
  plugins=$("$info" --parsable --path pkglibdir | cut -d: -f3)
  texts=$("$info" --parsable --path pkgdatadir | cut -d: -f3)
  settings=$("$info" --parsable --path sysconfdir | cut -d: -f3)
  [[ $plugins == "$prefix"/* && $texts == "$prefix"/* ]] || give_up "Open MPI's $plugins is not below $prefix"

  mkdir -p "$folder"/{bin,libexec,etc} "$folder/${plugins#"$prefix"/}" "$folder/${texts#"$prefix"/}"
  cp -L "$1" "$folder/libexec/mpirun"
  cp -L "$(dirname "$1")/orted" "$folder/libexec/orted"
  install -m 755 "$here/mpirun.sh" "$folder/bin/mpirun"
  ln -s mpirun "$folder/bin/orted"
  ln -s ../lib/oracle/mpi/bin/mpirun "$stage/bin/mpirun"
  for plugin in "$plugins"/*.so; do
    if [[ ! $plugin =~ $left_out ]]; then cp -L "$plugin" "$folder/${plugins#"$prefix"/}/"; fi
  done
  cp -L "$texts"/help-*.txt "$folder/${texts#"$prefix"/}/"
  cp -L "$settings"/openmpi-mca-params.conf "$folder/etc/"
  sources_of_libraries+=("$1")
}
