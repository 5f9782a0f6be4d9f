#include "validate/trials/children.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "oracle/base/error.h"

namespace oracle {
namespace children_test {

TEST(Children, AreWaitedForAsTheyEnd) {
  Children children;
  EXPECT_FALSE(children.wait());
  children.start(1, {"/bin/sleep", "0.3"});
  children.start(2, {"/bin/true"});
  EXPECT_EQ(children.wait(), 2);
  EXPECT_EQ(children.wait(), 1);
  EXPECT_FALSE(children.wait());
}

TEST(Children, OneThatFailsIsNamed) {
  const auto said = [](const std::vector<std::string>& words) {
    Children children;
    children.start(7, words);
    try {
      children.wait();
    } catch (const EnvironmentError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said({"/bin/false"}), "run 7 ended with exit code 1; see what it said");
  EXPECT_EQ(said({"/no/such/program"}), "run 7 could not be started");
  EXPECT_EQ(said({"/bin/sh", "-c", "kill -9 $$"}), "run 7 was ended by signal 9");
}

TEST(Children, DoNotOutliveTheirOwner) {
  {
    Children children;
    children.start(1, {"/bin/sleep", "1000"});
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace children_test
}  // namespace oracle
