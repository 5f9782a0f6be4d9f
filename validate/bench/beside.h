#pragma once
// How does another program take the same step in turn?
//
// It reads "step" from one pipe, takes a training step, and answers on the other with a line of
// names and seconds: "default 1.5 channels_last 1.25". Its first line names it: "PyTorch 1.13".
//                                                              tests/validate/bench/beside_test.cpp

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

namespace oracle {

/// Throws EnvironmentError where the line is no answer.
std::map<std::string, double> parse_answer(std::string_view line);

class Beside {
 public:
  /// Opens the pipes PREFIX.ask and PREFIX.answer, and waits for the program's name.
  explicit Beside(const std::string& prefix);

  const std::string& name() const { return name_; }
  std::map<std::string, double> step();

 private:
  std::string line();

  std::ofstream ask_;
  std::ifstream answer_;
  std::string name_;
};

}  // namespace oracle
