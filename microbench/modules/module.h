#pragma once
// How does a program that must start anywhere come by a back end whose libraries are not
// everywhere?
//
// The back end is a shared library beside the program, opened when it is asked for. Looked for in
// the folder of the program, and from there in ../lib/oracle, ../lib and ../../lib, or in the
// folder that ORACLE_MODULES names; the vendor's libraries that it needs, where vendor_libraries.h
// says. What is missing then (the driver, cuDNN, the module itself) is
// an EnvironmentError with one sentence: exit code 3.
//                                                      tests/microbench/modules/module_test.cpp

#include <string>
#include <vector>

namespace oracle {

/// The folders where a program at `program` looks; `named` is ORACLE_MODULES or empty.
std::vector<std::string> module_folders(const std::string& program, const std::string& named);

/// Opens the library that every GPU driver brings, for good, or throws EnvironmentError.
void require_gpu_driver();

/// Opens `module` ("oracle-kernels-gpu") for good and returns its symbol.
void* module_symbol(const std::string& module, const char* symbol);

}  // namespace oracle
