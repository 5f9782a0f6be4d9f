#include "validate/checkpoint/folder.h"

#include <algorithm>
#include <system_error>

#include "oracle/base/error.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "step-";
constexpr std::string_view kEnd = ".safetensors";
constexpr std::size_t kDigits = 12;
/// Of a temporary name: a dot and what mkstemp puts behind it (oracle/base/whole_file.h).
constexpr std::size_t kTemporaryEnd = 7;

/// The step of "step-000000000012.safetensors"; nothing of any other name.
std::optional<std::int64_t> step_of(std::string_view name) {
  if (name.size() != kBegin.size() + kDigits + kEnd.size()) return std::nullopt;
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
  std::int64_t step = 0;
  for (const char c : name.substr(kBegin.size(), kDigits)) {
    if (c < '0' || c > '9') return std::nullopt;
    step = step * 10 + (c - '0');
  }
  return step;
}

bool is_half(std::string_view name) {
  if (name.size() <= kTemporaryEnd || name[name.size() - kTemporaryEnd] != '.') return false;
  return step_of(name.substr(0, name.size() - kTemporaryEnd)).has_value();
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) throw EnvironmentError(folder.string() + ": cannot be listed: " + error.message());
  return names;
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw EnvironmentError(file.string() + ": cannot be removed: " + error.message());
}

}  // namespace

std::string checkpoint_name(std::int64_t step) {
  std::string digits = std::to_string(step);
  ensure(step >= 0 && digits.size() <= kDigits, "a step has at most twelve digits");
  digits.insert(0, kDigits - digits.size(), '0');
  return std::string(kBegin) + digits + std::string(kEnd);
}

std::vector<std::int64_t> checkpoints_in(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  for (const std::string& name : names_in(folder)) {
    if (const auto step = step_of(name)) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

FoundCheckpoint newest_checkpoint(const fs::path& folder) {
  std::vector<std::int64_t> steps = checkpoints_in(folder);
  std::vector<std::string> refused;
  for (; !steps.empty(); steps.pop_back()) {
    try {
      CheckpointFile file(folder / checkpoint_name(steps.back()));
      if (file.head().step != steps.back()) {
        throw InputError(file.path().string(), "is of step " + std::to_string(file.head().step) +
                                                   ", and its name says " +
                                                   std::to_string(steps.back()));
      }
      return {std::move(file), std::move(refused)};
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) {
        refused.push_back(problem.place + ": " + problem.message);
      }
    }
  }
  std::vector<Problem> problems;
  for (const std::string& text : refused) problems.push_back({"--resume", text, {}});
  problems.push_back({"--resume", folder.string() + " has no whole checkpoint",
                      "leave --resume out to train from the start"});
  throw InputError(std::move(problems));
}

void add_checkpoint(const fs::path& folder, const Checkpoint& checkpoint) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw EnvironmentError(folder.string() + ": cannot be made: " + error.message());
  write_checkpoint(folder / checkpoint_name(checkpoint.head.step), checkpoint);
  std::vector<std::int64_t> steps = checkpoints_in(folder);
  std::erase_if(steps, [&](std::int64_t step) { return step > checkpoint.head.step; });
  for (std::size_t i = 0; i + kKeptCheckpoints < steps.size(); ++i) {
    remove_file(folder / checkpoint_name(steps[i]));
  }
}

void remove_halves(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  for (const std::string& name : names_in(folder)) {
    if (is_half(name)) remove_file(folder / name);
  }
}

}  // namespace oracle
