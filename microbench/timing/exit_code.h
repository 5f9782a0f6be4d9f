#pragma once
// How does a program that measures end?              tests/microbench/timing/exit_code_test.cpp

#include <functional>
#include <iosfwd>
#include <string_view>

namespace oracle {

/// 0; where `work` throws, says so after the program's name: 2 for an InputError, 3 for an
/// EnvironmentError, 70 for anything else.
int exit_code_of(std::string_view program, std::ostream& err, const std::function<void()>& work);

}  // namespace oracle
