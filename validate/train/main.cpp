#include <csignal>
#include <iostream>
#include <span>

#include "oracle/cli/terminal.h"
#include "validate/command/program.h"
#include "validate/train/program.h"

int main(int argc, char** argv) {
  // A reader that has seen enough is no reason to die: the write fails instead.
  std::signal(SIGPIPE, SIG_IGN);
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  const std::span<const char* const> args = words.subspan(words.empty() ? 0 : 1);
  if (oracle::is_validate(args)) {
    return oracle::run_validate(args, std::cout, std::cerr, oracle::cli::this_terminal());
  }
  return oracle::run_train(args, std::cout, std::cerr);
}
