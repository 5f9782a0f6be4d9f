#include "microbench/modules/local_place.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr int kMostRanks = 1 << 20;
constexpr int kMostPerGpu = 64;

struct Names {
  const char* rank;
  const char* size;
};

/// Slurm tells the size as text for all nodes; each rank is enough to choose a device by.
constexpr std::array kLaunchers = {
    Names{"LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    Names{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Names{"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    Names{"SLURM_LOCALID", nullptr},
};

}  // namespace

std::optional<std::string> process_environment(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  return value;
}

std::optional<int> number_in(const Environment& environment, const char* variable, int least,
                             int most) {
  const std::optional<std::string> text = environment(variable);
  if (!text) return std::nullopt;
  int value = 0;
  const char* last = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), last, value);
  if (error != std::errc{} || end != last || value < least || value > most) {
    throw EnvironmentError("the environment variable " + std::string(variable) + " is \"" + *text +
                           "\", which is not a number from " + std::to_string(least) + " to " +
                           std::to_string(most));
  }
  return value;
}

LocalPlace local_place(const Environment& environment) {
  for (const Names& names : kLaunchers) {
    const std::optional<int> rank = number_in(environment, names.rank, 0, kMostRanks);
    if (!rank) continue;
    LocalPlace place{*rank, *rank + 1};
    if (names.size == nullptr) return place;
    if (const auto size = number_in(environment, names.size, 1, kMostRanks)) place.size = *size;
    if (place.rank < place.size) return place;
    throw EnvironmentError(std::string(names.rank) + " is " + std::to_string(place.rank) +
                           ", and " + names.size + " is " + std::to_string(place.size));
  }
  return {};
}

int local_device(const LocalPlace& place, int devices, const Environment& environment) {
  const int ranks = number_in(environment, kRanksPerGpu, 1, kMostPerGpu).value_or(0);
  if (ranks == 0) return place.rank % devices;
  const int device = place.rank / ranks;
  if (device < devices) return device;
  throw EnvironmentError("rank " + std::to_string(place.rank) + " of this host, with " +
                         std::to_string(ranks) + " on each GPU, would take GPU " +
                         std::to_string(device) + ", and there are " + std::to_string(devices) +
                         "; start fewer ranks, or more on each GPU");
}

bool shares_device(const LocalPlace& place, int devices, const Environment& environment) {
  const int ranks = number_in(environment, kRanksPerGpu, 1, kMostPerGpu).value_or(0);
  return ranks == 0 ? place.size > devices : std::min(ranks, place.size) > 1;
}

}  // namespace oracle
