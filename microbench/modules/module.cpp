#include "microbench/modules/module.h"

#include <dlfcn.h>
#include <filesystem>

#include "microbench/modules/local_place.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

std::string this_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).string();
}

std::string last_error() {
  const char* text = dlerror();
  return text == nullptr ? "no reason is given" : text;
}

std::string path_of(const std::string& module) {
  const std::string named = process_environment("ORACLE_MODULES").value_or("");
  for (const std::string& folder : module_folders(this_program(), named)) {
    std::string path = folder + "/" + module + ".so";
    if (fs::exists(path)) return path;
  }
  throw EnvironmentError("the back end " + module +
                         ".so is not beside this program; install it there, or name its folder in "
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
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) {
    throw EnvironmentError("there is no GPU driver on this machine (" + last_error() +
                           "); choose --device cpu, or run where a GPU is");
  }
  dlclose(driver);
}

void* module_symbol(const std::string& module, const char* symbol) {
  const std::string path = path_of(module);
  void* opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    throw EnvironmentError("cannot open " + path + " (" + last_error() +
                           "); it needs the libraries of CUDA, cuDNN and NCCL that it was built "
                           "with, in LD_LIBRARY_PATH or where the system looks");
  }
  void* found = dlsym(opened, symbol);
  if (found == nullptr) {
    throw EnvironmentError(path + " is of another version than this program: it lacks " + symbol);
  }
  return found;
}

}  // namespace oracle
