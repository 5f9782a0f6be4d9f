#include "oracle/io/machine/slurm.h"

#include <algorithm>
#include <charconv>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"

namespace oracle {
namespace {

constexpr const char* kList = "SLURM_JOB_NODELIST";
constexpr const char* kTasks = "SLURM_TASKS_PER_NODE";
constexpr std::int64_t kMostTasks = 1'000'000;

[[noreturn]] void refuse(const char* variable, std::string_view text, const std::string& why) {
  throw InputError(variable, in_quotes(text) + " " + why,
                   "give it as Slurm does: gpu[01-04,7],login1 and 8(x2),4");
}

/// A whole number of at most 18 digits, so that it fits.
std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool plain = !text.empty() && text.size() <= 18 && text.front() != '-';
  if (!plain || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

bool belongs_in_a_list(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-._[],").find(c) != std::string_view::npos;
}

/// At the commas outside of brackets.
std::vector<std::string_view> split_outside_brackets(std::string_view list) {
  std::vector<std::string_view> parts;
  std::size_t first = 0;
  int depth = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '[') ++depth;
    if (list[i] == ']') --depth;
    if (depth < 0 || depth > 1) refuse(kList, list, "has brackets inside of brackets");
    if (list[i] == ',' && depth == 0) {
      parts.push_back(list.substr(first, i - first));
      first = i + 1;
    }
  }
  if (depth != 0) refuse(kList, list, "has an open bracket");
  parts.push_back(list.substr(first));
  return parts;
}

/// "01-03" → 01, 02, 03; "7" → 7.
void expand_range(std::string_view range, std::string_view list, std::vector<std::string>& out) {
  const std::size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash);
  const auto first = whole(low);
  const auto last = dash == std::string_view::npos ? first : whole(range.substr(dash + 1));
  if (!first || !last || *last < *first) refuse(kList, list, "has a range that is none");
  if (*last - *first >= static_cast<std::int64_t>(kMostHosts)) {
    refuse(kList, list, "has too many hosts");
  }
  for (std::int64_t number = *first; number <= *last; ++number) {
    std::string digits = std::to_string(number);
    if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
    out.push_back(std::move(digits));
  }
}

std::vector<std::string> expand_brackets(std::string_view inside, std::string_view list) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t comma = inside.find(',');
    expand_range(inside.substr(0, comma), list, out);
    if (out.size() > kMostHosts) refuse(kList, list, "has too many hosts");
    if (comma == std::string_view::npos) return out;
    inside.remove_prefix(comma + 1);
  }
}

/// "rack[1-2]n[3-4]" → rack1n3, rack1n4, rack2n3, rack2n4.
std::vector<std::string> expand_name(std::string_view name, std::string_view list) {
  std::vector<std::string> hosts = {""};
  while (!name.empty()) {
    const std::size_t bracket = name.find('[');
    for (std::string& host : hosts) host += name.substr(0, bracket);
    if (bracket == std::string_view::npos) break;
    const std::size_t end = name.find(']', bracket);
    const auto numbers = expand_brackets(name.substr(bracket + 1, end - bracket - 1), list);
    if (hosts.size() * numbers.size() > kMostHosts) refuse(kList, list, "has too many hosts");
    std::vector<std::string> longer;
    for (const std::string& host : hosts) {
      for (const std::string& number : numbers) longer.push_back(host + number);
    }
    hosts = std::move(longer);
    name.remove_prefix(end + 1);
  }
  return hosts;
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view list) {
  if (!std::all_of(list.begin(), list.end(), belongs_in_a_list)) {
    refuse(kList, list, "has a character that no host's name has");
  }
  std::vector<std::string> hosts;
  for (const std::string_view name : split_outside_brackets(list)) {
    if (name.empty()) refuse(kList, list, "has a host without a name");
    for (std::string& host : expand_name(name, list)) hosts.push_back(std::move(host));
    if (hosts.size() > kMostHosts) refuse(kList, list, "has too many hosts");
  }
  return hosts;
}

std::vector<std::int64_t> expand_task_counts(std::string_view counts) {
  std::vector<std::int64_t> tasks;
  std::string_view rest = counts;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const std::size_t times = part.find("(x");
    const auto count = whole(part.substr(0, times));
    auto repeat = std::optional<std::int64_t>(1);
    if (times != std::string_view::npos) {
      const bool closed = part.ends_with(')');
      repeat = closed ? whole(part.substr(times + 2, part.size() - times - 3)) : std::nullopt;
    }
    if (!count || !repeat || *count > kMostTasks || *repeat < 1) {
      refuse(kTasks, counts, "is not a list of counts");
    }
    if (*repeat > static_cast<std::int64_t>(kMostHosts - tasks.size())) {
      refuse(kTasks, counts, "has too many hosts");
    }
    tasks.insert(tasks.end(), static_cast<std::size_t>(*repeat), *count);
    if (comma == std::string_view::npos) return tasks;
    rest.remove_prefix(comma + 1);
  }
}

std::optional<Allocation> read_allocation(const Environment& environment) {
  const char* job = environment("SLURM_JOB_ID");
  const char* list = environment(kList);
  if (job == nullptr || list == nullptr) return std::nullopt;
  Allocation allocation;
  allocation.job = on_one_line(job);
  allocation.hosts = expand_host_list(list);
  const char* tasks = environment(kTasks);
  if (tasks == nullptr) tasks = environment("SLURM_STEP_TASKS_PER_NODE");
  if (tasks != nullptr) allocation.tasks = expand_task_counts(tasks);
  if (!allocation.tasks.empty() && allocation.tasks.size() != allocation.hosts.size()) {
    refuse(kTasks, tasks,
           "counts the tasks of " + std::to_string(allocation.tasks.size()) + " hosts, of which " +
               kList + " has " + std::to_string(allocation.hosts.size()));
  }
  if (const char* gpus = environment("SLURM_GPUS_ON_NODE")) allocation.gpus_per_node = whole(gpus);
  return allocation;
}

}  // namespace oracle
