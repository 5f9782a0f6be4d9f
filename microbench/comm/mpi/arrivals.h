#pragma once
// Which ranks of this host have reached MPI's start-up?
//
// Until MPI has started, ranks cannot ask each other. Open MPI gives the ranks of a host a folder
// of the job, which mpirun removes in the end; each leaves a file there before it calls MPI_Init,
// and who waits too long looks which are missing. Under other launchers nothing is known.
//                                                                             tests/faults/

#include <string>

namespace oracle {

class Arrivals {
 public:
  Arrivals();
  /// As the launcher tells it; -1 where it does not.
  int rank() const { return rank_; }
  void arrive() const;
  /// "rank 2 has not come"; empty where nothing is known.
  std::string missing() const;

 private:
  std::string file_of(int local_rank) const;

  std::string folder_;
  int rank_ = -1;
  int local_rank_ = -1;
  int local_ranks_ = 0;
  int ranks_ = 0;
};

}  // namespace oracle
