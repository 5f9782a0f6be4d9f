#include "oracle/cli/child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "oracle/base/error.h"
#include "oracle/cli/run.h"

namespace oracle::cli {
namespace {

volatile std::sig_atomic_t ended_by = 0;
volatile pid_t running = 0;

void end_child(int signal) {
  ended_by = signal;
  if (running > 0) kill(running, SIGTERM);
}

/// While it lives, signals that end this program end the child first.
class Forwarding {
 public:
  Forwarding() {
    ended_by = 0;
    sigemptyset(&signals_);
    struct sigaction action = {};
    action.sa_handler = end_child;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaddset(&signals_, kSignals[i]);
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;
  ~Forwarding() {
    running = 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &before_[i], nullptr);
    }
  }

  /// Signals wait until it is known whom to end.
  int spawn(const char* program, char* const* words) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, &signals_, &mask);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    const int error = posix_spawn(&child, program, nullptr, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    running = child;
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    return error;
  }

 private:
  static constexpr std::array<int, 3> kSignals = {SIGTERM, SIGINT, SIGHUP};
  std::array<struct sigaction, 3> before_ = {};
  sigset_t signals_ = {};
};

int waited_for(pid_t child, const std::string& name) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw EnvironmentError(name + ": " + std::strerror(errno));
  }
  return status;
}

}  // namespace

void run_child(const std::filesystem::path& program, const std::vector<std::string>& words,
               const std::string& remedy) {
  std::string name = program.string();
  std::error_code ignored;
  if (!std::filesystem::exists(program, ignored)) {
    throw EnvironmentError(name + " is not there; " + remedy);
  }
  std::vector<std::string> all = {name};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& word : all) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  Forwarding forwarding;
  const int error = forwarding.spawn(name.c_str(), pointers.data());
  if (error != 0) throw EnvironmentError(name + " could not be started: " + std::strerror(error));
  const int status = waited_for(running, name);
  if (ended_by != 0) {
    throw EnvironmentError("ended by signal " + std::to_string(ended_by) + ", and " + name +
                           " with it");
  }
  if (WIFSIGNALED(status)) {
    throw EnvironmentError(name + " was ended by signal " + std::to_string(WTERMSIG(status)));
  }
  switch (static_cast<ExitCode>(WEXITSTATUS(status))) {
    case ExitCode::answered:
      return;
    case ExitCode::not_understood:
      throw InputError("", name + " did not understand its input", "see what it said");
    case ExitCode::defect:
      throw Defect(name + " ended with a defect");
    default:
      throw EnvironmentError(name + " ended with exit code " + std::to_string(WEXITSTATUS(status)) +
                             "; see what it said");
  }
}

}  // namespace oracle::cli
