#include <charconv>
#include <istream>

#include "microbench/compute/program.h"
#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"

namespace oracle {
namespace {

constexpr std::size_t kMostCases = 100'000;
constexpr double kMostSeconds = 1e6;

template <typename Number>
std::optional<Number> number_in(const std::string& text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!(value >= least && value <= most)) return std::nullopt;
  return value;
}

class RequestReader {
 public:
  explicit RequestReader(std::span<const char* const> words) : words_(words) {}

  BenchRequest read() {
    while (at_ < words_.size()) read_option(words_[at_++]);
    if (request_.out.empty()) problem("--out", "is missing", "add --out samples.json");
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return std::move(request_);
  }

 private:
  void read_option(const std::string& option) {
    if (option == "--quick") {
      request_.size = GridSize::quick;
    } else if (option == "--out") {
      request_.out = value(option);
    } else if (option == "--cases") {
      request_.cases = value(option);
    } else if (option == "--backend") {
      request_.backend = value(option);
    } else if (option == "--threads") {
      const auto threads = number_in<int>(value(option), 1, 1024);
      if (threads) request_.threads = *threads;
      if (!threads) problem(option, "is no number of threads", "write a whole number from 1");
    } else if (option == "--seconds") {
      request_.seconds = number_in<double>(value(option), 1, kMostSeconds);
      if (!request_.seconds) problem(option, "is no number of seconds", "write one from 1");
    } else {
      problem("", in_quotes(option) + " is no option", "see microbench/compute/program.h");
    }
  }

  std::string value(const std::string& option) {
    if (at_ < words_.size()) return words_[at_++];
    problem(option, "has no value", "write one after it");
    return {};
  }

  void problem(std::string place, std::string message, std::string remedy) {
    problems_.push_back({std::move(place), std::move(message), std::move(remedy)});
  }

  std::span<const char* const> words_;
  std::size_t at_ = 0;
  BenchRequest request_;
  std::vector<Problem> problems_;
};

}  // namespace

BenchRequest read_bench_request(std::span<const char* const> words) {
  return RequestReader(words).read();
}

std::vector<LayerCase> read_cases(std::istream& in, const std::string& name) {
  std::vector<LayerCase> cases;
  std::vector<Problem> problems;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::string place = name + ":" + std::to_string(number);
    if (cases.size() == kMostCases) {
      problems.push_back({place, "more cases than can be timed", "leave some out"});
      break;
    }
    try {
      cases.push_back(parse_layer_case(line));
      static_cast<void>(layer_of(cases.back()));
    } catch (const InputError& error) {
      for (Problem problem : error.problems()) {
        problem.place = place;
        problems.push_back(std::move(problem));
      }
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return cases;
}

}  // namespace oracle
