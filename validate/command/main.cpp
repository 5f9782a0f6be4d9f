#include <csignal>
#include <iostream>
#include <span>

#include "oracle/cli/terminal.h"
#include "validate/command/program.h"

int main(int argc, char** argv) {
  // A reader that has seen enough is no reason to die: the write fails instead.
  std::signal(SIGPIPE, SIG_IGN);
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  return oracle::run_validate(words.subspan(words.empty() ? 0 : 1), std::cout, std::cerr,
                              oracle::cli::this_terminal());
}
