#pragma once
// How are all problems of a command line reported at once?
//
// Each reading is attempted; what it complains of is kept, and raised together before anything is
// computed.                                                       tests/cli/problem_list_test.cpp

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/quantity_text.h"

namespace oracle::cli {

/// What `read` returns. Throws InputError whose problems all have that place.
template <typename Read>
auto at_place(const std::string& place, const Read& read) {
  try {
    return read();
  } catch (const QuantityError& error) {
    throw InputError(place, error.what(), error.remedy);
  } catch (const InputError& error) {
    std::vector<Problem> own = error.problems();
    for (Problem& problem : own) problem.place = place;
    throw InputError(std::move(own));
  }
}

class ProblemList {
 public:
  void add(std::string place, std::string message, std::string remedy) {
    problems_.push_back({std::move(place), std::move(message), std::move(remedy)});
  }

  /// What `read` returns, or nothing where it throws. `place` is that of a QuantityError, and of
  /// problems that name no place of their own.
  template <typename Read>
  auto attempt(std::string_view place, const Read& read) -> std::optional<decltype(read())> {
    try {
      return read();
    } catch (const QuantityError& error) {
      add(std::string(place), error.what(), error.remedy);
    } catch (const InputError& error) {
      for (Problem problem : error.problems()) {
        if (problem.place.empty()) problem.place = place;
        problems_.push_back(std::move(problem));
      }
    }
    return std::nullopt;
  }

  /// Throws InputError with everything kept, if anything was.
  void raise() const {
    if (!problems_.empty()) throw InputError(problems_);
  }

 private:
  std::vector<Problem> problems_;
};

}  // namespace oracle::cli
