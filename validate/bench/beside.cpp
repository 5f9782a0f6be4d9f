#include "validate/bench/beside.h"

#include <cmath>
#include <sstream>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"

namespace oracle {

std::map<std::string, double> parse_answer(std::string_view line) {
  std::istringstream in{std::string(line)};
  std::map<std::string, double> seconds;
  std::string name;
  double value = 0;
  while (in >> name) {
    if (!(in >> value) || !std::isfinite(value) || value <= 0) {
      throw EnvironmentError("the other program answered " + in_quotes(line) +
                             ", which is not a list of names and seconds");
    }
    seconds[name] = value;
  }
  if (seconds.empty()) throw EnvironmentError("the other program answered nothing");
  return seconds;
}

Beside::Beside(const std::string& prefix) : ask_(prefix + ".ask"), answer_(prefix + ".answer") {
  if (!ask_ || !answer_) {
    throw EnvironmentError("cannot open the pipes " + prefix + ".ask and " + prefix + ".answer");
  }
  name_ = line();
}

std::map<std::string, double> Beside::step() {
  ask_ << "step" << std::endl;
  return parse_answer(line());
}

std::string Beside::line() {
  std::string text;
  if (!std::getline(answer_, text)) throw EnvironmentError("the other program has gone");
  return text;
}

}  // namespace oracle
