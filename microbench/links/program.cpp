#include "microbench/links/program.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <ostream>
#include <set>

#include "microbench/comm/launch.h"
#include "microbench/links/samples_json.h"
#include "oracle/base/error.h"
#include "oracle/base/whole_file.h"

namespace oracle {
namespace {

/// What a rank may take for its buffers: a message's two, with room for the system.
double memory_for_a_buffer(std::size_t ranks_on_host) {
  std::ifstream in("/proc/meminfo");
  std::string key, unit;
  double kilobytes = 0;
  while (in >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024 / 6 / static_cast<double>(ranks_on_host);
    std::getline(in, unit);
  }
  return 1e9;
}

std::size_t most_ranks_on_a_host(std::span<const LinkPlace> places) {
  std::map<std::string, std::size_t> count;
  std::size_t most = 0;
  for (const LinkPlace& place : places) most = std::max(most, ++count[place.host]);
  return most;
}

/// The least of all ranks', so that they agree.
std::int64_t largest_of_all(const LinkSession& session, const LinksRequest& request,
                            std::span<const LinkPlace> places) {
  const double own =
      std::min(request.largest.value, memory_for_a_buffer(most_ranks_on_a_host(places)));
  const std::vector<double> all = seconds_of_all(session, own);
  return static_cast<std::int64_t>(*std::min_element(all.begin(), all.end()));
}

MeasuringContext context_of(std::span<const char* const> words, const Communicator& communicator,
                            const LinkDevice& device, std::span<const LinkPlace> places) {
  std::vector<const char*> all = {"oracle-bench-links"};
  all.insert(all.end(), words.begin(), words.end());
  MeasuringContext context = measuring_context(all);
  std::set<std::string> hosts;
  for (const LinkPlace& place : places) hosts.insert(place.host);
  context.emplace_back("communicator", communicator.library());
  if (device.backend) context.emplace_back("device", device.backend->device());
  context.emplace_back("ranks", std::to_string(places.size()));
  context.emplace_back("hosts", std::to_string(hosts.size()));
  return context;
}

void measure_and_write(Communicator& communicator, std::span<const char* const> words) {
  const LinksRequest request = read_links_request(words);
  if (communicator.size() < 2) {
    throw InputError("", "a single rank has no partner",
                     "start several: mpirun -np 2 oracle-bench-links --out links.json");
  }
  std::vector<int> ranks(static_cast<std::size_t>(communicator.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  const LinkDevice device = link_device(request.device);
  GroupTable groups(communicator);
  const LinkSession session{communicator, groups,
                            [&](std::int64_t bytes) { return device.buffer(bytes); },
                            groups.of(ranks)};
  const std::vector<LinkPlace> places =
      all_places(communicator, session.make_buffer, session.world, own_place());
  const std::vector<LinkCase> cases = link_cases(places);
  // What computes beside a transfer is the processor: it tells nothing of a device.
  const LinkLimits limits{largest_of_all(session, request, places), request.quick ? 4 : 2,
                          request.seconds, !device.backend};
  const MeasuredLinks measured = measure_links(session, cases, limits);
  if (communicator.rank() == 0) {
    write_file(request.out,
               link_samples_json(context_of(words, communicator, device, places), measured));
  }
}

/// Words that are not understood are so on every rank: the ranks part in order, then rank 0 says
/// what is wrong. A launcher kills the others as soon as one leaves with another code than 0.
void measure_together(std::span<const char* const> words) {
  WatchdogOptions watchdog;
  std::string device = "cpu";
  try {
    const LinksRequest request = read_links_request(words);
    watchdog.seconds = request.watchdog;
    device = request.device;
  } catch (const InputError&) {
    // Reported below, once, by the first rank.
  }
  std::exception_ptr problem;
  {
    const auto communicator = link_communicator(device).make(watchdog);
    try {
      measure_and_write(*communicator, words);
    } catch (const InputError&) {
      if (communicator->rank() == 0) problem = std::current_exception();
    }
  }
  if (problem != nullptr) std::rethrow_exception(problem);
}

/// Without what asks for them.
std::vector<std::string> words_of_ranks(std::span<const char* const> words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--ranks") {
      ++i;
    } else if (!word.starts_with("--ranks=")) {
      kept.emplace_back(word);
    }
  }
  return kept;
}

void start_ranks(int ranks, std::span<const char* const> words) {
  LaunchOptions options;
  options.ranks = ranks;
  options.command = {std::filesystem::read_symlink("/proc/self/exe").string()};
  for (std::string& word : words_of_ranks(words)) options.command.push_back(std::move(word));
  options.environment = {{"OMP_NUM_THREADS", "1"}};
  const LaunchResult result = launch(options);
  if (result.exit_code == 0) return;
  throw EnvironmentError(result.sentence.empty()
                             ? "the ranks ended with exit code " + std::to_string(result.exit_code)
                             : result.sentence);
}

/// Nothing where words are not understood: the ranks say so.
std::optional<int> ranks_to_start(std::span<const char* const> words) {
  try {
    return read_links_request(words).ranks;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

int run_links(std::span<const char* const> words, std::ostream& out, std::ostream& err) {
  return cli::run_program(links_command(), words, out, err, [&] {
    if (const std::optional<int> ranks = ranks_to_start(words)) {
      start_ranks(*ranks, words);
    } else {
      measure_together(words);
    }
    return ExitCode::answered;
  });
}

}  // namespace oracle
