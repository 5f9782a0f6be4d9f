#include <csignal>
#include <cstdlib>
#include <iostream>
#include <span>
#include <unistd.h>

#include "validate/command/program.h"

int main(int argc, char** argv) {
  // A reader that has seen enough is no reason to die: the write fails instead.
  std::signal(SIGPIPE, SIG_IGN);
  const char* no_color = std::getenv("NO_COLOR");
  const oracle::cli::Terminal terminal{isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1,
                                       no_color != nullptr && *no_color != '\0'};
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  return oracle::run_validate(words.subspan(words.empty() ? 0 : 1), std::cout, std::cerr, terminal);
}
