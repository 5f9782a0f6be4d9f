#include "oracle/base/system_files.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace oracle {

namespace fs = std::filesystem;

std::string text_or_nothing(const fs::path& file) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMost, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(kMost));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return text;
}

std::string first_line_of(const fs::path& file) {
  const std::string text = text_or_nothing(file);
  return text.substr(0, text.find('\n'));
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> whole_number_in(const fs::path& file) {
  return whole_number(text_or_nothing(file));
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(at->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<fs::path> numbered_folders(const fs::path& folder, std::string_view prefix) {
  std::vector<std::pair<std::int64_t, fs::path>> numbered;
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    if (!name.starts_with(prefix)) continue;
    const auto number = whole_number(std::string_view(name).substr(prefix.size()));
    if (number && *number >= 0) numbered.emplace_back(*number, entry);
  }
  std::sort(numbered.begin(), numbered.end());
  std::vector<fs::path> folders;
  for (auto& [number, entry] : numbered) folders.push_back(std::move(entry));
  return folders;
}

}  // namespace oracle
