#include <array>
#include <cstring>
#include <regex>
#include <sys/wait.h>
#include <utility>

#include "microbench/comm/launch.h"
#include "oracle/base/exit_code.h"

namespace oracle {
namespace {

constexpr int kSurroundings = status_of(ExitCode::surroundings);
constexpr int kDefect = status_of(ExitCode::defect);

bool is_dashes(std::string_view line) {
  return line.size() > 40 && line.find_first_not_of('-') == std::string_view::npos;
}

std::string signal_text(int signal) {
  const char* name = sigdescr_np(signal);
  return "signal " + std::to_string(signal) + " (" + (name == nullptr ? "unknown" : name) + ")";
}

/// mpirun's texts break lines anywhere.
std::string flat(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return std::regex_replace(text, std::regex(" +"), " ");
}

std::optional<RankEnd> by_signal(const std::string& text) {
  static const std::regex kPattern(
      R"(process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+))");
  std::smatch found;
  if (!std::regex_search(text, found, kPattern)) return std::nullopt;
  return RankEnd{std::stoi(found[1]), found[2], "was ended by " + signal_text(std::stoi(found[3]))};
}

std::optional<RankEnd> by_exit_code(const std::string& text) {
  static const std::regex kPattern(R"(Process name: \[\[\d+,\d+\],(\d+)\] Exit code: (\d+))");
  std::smatch found;
  if (!std::regex_search(text, found, kPattern)) return std::nullopt;
  return RankEnd{std::stoi(found[1]), "", "ended with exit code " + found[2].str()};
}

/// Is this block mpirun's account of how the ranks ended?
bool is_about_the_end(const std::string& text) {
  static constexpr std::array<std::string_view, 6> kOpenings = {
      "MPI_ABORT was invoked",
      "Primary job",
      "mpirun noticed",
      "mpirun detected that one or more",
      "mpirun has exited due to",
      "An MPI communication peer process has unexpectedly disconnected"};
  for (const std::string_view opening : kOpenings) {
    if (text.find(opening) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string LauncherText::take(std::string_view line) {
  std::string whole = std::string(line) + "\n";
  if (!is_dashes(line)) {
    if (!inside_) return whole;
    block_ += whole;
    return {};
  }
  if (!inside_) {
    inside_ = true;
    block_ = whole;
    return {};
  }
  inside_ = false;
  std::string block = std::exchange(block_, {}) + whole;
  const std::string text = flat(block);
  if (!is_about_the_end(text)) return block;
  if (!end_) end_ = by_signal(text);
  if (!end_) end_ = by_exit_code(text);
  return {};
}

std::string LauncherText::rest() {
  inside_ = false;
  return std::exchange(block_, {});
}

LaunchResult meaning_of(int status, const std::optional<RankEnd>& end) {
  if (WIFSIGNALED(status)) {
    return {kSurroundings, "mpirun was ended by " + signal_text(WTERMSIG(status))};
  }
  const int code = WEXITSTATUS(status);
  if (code >= 0 && code <= 2) return {code, {}};
  const bool ours = code == kSurroundings || code == kDefect;
  if (!end) {
    if (ours) return {code, {}};
    return {kSurroundings, "mpirun ended with exit code " + std::to_string(code)};
  }
  std::string who = "rank " + std::to_string(end->rank);
  if (!end->host.empty()) who += " on " + end->host;
  return {ours ? code : kSurroundings, who + " " + end->how + "; the other ranks were ended"};
}

}  // namespace oracle
