#pragma once
// How are ranks started on this machine, and what does their end mean?
//
// mpirun runs as a child in a process group of its own. Signals to this program are passed on to
// it; what is left of the ranks when it ends is killed. Where there is a core for each rank, each
// is bound to one; where ranks outnumber cores none is, and MPI yields while it waits.
//
//   ranks ended with        exit code    and a sentence
//   0, 1, 2, 3, 70          the same     for 3 and 70, where mpirun names the rank
//   killed by a signal      3            which rank, on which host, by which signal
//   anything else           3            the exit code
//
// Worked: 4 ranks on 2 cores: mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -np
// 4
//                                                         tests/microbench/comm/launch_test.cpp

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oracle {

struct LaunchOptions {
  int ranks = 1;
  std::vector<std::string> command;  ///< the program of each rank and its arguments
  std::vector<std::string> mpirun_arguments;
  /// Set for the ranks, on every host.
  std::vector<std::pair<std::string, std::string>> environment;
};

struct LaunchResult {
  int exit_code = 0;
  std::string sentence;  ///< empty where nothing is to be said
};

/// Cores that this process may run on; hardware threads of one core count once.
int usable_cores();

std::vector<std::string> mpirun_command(const LaunchOptions& options, int cores, bool as_root);

/// Starts the ranks and waits for their end. Their stdout is this program's; their stderr as well,
/// less what mpirun itself says of their end. Throws EnvironmentError where mpirun cannot be
/// started.
LaunchResult launch(const LaunchOptions& options);

/// Which rank ended first, as mpirun tells it.
struct RankEnd {
  int rank = -1;
  std::string host;
  std::string how;  ///< "was ended by signal 9 (Killed)"

  bool operator==(const RankEnd&) const = default;
};

/// Tells mpirun's own texts, between two lines of dashes, from what the ranks print.
class LauncherText {
 public:
  /// What to print of this line and those held back before it, with line ends.
  std::string take(std::string_view line);
  /// What is still held back when the text ends.
  std::string rest();
  const std::optional<RankEnd>& first_end() const { return end_; }

 private:
  std::string block_;
  bool inside_ = false;
  std::optional<RankEnd> end_;
};

/// `status` as waitpid gives it for mpirun.
LaunchResult meaning_of(int status, const std::optional<RankEnd>& end);

}  // namespace oracle
