// rate <Mbit/s>: one rank on each of several hosts; the sums of a long all_reduce are right, and it
// takes no less time than the links allow.

#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "microbench/comm/communicator.h"
#include "tests/ranks/check.h"

namespace {

using namespace oracle;

constexpr std::int64_t kCount = 1000000;
/// What a link lets pass at once, before its rate limit holds (the bed's burst, and one packet).
constexpr double kBurstBytes = 32768 + 1514;

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

void check(Communicator& comm, double bytes_per_second, Verdicts& verdicts) {
  const std::vector<std::string> names = comm.gather(host_name(), "host names");
  const std::set<std::string> hosts(names.begin(), names.end());
  verdicts.equal("hosts", hosts.size(),
                 comm.rank() == 0 ? static_cast<std::size_t>(comm.size()) : 0U);

  std::vector<int> all(static_cast<std::size_t>(comm.size()));
  std::iota(all.begin(), all.end(), 0);
  const GroupId group = comm.make_group(all);
  std::vector<float> gradient;
  for (std::int64_t i = 0; i < kCount; ++i) {
    gradient.push_back(static_cast<float>((i + comm.rank()) % 100));
  }
  comm.barrier("before");
  comm.reset_bytes();
  const auto start = std::chrono::steady_clock::now();
  comm.wait(comm.start_all_reduce(group, gradient.data(), kCount, Element::fp32, "gradient"));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  // A rank waits for bytes that its neighbour sends: n equal shares in each of 2(n-1) rounds.
  const double least = (static_cast<double>(comm.bytes_sent()) - kBurstBytes) / bytes_per_second;
  verdicts.equal("not faster than the link", took.count() >= least, true);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < kCount; ++i) {
    float sum = 0;
    for (int rank = 0; rank < comm.size(); ++rank) sum += static_cast<float>((i + rank) % 100);
    wrong += gradient[static_cast<std::size_t>(i)] == sum ? 0 : 1;
  }
  verdicts.equal("wrong sums", wrong, 0);
  if (comm.rank() == 0) {
    std::cout << comm.bytes_sent() << " bytes in " << took.count() << " s, bound " << least
              << " s\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "rate <Mbit/s>\n";
    return 2;
  }
  try {
    const auto comm = all_communicators().at(0).make({});
    Verdicts verdicts;
    check(*comm, std::atof(argv[1]) * 1e6 / 8, verdicts);
    return verdicts.gathered(*comm);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 3;
  }
}
