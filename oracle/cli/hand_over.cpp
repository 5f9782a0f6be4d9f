#include "oracle/cli/hand_over.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "oracle/base/error.h"

namespace oracle::cli {

void hand_over(const Command& command, std::span<const char* const> args,
               const std::filesystem::path& folder) {
  std::string program = (folder / command.carried_out_by).string();
  std::error_code ignored;
  if (!std::filesystem::exists(program, ignored)) {
    throw EnvironmentError(called(command) + " is carried out by " + program +
                           ", which is not there; build it where oneDNN and MPI are found (on "
                           "Debian: libdnnl-dev, libopenmpi-dev, openmpi-bin)");
  }
  std::vector<std::string> words = {program, std::string(command.name)};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw EnvironmentError(program + " could not be started: " + std::strerror(errno));
}

std::filesystem::path program_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw EnvironmentError("/proc/self/exe: " + error.message() + "; mount /proc");
  return program.parent_path();
}

}  // namespace oracle::cli
