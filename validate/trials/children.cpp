#include "validate/trials/children.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr int kNotStarted = 127;

/// Never returns: the process becomes the program.
void become(char* const* words, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kNotStarted);  // it has gone already
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _exit(kNotStarted);
  execv(words[0], words);
  _exit(kNotStarted);
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) == kNotStarted) return "could not be started";
  return "ended with exit code " + std::to_string(WEXITSTATUS(status)) + "; see what it said";
}

}  // namespace

Children::~Children() {
  for (const auto& [process, name] : names_) kill(process, SIGTERM);
  for (const auto& [process, name] : names_) waitpid(process, nullptr, 0);
}

void Children::start(int name, const std::vector<std::string>& words) {
  std::vector<std::string> own = words;
  std::vector<char*> pointers;
  for (std::string& word : own) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0)
    throw EnvironmentError("no process can be started: " + std::string(std::strerror(errno)));
  if (process == 0) become(pointers.data(), parent);
  names_[process] = name;
}

std::optional<int> Children::wait() {
  if (names_.empty()) return std::nullopt;
  int status = 0;
  pid_t process = 0;
  do {
    process = waitpid(-1, &status, 0);
  } while (process < 0 && errno == EINTR);
  const auto found = names_.find(process);
  if (found == names_.end()) throw EnvironmentError("the programs that run cannot be waited for");
  const int name = found->second;
  names_.erase(found);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw EnvironmentError("run " + std::to_string(name) + " " + end_of(status));
  }
  return name;
}

}  // namespace oracle
