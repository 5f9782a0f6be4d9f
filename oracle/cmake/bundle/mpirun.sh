#!/bin/sh
# mpirun and orted of a bundle: Open MPI's, with the plugins, texts and libraries beside them.
self=$(readlink -f "$0")
prefix=$(dirname "$(dirname "$self")")
export OPAL_PREFIX="$prefix" OPAL_SYSCONFDIR="$prefix/etc"
# PMIx, which looks for its plugins where it was installed, does without those that compress.
export PMIX_MCA_pcompress_base_silence_warning=1
export LD_LIBRARY_PATH="${prefix%/mpi}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# Without an agent that logs in elsewhere, the plugin that wants one ends mpirun also on one machine.
if ! command -v ssh >/dev/null && ! command -v rsh >/dev/null; then
  export OMPI_MCA_plm="${OMPI_MCA_plm:-^rsh}"
fi
exec "$prefix/libexec/$(basename "$0")" "$@"
