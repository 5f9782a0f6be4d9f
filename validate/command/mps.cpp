#include "validate/command/mps.h"

#include <array>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr const char* kControl = "nvidia-cuda-mps-control";

/// This program's environment with `more`, as a program is started with it.
std::vector<std::string> variables_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (!more.contains(std::string(text.substr(0, text.find('='))))) variables.emplace_back(text);
  }
  for (const auto& [name, value] : more) variables.push_back(name + "=" + value);
  return variables;
}

std::vector<char*> argv_of(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Whether the words, started so and with nothing to read, end with 0; what they say is left out.
bool succeeds(std::vector<std::string> words, const std::map<std::string, std::string>& more) {
  std::vector<std::string> variables = variables_with(more);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words.front().c_str(), &actions, nullptr,
                                 argv_of(words).data(), argv_of(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return error == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

}  // namespace

MpsDaemon::MpsDaemon(const std::filesystem::path& folder, std::int64_t ranks, MpsUse use) {
  if (use == MpsUse::never || ranks < 2) return;
  const std::map<std::string, std::string> environment = {
      {"CUDA_MPS_PIPE_DIRECTORY", (folder / "pipes").string()},
      {"CUDA_MPS_LOG_DIRECTORY", (folder / "logs").string()},
      {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
       std::to_string(std::max<std::int64_t>(1, 100 / ranks))}};
  std::error_code ignored;
  std::filesystem::create_directory(folder / "pipes", ignored);
  std::filesystem::create_directory(folder / "logs", ignored);
  if (succeeds({kControl, "-d"}, environment)) {
    environment_ = environment;
  } else if (use == MpsUse::always) {
    throw EnvironmentError(std::string("CUDA MPS could not be started (") + kControl +
                           " -d); let ranks take turns with --mps never");
  }
}

MpsDaemon::~MpsDaemon() {
  if (!runs()) return;
  succeeds({"sh", "-c", std::string("echo quit | ") + kControl}, environment_);
}

}  // namespace oracle
