#include "microbench/modules/vendor_libraries.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <system_error>

namespace oracle {
namespace {

namespace fs = std::filesystem;

/// Libraries that one library may miss, one after the other.
constexpr int kMostMissing = 32;
/// How deep libraries may need libraries.
constexpr int kDeepest = 8;

/// What lies in `folder` and is called so at its beginning, newest version first.
std::vector<fs::path> entries(const fs::path& folder, std::string_view beginning) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with(beginning)) found.push_back(at->path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

void add_folder(const fs::path& folder, std::vector<fs::path>& folders) {
  std::error_code ignored;
  const fs::path normal = folder.lexically_normal();
  if (!fs::is_directory(normal, ignored)) return;
  if (std::find(folders.begin(), folders.end(), normal) == folders.end()) folders.push_back(normal);
}

/// Packages of every Python below a prefix.
void add_packages(const fs::path& prefix, std::vector<fs::path>& folders) {
  for (const char* library : {"lib", "lib64"}) {
    for (const fs::path& python : entries(prefix / library, "python3")) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const fs::path& part : entries(python / packages / "nvidia", "")) {
          add_folder(part / "lib", folders);
        }
      }
    }
  }
}

/// The prefix of the python3 that a shell would start.
std::optional<fs::path> prefix_of_python(const std::string& path) {
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path folder = path.substr(begin, end - begin);
    std::error_code ignored;
    if (!folder.empty() && fs::exists(folder / "python3", ignored)) return folder / "..";
    begin = end + 1;
  }
  return std::nullopt;
}

OpenedLibrary open_with(const std::string& path, const std::vector<fs::path>& folders, int depth);

/// Whether a library of this name lies in one of the folders and could be opened.
bool open_from(const std::string& name, const std::vector<fs::path>& folders, int depth) {
  std::error_code ignored;
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    const fs::path file = folder / name;
    return fs::exists(file, ignored) && open_with(file.string(), folders, depth).handle != nullptr;
  });
}

OpenedLibrary open_with(const std::string& path, const std::vector<fs::path>& folders, int depth) {
  OpenedLibrary opened;
  for (int missed = 0; missed < kMostMissing; ++missed) {
    opened.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened.handle != nullptr) return opened;
    const char* text = dlerror();
    opened.text = text == nullptr ? "no reason is given" : text;
    const auto missing = missing_library(opened.text);
    if (!missing || depth == kDeepest || !open_from(*missing, folders, depth + 1)) return opened;
  }
  return opened;
}

/// What cuDNN itself opens when it compiles a kernel, which names it without a folder.
void open_compilers(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    for (const fs::path& file : entries(folder, "libnvrtc")) {
      if (file.string().find(".so.") != std::string::npos) dlopen(file.c_str(), RTLD_LAZY);
    }
  }
}

}  // namespace

std::vector<fs::path> vendor_folders(const Environment& environment, const fs::path& root) {
  std::vector<fs::path> folders;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const fs::path prefix = environment(variable).value_or("");
    if (prefix.empty()) continue;
    add_packages(prefix, folders);
    if (fs::path(variable) == "CONDA_PREFIX") add_folder(prefix / "lib", folders);
  }
  if (const auto prefix = prefix_of_python(environment("PATH").value_or(""))) {
    add_packages(*prefix, folders);
  }
  if (const auto home = environment("HOME")) add_packages(fs::path(*home) / ".local", folders);
  for (const char* prefix : {"usr/local", "usr"}) add_packages(root / prefix, folders);
  for (const fs::path& toolkit : entries(root / "usr/local", "cuda")) {
    for (const char* part : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
      add_folder(toolkit / part, folders);
    }
  }
  for (const char* folder : {"opt/cuda/lib64", "usr/local/nvidia/lib64", "usr/lib/wsl/lib"}) {
    add_folder(root / folder, folders);
  }
  return folders;
}

std::optional<std::string> missing_library(std::string_view loader_text) {
  constexpr std::string_view kBehind = ": cannot open shared object file: No such file";
  const std::size_t end = loader_text.find(kBehind);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view name = loader_text.substr(0, end);
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  return std::string(name);
}

OpenedLibrary open_library(const std::string& path, const std::vector<fs::path>& folders) {
  OpenedLibrary opened;
  opened.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened.handle != nullptr) return opened;
  opened = open_with(path, folders, 0);
  if (opened.handle != nullptr) open_compilers(folders);
  return opened;
}

}  // namespace oracle
