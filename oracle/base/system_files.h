#pragma once
// What do the small files of /proc and /sys hold, where they are there at all?
//
// Many of them cannot be read (EINVAL from the speed of an interface that is down): that is no
// error but nothing.                                  tests/base/system_files_test.cpp

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

/// At most 1 MiB; empty where it cannot be read.
std::string text_or_nothing(const std::filesystem::path& file);
std::string first_line_of(const std::filesystem::path& file);

/// The whole of `text` as a number, blanks around it aside.
std::optional<std::int64_t> whole_number(std::string_view text);
std::optional<std::int64_t> whole_number_in(const std::filesystem::path& file);

/// Sorted by name; empty where there is no such folder.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// "cpu0", "cpu1", …: those of `prefix` and a number, sorted by it.
std::vector<std::filesystem::path> numbered_folders(const std::filesystem::path& folder,
                                                    std::string_view prefix);

}  // namespace oracle
