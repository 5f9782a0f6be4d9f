#include "oracle/plan/strategy/expert_load.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/split.h"

namespace oracle {
namespace {

constexpr std::string_view kZipf = "zipf:";
constexpr double kMostBusiest = 1e9, kSteepest = 10, kMostRows = 1e15;

[[noreturn]] void refuse_load(std::string_view text, const std::string& why, std::string remedy) {
  throw InputError("--strategy", "option \"expert_load\": " + in_quotes(text) + " " + why,
                   std::move(remedy));
}

double number_in(std::string_view text, double least, double most, std::string remedy) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size()) {
    refuse_load(text, "is not a number", std::move(remedy));
  }
  if (!(number >= least && number <= most)) {
    refuse_load(text,
                "is not between " + std::to_string(static_cast<std::int64_t>(least)) + " and " +
                    std::to_string(static_cast<std::int64_t>(most)),
                std::move(remedy));
  }
  return number;
}

/// The shortest text that is read back to the same.
std::string shortest(double number) {
  std::array<char, 400> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
  return {buffer.data(), end};
}

double zipf_sum(std::int64_t experts, double exponent) {
  double sum = 0;
  for (std::int64_t r = experts; r > 0; --r) sum += std::pow(static_cast<double>(r), -exponent);
  return sum;
}

double busiest_of(const std::vector<double>& each, std::int64_t groups) {
  const std::size_t size = each.size() / static_cast<std::size_t>(groups);
  double all = 0, most = 0;
  for (std::size_t first = 0; first < each.size(); first += size) {
    double sum = 0;
    for (std::size_t e = first; e < std::min(first + size, each.size()); ++e) sum += each[e];
    all += sum;
    most = std::max(most, sum);
  }
  return most / all;
}

}  // namespace

ExpertLoad parse_expert_load(std::string_view text) {
  ExpertLoad load;
  if (text == "uniform") return load;
  if (text.starts_with(kZipf)) {
    load.zipf = number_in(text.substr(kZipf.size()), 0, kSteepest, "write expert_load=zipf:1");
    return load;
  }
  if (text.find(',') == std::string_view::npos) {
    load.busiest = number_in(text, 1, kMostBusiest,
                             "write expert_load=1.3 where the busiest rank has 1.3 times the mean, "
                             "or uniform, zipf:1, or a number for each expert");
    return load;
  }
  for (const std::string_view one : split_trimmed(text, ',')) {
    load.each.push_back(number_in(one, 0, kMostRows, "write rows of each expert: 4,2,1,1"));
  }
  if (std::all_of(load.each.begin(), load.each.end(), [](double one) { return one == 0; })) {
    refuse_load(text, "sends no rows", "write rows of each expert: 4,2,1,1");
  }
  return load;
}

std::string to_text(const ExpertLoad& load) {
  if (load.is_even()) return {};
  if (load.each.empty()) {
    return load.zipf > 0 ? std::string(kZipf) + shortest(load.zipf) : shortest(load.busiest);
  }
  std::string text;
  for (const double one : load.each) text += (text.empty() ? "" : ",") + shortest(one);
  return text;
}

double busiest_share(const ExpertLoad& load, std::int64_t experts, std::int64_t groups,
                     std::int64_t per_token) {
  const std::int64_t own = std::max<std::int64_t>(1, experts / groups);
  double share = load.busiest / static_cast<double>(groups);
  if (load.zipf > 0) share = zipf_sum(own, load.zipf) / zipf_sum(experts, load.zipf);
  if (!load.each.empty()) {
    if (load.each.size() != static_cast<std::size_t>(experts)) {
      throw InputError("--strategy",
                       "option \"expert_load\" has loads of " + std::to_string(load.each.size()) +
                           " experts; the network has " + std::to_string(experts),
                       "write one for each expert, or expert_load=zipf:1");
    }
    share = busiest_of(load.each, groups);
  }
  return std::min({share, 1.0, static_cast<double>(own) / static_cast<double>(per_token)});
}

}  // namespace oracle
