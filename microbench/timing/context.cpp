#include "microbench/timing/context.h"

#include <array>
#include <ctime>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "oracle/build_info.h"

namespace oracle {
namespace {

std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

std::string date_now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string load_now() { return first_line("/proc/loadavg"); }

bool is_virtual(std::istream& cpuinfo) {
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with("flags")) continue;
    return (line + " ").find(" hypervisor ") != std::string::npos;
  }
  return false;
}

bool on_virtual_machine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  return is_virtual(cpuinfo);
}

MeasuringContext measuring_context(std::span<const char* const> words) {
  std::string command;
  for (const char* word : words) command += (command.empty() ? "" : " ") + std::string(word);
  return {{"command", command},
          {"date", date_now()},
          {"load", load_now()},
          {"version", std::string(build_info::kVersion)},
          {"commit", std::string(build_info::kCommit)},
          {"compiler", std::string(build_info::kCompiler)},
          {"build", std::string(build_info::kBuildType)}};
}

double stolen_seconds() {
  // cpu user nice system idle iowait irq softirq steal …
  std::istringstream fields(first_line("/proc/stat"));
  std::string name;
  fields >> name;
  double steal = 0;
  for (int field = 0; field < 8 && fields; ++field) fields >> steal;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return fields && ticks > 0 ? steal / ticks : 0;
}

}  // namespace oracle
