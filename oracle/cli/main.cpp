#include <csignal>
#include <cstdlib>
#include <iostream>
#include <span>
#include <unistd.h>

#include "oracle/cli/run.h"

int main(int argc, char** argv) {
  // A reader that has seen enough (`oracle … | head`) is no reason to die: the write fails instead.
  std::signal(SIGPIPE, SIG_IGN);
  const char* no_color = std::getenv("NO_COLOR");
  const oracle::cli::Terminal terminal{isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1,
                                       no_color && *no_color};
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  return oracle::cli::run(words.subspan(words.empty() ? 0 : 1), std::cout, std::cerr, terminal);
}
