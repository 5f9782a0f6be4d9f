#pragma once
// Where do the libraries of a GPU's vendor lie, when the system's loader does not find them?
//
// A Python environment that brings PyTorch holds them in nvidia/*/lib of its packages, an installed
// toolkit in /usr/local/cuda. The loader (LD_LIBRARY_PATH, the system's cache) is asked first;
// whatever it then misses is opened by its path, and who needs it by name finds it open.
//
// Worked: VIRTUAL_ENV=/home/a/env, libcudnn.so.9 in
//   /home/a/env/lib/python3.11/site-packages/nvidia/cudnn/lib
//                                            tests/microbench/modules/vendor_libraries_test.cpp

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/modules/local_place.h"

namespace oracle {

/// Folders that exist, in the order in which they are searched: the environments that are active
/// (VIRTUAL_ENV, CONDA_PREFIX, the python3 of PATH, HOME/.local), then those below `root`.
std::vector<std::filesystem::path> vendor_folders(
    const Environment& environment, const std::filesystem::path& root = std::filesystem::path("/"));

/// "libcudnn.so.9", from what the loader says of a library that it does not find.
std::optional<std::string> missing_library(std::string_view loader_text);

/// A library that stays open, or the loader's reason in `text`.
struct OpenedLibrary {
  void* handle = nullptr;
  std::string text;
};

/// Opens the library at `path`, or called so, with whatever it needs from `folders`.
OpenedLibrary open_library(const std::string& path,
                           const std::vector<std::filesystem::path>& folders);

}  // namespace oracle
