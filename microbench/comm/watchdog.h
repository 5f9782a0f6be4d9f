#pragma once
// What happens when an operation does not complete?
//
// A thread of its own looks at the journal. When the oldest operation is older than the limit, or
// the engine reports a fault, it asks the other ranks what they are at, prints one line that names
// this rank, the operation and who did not come, and ends the program with exit code 3: all ranks
// through the transport, or this one alone where even that hangs.
//
// When a launcher ends this rank because another one died (SIGTERM), the line names the one that is
// gone.                                                   tests/faults/, tests/microbench/comm/

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "microbench/comm/beacon.h"
#include "microbench/comm/blame.h"
#include "microbench/comm/journal.h"

namespace oracle {

struct WatchdogActions {
  /// Gets the line. Where it is empty the line goes to stderr and the program ends.
  std::function<void(const std::string&)> report;
  /// Asks the engine to end all ranks; returns at once.
  std::function<void()> abort_all;
  /// What is known where the other ranks are not yet: start-up.
  std::function<std::string()> before_contact;
};

class Watchdog {
 public:
  Watchdog(const WatchdogOptions& options, const Journal& journal, WatchdogActions actions);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  const BeaconAddress& address() const { return beacon_.address(); }
  /// From here on the others can be asked.
  void know(int rank, std::vector<BeaconAddress> addresses, std::uint64_t token);

  /// All ranks have come to the end: from here on one that is gone has left, and is not missed when
  /// a launcher ends this rank because another left with a code of its own.
  void part();

  /// A fault that the engine found in `operation`, reported by the watchdog's thread. `compare`:
  /// look for the member that differs.
  void report_fault(const Pending& operation, const std::string& what, bool compare);

 private:
  struct Fault {
    Pending operation;
    std::string what;
    bool compare = false;
  };

  /// How to reach the others, once that is known.
  struct Contacts {
    int rank = -1;
    std::vector<BeaconAddress> addresses;
    std::vector<RankPlace> places;
    std::uint64_t token = 0;
  };

  void watch();
  void wake() const;
  std::chrono::milliseconds tick() const;
  void serve();
  void serve_until(std::chrono::steady_clock::time_point end);
  std::map<int, Answer> ask_others(const Pending* operation, Purpose purpose,
                                   std::chrono::milliseconds limit);
  void handle_overdue(const Pending& operation);
  void handle_fault(const Fault& fault);
  void handle_termination();
  void finish(const std::string& line);
  Contacts contacts() const;
  bool parted() const;
  std::string self() const;

  WatchdogOptions options_;
  const Journal& journal_;
  WatchdogActions actions_;
  Beacon beacon_;
  int wake_ = -1;
  int signals_ = -1;

  mutable std::mutex mutex_;  ///< guards what follows
  Contacts contacts_;
  std::optional<Fault> fault_;
  bool parted_ = false;
  bool leaving_ = false;

  bool told_ = false;      ///< another rank reports; this one holds back
  bool finished_ = false;  ///< of the watchdog's thread
  std::thread thread_;
};

}  // namespace oracle
