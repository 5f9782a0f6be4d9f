#include "microbench/comm/mpi/arrivals.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>

namespace oracle {
namespace {

std::string text_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

/// The first of the variables that holds a number.
int number_of(std::initializer_list<const char*> variables) {
  for (const char* variable : variables) {
    const std::string text = text_of(variable);
    if (!text.empty()) return std::atoi(text.c_str());
  }
  return -1;
}

}  // namespace

Arrivals::Arrivals()
    : folder_(text_of("PMIX_SERVER_TMPDIR")),
      rank_(number_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})),
      local_rank_(number_of({"OMPI_COMM_WORLD_LOCAL_RANK"})),
      local_ranks_(number_of({"OMPI_COMM_WORLD_LOCAL_SIZE"})),
      ranks_(number_of({"OMPI_COMM_WORLD_SIZE"})) {}

std::string Arrivals::file_of(int local_rank) const {
  return folder_ + "/oracle-arrived-" + std::to_string(local_rank);
}

void Arrivals::arrive() const {
  if (folder_.empty() || local_rank_ < 0) return;
  std::ofstream(file_of(local_rank_)).flush();
}

std::string Arrivals::missing() const {
  if (folder_.empty() || local_rank_ < 0) return {};
  std::string text;
  for (int local = 0; local < local_ranks_; ++local) {
    std::error_code ignored;
    if (std::filesystem::exists(file_of(local), ignored)) continue;
    text += (text.empty() ? "" : " ") + std::to_string(local);
  }
  // On one host a rank's number there is its number in the job.
  const bool one_host = local_ranks_ == ranks_;
  if (text.empty()) return one_host ? "" : "all ranks of this host have come; look at the others";
  return (one_host ? "not come: rank " : "not come of this host's: local rank ") + text;
}

}  // namespace oracle
