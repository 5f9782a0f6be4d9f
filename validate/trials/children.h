#pragma once
// How are several programs run side by side?       tests/validate/trials/children_test.cpp

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace oracle {

/// Programs that run now. What they print but errors is left out; they end with this one.
class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children();

  /// Starts a program, known by `name` from now on. Throws EnvironmentError.
  void start(int name, const std::vector<std::string>& words);
  /// Waits for one to end well; none: none runs. Throws EnvironmentError where one ended otherwise.
  std::optional<int> wait();

 private:
  std::map<int, int> names_;  ///< by process
};

}  // namespace oracle
