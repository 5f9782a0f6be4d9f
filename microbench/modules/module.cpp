#include "microbench/modules/module.h"

#include <dlfcn.h>
#include <filesystem>

#include "microbench/modules/local_place.h"
#include "microbench/modules/vendor_libraries.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

std::string this_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).string();
}

std::string path_of(const std::string& module) {
  const std::string named = process_environment("ORACLE_MODULES").value_or("");
  for (const std::string& folder : module_folders(this_program(), named)) {
    std::string path = folder + "/" + module + ".so";
    if (fs::exists(path)) return path;
  }
  throw EnvironmentError(
      "the back end " + module +
      ".so is not in the folder of this program; install it there, or name its folder in "
      "ORACLE_MODULES");
}

}  // namespace

std::vector<std::string> module_folders(const std::string& program, const std::string& named) {
  if (!named.empty()) return {named};
  const fs::path folder = fs::path(program).parent_path();
  std::vector<std::string> folders{folder.string()};
  for (const char* other : {"../lib/oracle", "../lib", "../../lib"}) {
    folders.push_back((folder / other).lexically_normal().string());
  }
  return folders;
}

void require_gpu_driver() {
  const OpenedLibrary driver = open_library("libcuda.so.1", vendor_folders(process_environment));
  if (driver.handle != nullptr) return;
  throw EnvironmentError("there is no GPU driver on this machine (" + driver.text +
                         "); choose --device cpu, or run where a GPU is");
}

void* module_symbol(const std::string& module, const char* symbol) {
  const std::string path = path_of(module);
  const OpenedLibrary opened = open_library(path, vendor_folders(process_environment));
  if (opened.handle == nullptr) {
    throw EnvironmentError("cannot open " + path + " (" + opened.text +
                           "); it needs the libraries of CUDA, cuDNN and NCCL that it was built "
                           "with, where the system looks, in LD_LIBRARY_PATH or in nvidia/*/lib "
                           "of an active Python environment");
  }
  void* found = dlsym(opened.handle, symbol);
  if (found == nullptr) {
    throw EnvironmentError(path + " is of another version than this program: it lacks " + symbol);
  }
  return found;
}

}  // namespace oracle
