#include "oracle/io/data_path.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/base/hash.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/io/file_bytes.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

/// Of a file of data; no more of it counts.
constexpr std::size_t kMostBytes = 64U << 20U;

bool holds_data(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "models", ignored) && fs::is_directory(folder / "data", ignored);
}

fs::path running_program() {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw EnvironmentError("/proc/self/exe: " + error.message() + "; set ORACLE_DATA");
  return program;
}

/// Where the system keeps shared data, as the XDG base directory specification has it.
std::vector<fs::path> system_data_folders() {
  const char* set = std::getenv("XDG_DATA_DIRS");
  std::istringstream list(set != nullptr && *set != '\0' ? set : "/usr/local/share:/usr/share");
  std::vector<fs::path> folders;
  for (std::string folder; std::getline(list, folder, ':');) {
    if (fs::path(folder).is_absolute()) folders.push_back(fs::path(folder) / "oracle");
  }
  return folders;
}

}  // namespace

fs::path data_root() {
  if (const char* set = std::getenv("ORACLE_DATA"); set != nullptr && *set != '\0') {
    if (holds_data(set)) return set;
    throw EnvironmentError("ORACLE_DATA=" + std::string(set) +
                           ": holds no models/ and data/; set it to the folder that does");
  }
  const fs::path program = running_program();
  for (fs::path folder = program.parent_path();; folder = folder.parent_path()) {
    if (holds_data(folder)) return folder;
    if (folder == folder.parent_path()) break;
  }
  fs::path installed = program.parent_path().parent_path() / "share" / "oracle";
  if (holds_data(installed)) return installed;
  for (fs::path& folder : system_data_folders()) {
    if (holds_data(folder)) return std::move(folder);
  }
  throw EnvironmentError("models/ and data/ are neither above " + program.string() + " nor in " +
                         installed.string() +
                         " nor in the system's; set ORACLE_DATA to the folder that holds them");
}

std::vector<std::string> names_in(std::string_view folder) {
  const fs::path path = data_root() / folder;
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".json") names.push_back(entry->path().stem().string());
  }
  if (error) throw EnvironmentError(path.string() + ": cannot be listed: " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

std::string data_revision() {
  Fnv1a hash;
  for (const char* folder : {"models", "data/devices", "data/clusters", "data/frameworks",
                             "data/datasets", "data/convergence", "data/prices", "data/storage"}) {
    for (const std::string& name : names_in(folder)) {
      hash.add(name);
      hash.add(read_bytes(data_root() / folder / (name + ".json"), kMostBytes));
    }
  }
  return hash.digits();
}

fs::path resolve(std::string_view what, std::string_view folder, std::string_view name,
                 std::string_view listing) {
  if (name.find('/') != std::string_view::npos || name.ends_with(".json")) return fs::path(name);
  const std::vector<std::string> names = names_in(folder);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError(
        std::string(what), in_quotes(name) + " is unknown",
        suggestion(name, names,
                   "oracle list " + (listing.empty() ? fs::path(folder).filename().string()
                                                     : std::string(listing))));
  }
  return data_root() / folder / (std::string(name) + ".json");
}

}  // namespace oracle
