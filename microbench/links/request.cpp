#include <charconv>
#include <optional>

#include "microbench/links/program.h"
#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"

namespace oracle {
namespace {

constexpr int kMostRanks = 4096;
constexpr double kQuickSeconds = 40;
constexpr Bytes kQuickLargest{64e6};
constexpr Bytes kMostBytes{1.1e9};  ///< a GiB, and none that could pass 2^31 elements

std::optional<double> seconds_in(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !(value >= 1 && value <= 1e6)) return std::nullopt;
  return value;
}

class RequestReader {
 public:
  explicit RequestReader(std::span<const char* const> words) : words_(words) {}

  LinksRequest read() {
    while (at_ < words_.size()) read_option(words_[at_++]);
    if (request_.out.empty()) problem("--out", "is missing", "add --out links.json");
    if (!problems_.empty()) throw InputError(std::move(problems_));
    if (request_.quick) {
      request_.seconds = kQuickSeconds;
      request_.largest = kQuickLargest;
    }
    if (seconds_) request_.seconds = *seconds_;
    if (largest_) request_.largest = *largest_;
    return std::move(request_);
  }

 private:
  void read_option(const std::string& option) {
    if (option == "--quick") {
      request_.quick = true;
    } else if (option == "--out") {
      request_.out = value(option);
    } else if (option == "--seconds") {
      seconds_ = seconds(option);
    } else if (option == "--watchdog") {
      request_.watchdog = seconds(option).value_or(request_.watchdog);
    } else if (option == "--largest") {
      largest_ = size(option);
    } else if (option == "--ranks") {
      request_.ranks = ranks(option);
    } else if (option == "--device") {
      request_.device = value(option);
      if (request_.device != "cpu" && request_.device != "gpu") {
        problem(option, in_quotes(request_.device) + " is none", "write cpu or gpu");
      }
    } else {
      problem("", in_quotes(option) + " is no option",
              "known are --out, --quick, --seconds, --largest, --watchdog, --device and --ranks");
    }
  }

  std::string value(const std::string& option) {
    if (at_ < words_.size()) return words_[at_++];
    problem(option, "has no value", "write one after it");
    return {};
  }

  std::optional<double> seconds(const std::string& option) {
    const std::optional<double> number = seconds_in(value(option));
    if (!number) problem(option, "is no number of seconds", "write one from 1");
    return number;
  }

  std::optional<int> ranks(const std::string& option) {
    const std::string text = value(option);
    int number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && stop == end && number >= 2 && number <= kMostRanks) return number;
    problem(option, "is no number of ranks", "write one from 2 to " + std::to_string(kMostRanks));
    return std::nullopt;
  }

  std::optional<Bytes> size(const std::string& option) {
    try {
      const Bytes bytes = parse_bytes(value(option));
      if (bytes.value >= 4 && bytes <= kMostBytes) return bytes;
      problem(option, "is not between 4 B and 1 GiB", "write one such as \"64 MB\"");
    } catch (const QuantityError& error) {
      problem(option, error.what(), error.remedy);
    }
    return std::nullopt;
  }

  void problem(std::string place, std::string message, std::string remedy) {
    problems_.push_back({std::move(place), std::move(message), std::move(remedy)});
  }

  std::span<const char* const> words_;
  std::size_t at_ = 0;
  LinksRequest request_;
  std::optional<double> seconds_;
  std::optional<Bytes> largest_;
  std::vector<Problem> problems_;
};

}  // namespace

LinksRequest read_links_request(std::span<const char* const> words) {
  return RequestReader(words).read();
}

}  // namespace oracle
