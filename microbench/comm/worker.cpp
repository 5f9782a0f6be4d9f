#include "microbench/comm/worker.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/base/exit_code.h"

namespace oracle {
namespace {

/// Has this rank no core for its worker beside the one that computes?
bool cores_are_few() {
  cpu_set_t own;
  return sched_getaffinity(0, sizeof own, &own) == 0 && CPU_COUNT(&own) < 2;
}

/// A thread that asks for a short slice of time interrupts one that has a longer one, as whoever
/// computes does. Linux 6.12 and later; others take no notice.
void interrupt_who_computes() {
  // What the C library has no name for: struct sched_attr of Linux 3.14.
  struct {
    std::uint32_t size = 48, policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 100'000;  // [ns], the least there is
    std::uint64_t deadline = 0, period = 0;
  } attributes;
  static_assert(sizeof attributes == 48);
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

/// While it lives. Under a lock that outlives it.
class OneMore {
 public:
  explicit OneMore(int& count) : count_(count) { ++count_; }
  ~OneMore() { --count_; }
  OneMore(const OneMore&) = delete;
  OneMore& operator=(const OneMore&) = delete;

 private:
  int& count_;
};

}  // namespace

Worker::Worker(std::unique_ptr<Transport> transport, const WatchdogOptions& options,
               std::function<void(const std::string&)> report)
    : transport_(std::move(transport)),
      watchdog_(options, journal_, actions(std::move(report))),
      thread_([this] { serve(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  worker_wakes_.notify_one();
  thread_.join();
}

/// Until it holds or the watchdog has spoken; past a fault nothing counts as done.
template <typename Holds>
void Worker::wait_for(std::unique_lock<std::mutex>& lock, const Holds& holds) {
  user_wakes_.wait(lock, [&] { return !failure_.empty() || (!stopped_ && holds()); });
  if (!failure_.empty()) throw EnvironmentError(failure_);
}

WatchdogActions Worker::actions(std::function<void(const std::string&)> report) {
  WatchdogActions actions;
  if (report) {
    actions.report = [this, report = std::move(report)](const std::string& line) {
      report(line);
      fail(line);
    };
  }
  actions.abort_all = [this] {
    const std::lock_guard lock(mutex_);
    aborting_ = true;
    worker_wakes_.notify_one();
  };
  actions.before_contact = [this] { return transport_->missing_before_open(); };
  return actions;
}

Ticket Worker::new_ticket() {
  const std::lock_guard lock(mutex_);
  return next_ticket_++;
}

Ticket Worker::note(Pending& entry) {
  entry.ticket = new_ticket();
  journal_.begin(entry);
  return entry.ticket;
}

Ticket Worker::enqueue(Ticket ticket, std::unique_ptr<Run> run) {
  {
    const std::lock_guard lock(mutex_);
    running_.insert(ticket);
    starting_.push_back({ticket, std::move(run)});
  }
  worker_wakes_.notify_one();
  return ticket;
}

void Worker::do_there(const std::function<void()>& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  worker_wakes_.notify_one();
  wait_for(lock, [&] { return work_ == nullptr; });
}

void Worker::serve() {
  prctl(PR_SET_TIMERSLACK, 1000);  // the pauses are shorter than the usual slack of 50 us
  interrupt_who_computes();
  std::vector<Started> active;
  Patience patience(cores_are_few());
  bool moved = false;
  while (take(active, patience, std::exchange(moved, false))) {
    try {
      moved = advance(active);
      if (moved) patience.renew(Patience::Clock::now());
    } catch (const Mismatch& error) {
      stop(active, error.what(), true);
    } catch (const std::exception& error) {
      stop(active, error.what(), false);
    }
  }
}

/// Nothing goes on from here; the watchdog says why and ends the program.
void Worker::stop(std::vector<Started>& active, const std::string& what, bool compare) {
  const auto entry = advancing_ ? journal_.pending(*advancing_) : journal_.oldest();
  watchdog_.report_fault(entry.value_or(Pending()), what, compare);
  // What is under way may still be written to by the transport.
  std::move(active.begin(), active.end(), std::back_inserter(abandoned_));
  active.clear();
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

bool Worker::called() const {
  return leaving_ || aborting_ || work_ != nullptr || !starting_.empty();
}

void Worker::let_others_compute(std::unique_lock<std::mutex>& lock, Patience& patience) {
  const auto now = Patience::Clock::now();
  if (const auto pause = patience.next(now, waiting_ > 0); pause.count() > 0) {
    worker_wakes_.wait_for(lock, pause, [&] { return hurried_ || called(); });
    return;
  }
  lock.unlock();
  std::this_thread::yield();
  const auto back = Patience::Clock::now();
  patience.gave_way(back, back - now);
  lock.lock();
}

/// Takes over what was started; sleeps while there is nothing to do, and lets others compute where
/// nothing has moved. False: leave.
bool Worker::take(std::vector<Started>& active, Patience& patience, bool moved) {
  std::unique_lock lock(mutex_);
  if (active.empty()) {
    worker_wakes_.wait(lock, [&] { return called(); });
  } else if (!moved) {
    let_others_compute(lock, patience);
  }
  if (hurried_) patience.renew(Patience::Clock::now());
  hurried_ = false;
  std::vector<Started>& into = stopped_ ? abandoned_ : active;
  std::move(starting_.begin(), starting_.end(), std::back_inserter(into));
  starting_.clear();
  if (leaving_) return false;
  if (aborting_) transport_->abort(status_of(ExitCode::surroundings));
  const std::function<void()>* work = work_;
  if (work == nullptr) return true;
  lock.unlock();
  do_work(active, *work);
  lock.lock();
  work_ = nullptr;
  user_wakes_.notify_all();
  return true;
}

void Worker::do_work(std::vector<Started>& active, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    stop(active, error.what(), false);
  }
}

/// Whether anything moved.
bool Worker::advance(std::vector<Started>& active) {
  bool moved = false;
  std::vector<Ticket> done;
  for (Started& started : active) {
    advancing_ = started.ticket;
    const Progress progress = started.run->advance(*transport_);
    moved = moved || progress.moved;
    if (progress.done) done.push_back(started.ticket);
  }
  advancing_.reset();
  if (done.empty()) return moved;
  std::erase_if(active, [&](const Started& started) {
    return std::find(done.begin(), done.end(), started.ticket) != done.end();
  });
  for (const Ticket ticket : done) journal_.end(ticket);
  {
    const std::lock_guard lock(mutex_);
    for (const Ticket ticket : done) running_.erase(ticket);
  }
  user_wakes_.notify_all();
  return true;
}

void Worker::fail(const std::string& message) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = message;
    work_ = nullptr;
  }
  user_wakes_.notify_all();
}

void Worker::wait(Ticket ticket) {
  std::unique_lock lock(mutex_);
  ensure(ticket < next_ticket_, "wait for a ticket that no operation gave");
  if (running_.contains(ticket)) {
    hurried_ = true;
    worker_wakes_.notify_one();
  }
  const OneMore waits(waiting_);
  wait_for(lock, [&] { return !running_.contains(ticket); });
}

bool Worker::done(Ticket ticket) const {
  const std::lock_guard lock(mutex_);
  return failure_.empty() && !stopped_ && !running_.contains(ticket);
}

bool Worker::failed() const {
  const std::lock_guard lock(mutex_);
  return !failure_.empty();
}

}  // namespace oracle
