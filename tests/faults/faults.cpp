// A few ranks that train in circles and one of them does what it must not:
//
//   faults <fault> <rank> <seconds>     fault: none, stop, stop_at_start, stop_at_end, kill, throw,
//                                       size, label, late, message, exit, leave
//
// Every rank prints its process id on stdout as "pid <number>".

#include <cstdlib>
#include <iostream>
#include <mpi.h>
#include <numeric>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "microbench/comm/communicator.h"

namespace {

using namespace oracle;

constexpr int kSteps = 20;
constexpr int kFaultyStep = 7;

struct Fault {
  std::string kind;
  int rank = 0;
};

/// The step of the faulty rank in which it happens; true: the rank's all_reduce is another.
void strike(const std::string& kind, Communicator& comm) {
  if (kind == "stop") raise(SIGSTOP);
  if (kind == "kill") raise(SIGKILL);
  if (kind == "exit") _exit(1);
  if (kind == "throw") throw std::runtime_error("the loss is not a number");
  if (kind == "late") comm.barrier("extra barrier");
}

void train(Communicator& comm, const Fault& fault) {
  std::vector<int> all(static_cast<std::size_t>(comm.size()));
  std::iota(all.begin(), all.end(), 0);
  const GroupId group = comm.make_group(all);
  std::vector<float> gradient(1000);
  std::vector<float> halo(64);
  const int next = (comm.rank() + 1) % comm.size();
  const int before = (comm.rank() + comm.size() - 1) % comm.size();
  for (int step = 0; step < kSteps; ++step) {
    const bool faulty = step == kFaultyStep && comm.rank() == fault.rank;
    if (faulty) strike(fault.kind, comm);
    const bool short_halo = faulty && fault.kind == "message";
    const std::vector<Peer> sends = {{next, halo.data(), short_halo ? 10 : 32}};
    const std::vector<Peer> receives = {{before, halo.data() + 32, 32}};
    comm.wait(comm.start_messages(sends, receives, Element::fp32, "halo of conv2"));
    const std::int64_t count = faulty && fault.kind == "size" ? 900 : 1000;
    const std::string label = faulty && fault.kind == "label" ? "conv9" : "gradient of conv1";
    comm.wait(comm.start_all_reduce(group, gradient.data(), count, Element::fp32, label));
  }
  if (comm.rank() == fault.rank && fault.kind == "stop_at_end") raise(SIGSTOP);
}

int rank_of_launcher() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr ? 0 : std::atoi(rank);
}

/// The rank that leaves first, where one does.
int first_to_leave = -1;

}  // namespace

/// In place of the library's: the others are still in it when the first has left, and only the
/// launcher ends them.
extern "C" int MPI_Finalize() {
  const int code = PMPI_Finalize();
  if (first_to_leave >= 0 && rank_of_launcher() != first_to_leave) pause();
  return code;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "faults <fault> <rank> <seconds>\n";
    return 2;
  }
  const Fault fault{argv[1], std::atoi(argv[2])};
  std::cout << "pid " << getpid() << std::endl;
  if (fault.kind == "stop_at_start" && rank_of_launcher() == fault.rank) raise(SIGSTOP);
  if (fault.kind == "leave") first_to_leave = fault.rank;
  try {
    WatchdogOptions options;
    options.seconds = std::atof(argv[3]);
    {
      const auto comm = all_communicators().at(0).make(options);
      train(*comm, fault);
      if (comm->rank() == 0) std::cout << "trained\n";
    }
    return first_to_leave >= 0 ? 2 : 0;
  } catch (const std::exception& error) {
    std::cerr << "rank " << rank_of_launcher() << ": " << error.what() << std::endl;
    return 3;
  }
}
