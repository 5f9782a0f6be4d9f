#include "oracle/io/machine/proc_text.h"

#include <algorithm>
#include <charconv>
#include <sched.h>
#include <unistd.h>

namespace oracle {

std::string_view proc_field(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find_first_not_of(" \t", key.size());
    if (colon == std::string_view::npos || line[colon] != ':') continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string_view::npos ? std::string_view{} : line.substr(value);
  }
  return {};
}

double proc_number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value > 0 && value < 1e15 ? value : 0;
}

std::int64_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max<std::int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace oracle
