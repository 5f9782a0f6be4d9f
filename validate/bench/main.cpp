#include <csignal>
#include <iostream>
#include <span>

#include "validate/bench/program.h"

int main(int argc, char** argv) {
  // A program beside that has gone is reported by the write that fails.
  std::signal(SIGPIPE, SIG_IGN);
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  return oracle::run_step_bench(words.subspan(words.empty() ? 0 : 1), std::cout, std::cerr);
}
