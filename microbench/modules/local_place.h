#pragma once
// Which of its host's ranks is this one? Launchers tell it in the environment: torchrun, Open MPI,
// MPICH, Slurm; without one it is the first and only.
//
// Worked: OMPI_COMM_WORLD_LOCAL_RANK=2 and OMPI_COMM_WORLD_LOCAL_SIZE=4: the third of four
//                                                     tests/microbench/modules/local_place_test.cpp

#include <functional>
#include <optional>
#include <string>

namespace oracle {

/// The value of a variable, if it is set.
using Environment = std::function<std::optional<std::string>(const char*)>;
std::optional<std::string> process_environment(const char* variable);

struct LocalPlace {
  int rank = 0;
  int size = 1;
  bool operator==(const LocalPlace&) const = default;
};

/// Throws EnvironmentError where a variable holds no number, or a rank beyond the size.
LocalPlace local_place(const Environment& environment = process_environment);

/// Neighbours that share a device: the variable that says how many.
inline constexpr const char* kRanksPerGpu = "ORACLE_RANKS_PER_GPU";

/// Which of its host's `devices` a rank takes. Told how many share one, neighbours do; else ranks
/// take them in turn. Throws EnvironmentError where there are too few.
///
/// Worked: 2 devices; the third of four ranks takes the first, and with ORACLE_RANKS_PER_GPU=2 the
/// second
int local_device(const LocalPlace& place, int devices,
                 const Environment& environment = process_environment);

/// Whether two ranks of a host have the same device.
bool shares_device(const LocalPlace& place, int devices,
                   const Environment& environment = process_environment);

/// A variable that holds a number from `least` to `most`.
std::optional<int> number_in(const Environment& environment, const char* variable, int least,
                             int most);

}  // namespace oracle
