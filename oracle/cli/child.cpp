#include "oracle/cli/child.h"

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
  pid_t child = 0;
  const int error = posix_spawn(&child, name.c_str(), nullptr, nullptr, pointers.data(), environ);
  if (error != 0) throw EnvironmentError(name + " could not be started: " + std::strerror(error));
  const int status = waited_for(child, name);
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
