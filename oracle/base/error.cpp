#include "oracle/base/error.h"

#include <utility>

namespace oracle {
namespace {

std::string join(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += to_text(problem);
  }
  return text;
}

}  // namespace

std::string to_text(const Problem& problem) {
  std::string text = problem.place;
  if (!text.empty()) text += ": ";
  text += problem.message;
  if (!problem.remedy.empty()) text += "; " + problem.remedy;
  return text;
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(join(problems)), problems_(std::move(problems)) {}

InputError::InputError(std::string place, std::string message, std::string remedy)
    : InputError(std::vector<Problem>{{std::move(place), std::move(message), std::move(remedy)}}) {}

}  // namespace oracle
