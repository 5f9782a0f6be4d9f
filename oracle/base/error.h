#pragma once
// What can go wrong, and which exit code follows?
//
//   InputError        the input was not understood or contradicts itself     exit 2
//   EnvironmentError  the surroundings failed: a file cannot be read, no GPU  exit 3
//   Defect            an invariant of ours broke                              exit 70
//
// That nothing fits is no error: it is a value (`Infeasible`, exit 1).

#include <stdexcept>
#include <string>
#include <vector>

namespace oracle {

/// One thing wrong with an input: where, what, and what to do about it.
/// Printed as `place: message; remedy`. `place` is `file:line:/json/pointer`, or an option's name.
struct Problem {
  std::string place;
  std::string message;
  std::string remedy;

  bool operator==(const Problem&) const = default;
};

/// `place: message; remedy`, leaving out what is empty.
std::string to_text(const Problem& problem);

/// All problems of one input at once. `what()` has one line per problem.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  InputError(std::string place, std::string message, std::string remedy = {});

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// The surroundings failed; the message says what was tried and what to do.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A broken invariant of the engine.
class Defect : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Always compiled in: throws `Defect(message)` unless `holds`.
inline void ensure(bool holds, const char* message) {
  if (!holds) throw Defect(message);
}

}  // namespace oracle
