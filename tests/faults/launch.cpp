// launch <ranks> <program> [arguments...]: starts ranks as `validate` does and says what their end
// means.

#include "microbench/comm/launch.h"

#include <cstdlib>
#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "launch <ranks> <program> [arguments...]\n";
    return 2;
  }
  try {
    oracle::LaunchOptions options;
    options.ranks = std::atoi(argv[1]);
    options.command.assign(argv + 2, argv + argc);
    const oracle::LaunchResult result = oracle::launch(options);
    if (!result.sentence.empty()) std::cerr << "launch: " << result.sentence << "\n";
    return result.exit_code;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 3;
  }
}
