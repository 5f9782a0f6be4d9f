#include "oracle/io/machine/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "oracle/base/error.h"

namespace oracle {
namespace slurm_test {

using testing::ElementsAre;
using testing::IsEmpty;

/// Variables as jobs have them.
struct Variables {
  std::map<std::string, std::string> values;
  Environment environment() const {
    return [this](const char* name) {
      const auto found = values.find(name);
      return found == values.end() ? nullptr : found->second.c_str();
    };
  }
};

TEST(Slurm, WorkedNumber) {
  EXPECT_THAT(expand_host_list("gpu[01-03,07],login1"),
              ElementsAre("gpu01", "gpu02", "gpu03", "gpu07", "login1"));
  EXPECT_THAT(expand_task_counts("8(x2),4"), ElementsAre(8, 8, 4));
}

TEST(Slurm, HostLists) {
  EXPECT_THAT(expand_host_list("cn1"), ElementsAre("cn1"));
  EXPECT_THAT(expand_host_list("n[9-11]"), ElementsAre("n9", "n10", "n11"));
  EXPECT_THAT(expand_host_list("n[099-100].cluster"), ElementsAre("n099.cluster", "n100.cluster"));
  EXPECT_THAT(expand_host_list("rack[1-2]n[3-4]"),
              ElementsAre("rack1n3", "rack1n4", "rack2n3", "rack2n4"));
  EXPECT_EQ(expand_host_list("n[1-100000]").size(), 100'000U);
}

TEST(Slurm, WhatIsNoHostListIsRefused) {
  for (const char* none :
       {"", "a,", "n[1-2", "n1]", "n[[1]]", "n[2-1]", "n[]", "n[x]", "n[1--2]", "n[-1]", "n[1-]",
        "n[1-100001]", "n[1-1000]m[1-1000]", "n[99999999999999999999]", "a b", "a\tb"}) {
    EXPECT_THROW(expand_host_list(none), InputError) << none;
  }
}

TEST(Slurm, WhatIsNoListOfCountsIsRefused) {
  for (const char* none : {"", "8,", "8(x)", "8(x0)", "8(x2", "8x2)", "-1", "8(x-1)", "8(x100001)",
                           "4(x2)3", "99999999"}) {
    EXPECT_THROW(expand_task_counts(none), InputError) << none;
  }
}

TEST(Slurm, OneTaskOnOneNode) {
  const Variables job{{{"SLURM_JOB_ID", "476"},
                       {"SLURM_JOB_NODELIST", "cn1"},
                       {"SLURM_TASKS_PER_NODE", "1"},
                       {"SLURM_JOB_NUM_NODES", "1"}}};
  const auto allocation = read_allocation(job.environment());
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->job, "476");
  EXPECT_THAT(allocation->tasks, ElementsAre(1));
  EXPECT_FALSE(allocation->gpus_per_node);
}

TEST(Slurm, ManyTasksAndGpus) {
  const Variables job{{{"SLURM_JOB_ID", "1203344"},
                       {"SLURM_JOB_NODELIST", "nid[006549-006552]"},
                       {"SLURM_TASKS_PER_NODE", "4(x4)"},
                       {"SLURM_GPUS_ON_NODE", "4"}}};
  const auto allocation = read_allocation(job.environment());
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->hosts.back(), "nid006552");
  EXPECT_THAT(allocation->tasks, ElementsAre(4, 4, 4, 4));
  EXPECT_EQ(allocation->gpus_per_node, 4);
}

TEST(Slurm, AStepWithTasksOfItsOwnOrNone) {
  Variables job{{{"SLURM_JOB_ID", "1"},
                 {"SLURM_JOB_NODELIST", "a[1-2],b1"},
                 {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}}};
  EXPECT_THAT(read_allocation(job.environment())->tasks, ElementsAre(2, 2, 1));
  job.values.erase("SLURM_STEP_TASKS_PER_NODE");
  EXPECT_THAT(read_allocation(job.environment())->tasks, IsEmpty());
}

TEST(Slurm, NoJobIsNone) {
  EXPECT_FALSE(read_allocation(Variables{}.environment()));
  EXPECT_FALSE(read_allocation(Variables{{{"SLURM_JOB_ID", "1"}}}.environment()));
}

TEST(Slurm, TasksOfOtherHostsContradict) {
  const Variables job{
      {{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_NODELIST", "a[1-2]"}, {"SLURM_TASKS_PER_NODE", "4(x3)"}}};
  EXPECT_THROW(read_allocation(job.environment()), InputError);
}

}  // namespace slurm_test
}  // namespace oracle
