#pragma once
// How does a command have another program do part of its work, and wait for it?
//                                                                    tests/cli/child_test.cpp

#include <filesystem>
#include <string>
#include <vector>

namespace oracle::cli {

/// Runs a program with these words; what it says on stderr is heard. Returns when it ended well.
/// Throws EnvironmentError where it is not there, could not be started or ended by a signal, with
/// `remedy`; InputError where it did not understand; Defect where that is what it ended with.
void run_child(const std::filesystem::path& program, const std::vector<std::string>& words,
               const std::string& remedy);

}  // namespace oracle::cli
