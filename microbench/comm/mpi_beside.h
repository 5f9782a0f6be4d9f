#pragma once
// Which MPI do the programs use: the machine's, or one that came with them?
//
// A bundle brings Open MPI in lib/oracle/mpi beside its bin/. Its libraries look for their plugins
// and texts where they were installed once; Open MPI takes another place from OPAL_PREFIX and
// OPAL_SYSCONFDIR, whatever these named before. PMIx does without its plugin that compresses.
//
// Worked: /opt/oracle/bin/oracle-train uses /opt/oracle/lib/oracle/mpi if that has bin/mpirun
//                                                   tests/microbench/comm/mpi_beside_test.cpp

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace oracle {

/// The prefix of the MPI that came with `program`, if one did.
std::optional<std::filesystem::path> mpi_beside(const std::filesystem::path& program);

/// What starts ranks: that MPI's mpirun, else the one of PATH.
std::string mpirun_for(const std::filesystem::path& program);

/// What the environment must say before MPI starts in a rank of `program`; empty for the machine's.
std::map<std::string, std::string> mpi_environment(const std::filesystem::path& program);

}  // namespace oracle
