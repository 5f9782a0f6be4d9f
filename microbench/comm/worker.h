#pragma once
// Who moves the messages while the program computes?
//
// A thread of its own runs every operation over the transport, so a bucket's all-reduce advances
// under backward. It polls while something is under way and sleeps while nothing is; where cores
// are few it sleeps between polls, longer the longer nothing arrives.
//
//   program ─ enqueue ► worker's thread: post, test, fold ─ done ► wait
//                                                     tests/microbench/comm/communicator_test.cpp

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "microbench/comm/journal.h"
#include "microbench/comm/patience.h"
#include "microbench/comm/run.h"
#include "microbench/comm/transport.h"
#include "microbench/comm/watchdog.h"

namespace oracle {

class Worker {
 public:
  /// `report`: see make_communicator (engine.h).
  Worker(std::unique_ptr<Transport> transport, const WatchdogOptions& options,
         std::function<void(const std::string&)> report);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Its calls belong into `do_there`, but for those that any thread may make.
  Transport& transport() { return *transport_; }
  Journal& journal() { return journal_; }
  Watchdog& watchdog() { return watchdog_; }

  /// A ticket for what the journal need not know.
  Ticket new_ticket();
  /// Enters an operation in the journal and gives it its ticket.
  Ticket note(Pending& entry);
  Ticket enqueue(Ticket ticket, std::unique_ptr<Run> run);
  /// Throws EnvironmentError once the watchdog has spoken, as `do_there` does.
  void wait(Ticket ticket);
  /// Not before `wait` would return; never once the watchdog has spoken.
  bool done(Ticket ticket) const;
  /// Runs `work` on the worker's thread and waits for it.
  void do_there(const std::function<void()>& work);

  void fail(const std::string& message);
  bool failed() const;

 private:
  struct Started {
    Ticket ticket = 0;
    std::unique_ptr<Run> run;
  };

  WatchdogActions actions(std::function<void(const std::string&)> report);
  template <typename Holds>
  void wait_for(std::unique_lock<std::mutex>& lock, const Holds& holds);
  void serve();
  /// Whether the worker has something new to do. Under the lock.
  bool called() const;
  /// For a pause, or until something is started; who waits for a message may cut it short.
  void let_others_compute(std::unique_lock<std::mutex>& lock, Patience& patience);
  bool take(std::vector<Started>& active, Patience& patience, bool moved);
  void do_work(std::vector<Started>& active, const std::function<void()>& work);
  bool advance(std::vector<Started>& active);
  void stop(std::vector<Started>& active, const std::string& what, bool compare);

  std::unique_ptr<Transport> transport_;
  Journal journal_;

  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable worker_wakes_;
  std::condition_variable user_wakes_;
  std::vector<Started> starting_;
  std::set<Ticket> running_;
  Ticket next_ticket_ = 0;
  const std::function<void()>* work_ = nullptr;
  int waiting_ = 0;       ///< threads of the program
  bool hurried_ = false;  ///< one more of them than when the worker looked
  bool leaving_ = false;
  bool aborting_ = false;
  bool stopped_ = false;  ///< by a fault
  std::string failure_;

  std::optional<Ticket> advancing_;  ///< of the worker's thread
  std::vector<Started> abandoned_;

  Watchdog watchdog_;
  std::thread thread_;
};

}  // namespace oracle
