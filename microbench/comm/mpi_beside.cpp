#include "microbench/comm/mpi_beside.h"

#include <system_error>

namespace oracle {

namespace fs = std::filesystem;

std::optional<fs::path> mpi_beside(const fs::path& program) {
  const fs::path prefix = (program.parent_path() / "../lib/oracle/mpi").lexically_normal();
  std::error_code ignored;
  if (!fs::exists(prefix / "bin/mpirun", ignored)) return std::nullopt;
  return prefix;
}

std::string mpirun_for(const fs::path& program) {
  const auto prefix = mpi_beside(program);
  return prefix ? (*prefix / "bin/mpirun").string() : "mpirun";
}

std::map<std::string, std::string> mpi_environment(const fs::path& program) {
  const auto prefix = mpi_beside(program);
  if (!prefix) return {};
  return {{"OPAL_PREFIX", prefix->string()},
          {"OPAL_SYSCONFDIR", (*prefix / "etc").string()},
          {"PMIX_MCA_pcompress_base_silence_warning", "1"}};
}

}  // namespace oracle
