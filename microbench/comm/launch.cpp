#include "microbench/comm/launch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sched.h>
#include <set>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "microbench/comm/mpi_beside.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr int kNotStarted = 127;

sigset_t passed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

/// Processes whose parent is this one.
std::set<pid_t> children() {
  std::set<pid_t> found;
  std::ifstream file("/proc/thread-self/children");
  for (pid_t child = 0; file >> child;) found.insert(child);
  return found;
}

/// A write end and a read end.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw EnvironmentError("no pipe for mpirun");
  }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_writer() {
    close(ends[1]);
    ends[1] = -1;
  }
};

/// In the child: becomes mpirun.
[[noreturn]] void become(const std::vector<char*>& arguments, const LaunchOptions& options,
                         int errors, const sigset_t& mask) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(errors, STDERR_FILENO);
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(arguments[0], arguments.data());
  _exit(kNotStarted);
}

void print(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t went = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (went <= 0) return;
    done += static_cast<std::size_t>(went);
  }
}

/// A running mpirun: passes signals on and its stderr through.
class Running {
 public:
  Running(pid_t child, int errors, int signals)
      : child_(child),
        errors_(errors),
        signals_(signals),
        end_(static_cast<int>(syscall(SYS_pidfd_open, child, 0))) {}
  ~Running() { close(end_); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// The status of waitpid.
  int wait() {
    bool ended = false;
    while (!ended) {
      std::array<pollfd, 3> watched = {
          {{errors_, POLLIN, 0}, {signals_, POLLIN, 0}, {end_, POLLIN, 0}}};
      poll(watched.data(), watched.size(), -1);
      if (watched[0].revents != 0 && !read_errors()) errors_ = -1;
      if (watched[1].revents != 0) pass_signal();
      ended = watched[2].revents != 0;
    }
    drain();
    int status = 0;
    waitpid(child_, &status, 0);
    return status;
  }

  int passed() const { return passed_; }
  const std::optional<RankEnd>& first_end() const { return text_.first_end(); }

 private:
  bool read_errors() {
    std::array<char, 4096> part{};
    const ssize_t got = read(errors_, part.data(), part.size());
    if (got <= 0) return false;
    line_.append(part.data(), static_cast<std::size_t>(got));
    for (std::size_t end = line_.find('\n'); end != std::string::npos; end = line_.find('\n')) {
      print(text_.take(std::string_view(line_).substr(0, end)));
      line_.erase(0, end + 1);
    }
    return true;
  }

  /// A process left behind may hold the pipe open: only what is there now.
  void drain() {
    pollfd rest{errors_, POLLIN, 0};
    while (errors_ >= 0 && poll(&rest, 1, 0) > 0 && read_errors()) {
    }
    print(text_.rest() + line_);
  }

  void pass_signal() {
    signalfd_siginfo info{};
    if (read(signals_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return;
    passed_ = static_cast<int>(info.ssi_signo);
    kill(child_, passed_);
  }

  pid_t child_;
  int errors_;
  int signals_;
  int end_;
  int passed_ = 0;
  std::string line_;
  LauncherText text_;
};

/// Ranks that mpirun left behind have become children of this process.
void end_leftovers(pid_t group, const std::set<pid_t>& before) {
  kill(-group, SIGKILL);
  while (true) {
    std::set<pid_t> left = children();
    std::erase_if(left, [&](pid_t child) { return before.contains(child); });
    if (left.empty()) return;
    for (const pid_t child : left) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
}

}  // namespace

int usable_cores() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return 1;
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &usable)) continue;
    const std::string number = std::to_string(cpu);
    std::ifstream file("/sys/devices/system/cpu/cpu" + number + "/topology/thread_siblings_list");
    std::string siblings;
    cores.insert(std::getline(file, siblings) ? siblings : number);
  }
  return std::max(1, static_cast<int>(cores.size()));
}

std::vector<std::string> mpirun_command(const LaunchOptions& options, int cores, bool as_root) {
  std::vector<std::string> words = {"mpirun"};
  const auto add = [&](std::initializer_list<const char*> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (as_root) add({"--allow-run-as-root"});
  if (options.ranks > cores) {
    add({"--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"});
  } else {
    add({"--map-by", "core", "--bind-to", "core"});
  }
  for (const auto& variable : options.environment) {
    words.emplace_back("-x");
    words.push_back(variable.first);
  }
  words.insert(words.end(), options.mpirun_arguments.begin(), options.mpirun_arguments.end());
  words.emplace_back("-np");
  words.push_back(std::to_string(options.ranks));
  words.insert(words.end(), options.command.begin(), options.command.end());
  return words;
}

LaunchResult launch(const LaunchOptions& options) {
  std::vector<std::string> words = mpirun_command(options, usable_cores(), geteuid() == 0);
  std::error_code ignored;
  words.front() = mpirun_for(std::filesystem::read_symlink("/proc/self/exe", ignored));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const std::set<pid_t> before = children();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const sigset_t signals = passed_on();
  sigset_t mask;
  sigprocmask(SIG_BLOCK, &signals, &mask);
  const int signal_source = signalfd(-1, &signals, SFD_CLOEXEC);
  Pipe errors;
  const pid_t child = fork();
  if (child == 0) become(arguments, options, errors.ends[1], mask);
  if (child < 0)
    throw EnvironmentError("mpirun could not be started: " + std::string(strerror(errno)));
  errors.close_writer();
  Running running(child, errors.ends[0], signal_source);
  const int status = running.wait();
  end_leftovers(child, before);
  close(signal_source);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 0);

  if (running.passed() != 0) return {128 + running.passed(), "stopped by a signal"};
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotStarted) {
    throw EnvironmentError("mpirun was not found, or the program of the ranks was not: " +
                           options.command.front() + "; install openmpi-bin");
  }
  return meaning_of(status, running.first_end());
}

}  // namespace oracle
