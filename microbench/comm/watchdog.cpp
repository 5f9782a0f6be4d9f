#include "microbench/comm/watchdog.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <pthread.h>
#include <set>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

#include "oracle/base/exit_code.h"

namespace oracle {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Beyond this many ranks only the members of the operation are asked.
constexpr std::size_t kAskEverybody = 256;
constexpr milliseconds kAnswerLimit{1500};
/// Launchers send SIGKILL a second after SIGTERM.
constexpr milliseconds kLastAnswerLimit{300};
constexpr milliseconds kAskAgain{50};
constexpr milliseconds kLinger{700};
/// For the transport to end all ranks, before this one ends alone.
constexpr std::chrono::seconds kAbortLimit{2};

sigset_t termination() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  return set;
}

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g s", seconds);
  return text.data();
}

void print_line(const std::string& line) {
  const std::string whole = line + "\n";
  // One write, so that lines of several ranks do not mix.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, whole.data(), whole.size());
}

}  // namespace

Watchdog::Watchdog(const WatchdogOptions& options, const Journal& journal, WatchdogActions actions)
    : options_(options), journal_(journal), actions_(std::move(actions)) {
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!actions_.report) {
    // Blocked here, before the engine's and the library's threads exist, so that all inherit it and
    // the signal reaches the watchdog alone.
    const sigset_t set = termination();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  wake();
  thread_.join();
  if (signals_ >= 0) {
    close(signals_);
    const sigset_t set = termination();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  }
  close(wake_);
}

void Watchdog::know(int rank, std::vector<BeaconAddress> addresses, std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  contacts_.rank = rank;
  contacts_.token = token;
  for (const BeaconAddress& address : addresses) {
    contacts_.places.push_back({address.host, address.pid});
  }
  contacts_.addresses = std::move(addresses);
}

void Watchdog::part() {
  const std::lock_guard lock(mutex_);
  parted_ = true;
}

bool Watchdog::parted() const {
  const std::lock_guard lock(mutex_);
  return parted_;
}

Watchdog::Contacts Watchdog::contacts() const {
  const std::lock_guard lock(mutex_);
  return contacts_;
}

void Watchdog::report_fault(const Pending& operation, const std::string& what, bool compare) {
  {
    const std::lock_guard lock(mutex_);
    fault_ = Fault{operation, what, compare};
  }
  wake();
}

void Watchdog::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
}

/// Often enough that a hang is seen within a tenth of the limit, and within a second.
milliseconds Watchdog::tick() const {
  return milliseconds(static_cast<int>(std::clamp(options_.seconds * 100, 10.0, 1000.0)));
}

void Watchdog::watch() {
  while (true) {
    std::array<pollfd, 3> watched = {
        {{beacon_.descriptor(), POLLIN, 0}, {wake_, POLLIN, 0}, {signals_, POLLIN, 0}}};
    poll(watched.data(), watched.size(), static_cast<int>(tick().count()));
    if (watched[0].revents != 0) serve();
    std::optional<Fault> fault;
    {
      const std::lock_guard lock(mutex_);
      if (leaving_) return;
      fault = std::exchange(fault_, std::nullopt);
    }
    if (finished_) continue;
    if (watched[2].revents != 0) handle_termination();
    if (fault) {
      handle_fault(*fault);
    } else if (const std::optional<Pending> oldest = journal_.oldest()) {
      const std::chrono::duration<double> age = Clock::now() - oldest->since;
      if (age.count() > options_.seconds) handle_overdue(*oldest);
    }
  }
}

void Watchdog::serve() {
  const std::string snapshot = to_text(journal_.snapshot());
  if (beacon_.answer(contacts().token, snapshot) == Purpose::report) told_ = true;
}

std::map<int, Answer> Watchdog::ask_others(const Pending* operation, Purpose purpose,
                                           milliseconds limit) {
  const Contacts known = contacts();
  const std::set<int> concerned = operation == nullptr ? std::set<int>() : partners(*operation);
  std::vector<int> ranks;
  for (int rank = 0; rank < static_cast<int>(known.addresses.size()); ++rank) {
    const bool asked = known.addresses.size() <= kAskEverybody || concerned.contains(rank);
    if (rank != known.rank && asked) ranks.push_back(rank);
  }
  return ask(ranks, known.addresses, {known.token, purpose, limit}, beacon_, [this] { serve(); });
}

void Watchdog::serve_until(Clock::time_point end) {
  while (Clock::now() < end) {
    pollfd watched{beacon_.descriptor(), POLLIN, 0};
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (poll(&watched, 1, std::max(0, static_cast<int>(left.count()))) > 0) serve();
  }
}

std::string Watchdog::self() const {
  const Snapshot own = journal_.snapshot();
  return "oracle: rank " + std::to_string(own.rank) + " (" + own.host + ", pid " +
         std::to_string(own.pid) + "): ";
}

void Watchdog::handle_overdue(const Pending& operation) {
  const std::map<int, Answer> answers = ask_others(&operation, Purpose::report, kAnswerLimit);
  const Contacts known = contacts();
  std::string reason;
  if (answers.empty() && actions_.before_contact) reason = actions_.before_contact();
  if (reason.empty()) reason = why_it_hangs(known.rank, operation, answers, known.places);
  // It may have completed while the others were asked.
  if (!journal_.pending(operation.ticket)) return;
  finish(self() + operation_text(operation) + " did not complete in " +
         seconds_text(options_.seconds) + ": " + reason);
}

void Watchdog::handle_fault(const Fault& fault) {
  const Clock::time_point end = Clock::now() + kAnswerLimit;
  const Contacts known = contacts();
  std::map<int, Answer> answers = ask_others(&fault.operation, Purpose::report, kAnswerLimit);
  // Which of two differs shows only once a third has started the operation as well.
  while (fault.compare && !all_started(fault.operation, answers) && Clock::now() < end) {
    serve_until(std::min(end, Clock::now() + kAskAgain));
    answers = ask_others(&fault.operation, Purpose::report, kAnswerLimit);
  }
  std::string reason = fault.what;
  if (fault.compare) {
    const std::string differs = who_differs(known.rank, fault.operation, answers, known.places);
    if (!differs.empty()) reason += "; " + differs;
  }
  finish(self() + operation_text(fault.operation) + ": " + reason);
}

void Watchdog::handle_termination() {
  const Clock::time_point end = Clock::now() + kLinger;
  const std::optional<Pending> oldest = journal_.oldest();
  const std::map<int, Answer> answers =
      ask_others(oldest ? &*oldest : nullptr, Purpose::look, kLastAnswerLimit);
  const std::string gone = who_is_gone(answers, contacts().places);
  if (!told_ && !parted() && !gone.empty()) {
    const std::string last = journal_.snapshot().last;
    print_line(self() + (oldest ? operation_text(*oldest) : "after " + last) + ": " + gone);
  }
  // The others ask as well; who leaves too early would be taken for the one that died.
  serve_until(end);
  std::signal(SIGTERM, SIG_DFL);
  const sigset_t set = termination();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::raise(SIGTERM);
}

void Watchdog::finish(const std::string& line) {
  finished_ = true;
  if (actions_.report) return actions_.report(line);
  print_line(line);
  actions_.abort_all();
  serve_until(Clock::now() + kAbortLimit);
  _exit(status_of(ExitCode::surroundings));
}

}  // namespace oracle
