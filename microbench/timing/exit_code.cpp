#include "microbench/timing/exit_code.h"

#include <exception>
#include <ostream>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr int kAnswered = 0, kNotUnderstood = 2, kSurroundings = 3, kDefect = 70;

}  // namespace

int exit_code_of(std::string_view program, std::ostream& err, const std::function<void()>& work) {
  try {
    work();
    return kAnswered;
  } catch (const InputError& error) {
    err << program << ": " << error.what() << '\n';
    return kNotUnderstood;
  } catch (const EnvironmentError& error) {
    err << program << ": " << error.what() << '\n';
    return kSurroundings;
  } catch (const std::exception& error) {
    err << program << ": a defect: " << error.what() << '\n';
    return kDefect;
  }
}

}  // namespace oracle
