#include <iostream>
#include <span>

#include "validate/trials/program.h"

int main(int argc, char** argv) {
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  return oracle::run_trials_program(words.subspan(words.empty() ? 0 : 1), std::cout, std::cerr);
}
