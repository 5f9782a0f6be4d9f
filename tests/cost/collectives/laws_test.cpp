// What holds for every collective on every group: bounds and monotony on random groups.

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "oracle/cost/collectives/algorithm.h"
#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace laws_test {

constexpr int kGroups = 400;

class RandomGroups {
 public:
  Group next() {
    Group group;
    group.levels = static_cast<std::size_t>(whole(1, 4));
    std::int64_t members = 1;
    double latency = real(0.5, 20) * kMicro;
    for (std::size_t l = 0; l < group.levels; ++l) {
      members *= whole(l + 1 == group.levels ? 2 : 1, 8);
      GroupLevel& level = group.level[l];
      level = level_of(members, latency, real(1, 100) * kGiga);
      level.flow_limit = level.flow * real(0.25, 1);
      latency *= real(1, 4);
    }
    group.size = members;
    return group;
  }
  Bytes bytes() { return Bytes{std::pow(10, real(0, 9))}; }
  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(generator_);
  }
  double real(double least, double most) {
    return std::uniform_real_distribution(least, most)(generator_);
  }

 private:
  std::mt19937_64 generator_{20240607};
};

class Laws : public testing::TestWithParam<Algorithm> {
 protected:
  /// Calls `check(group, bytes, time)` on random groups that the algorithm serves.
  template <typename Check>
  void on_random_groups(Check check) {
    int served = 0;
    for (int i = 0; i < kGroups; ++i) {
      Group group = random.next();
      const Bytes bytes = random.bytes();
      const bool by_servers = row.serves == Collective::push || row.serves == Collective::pull;
      if (by_servers) group.servers = random.whole(1, group.size);
      if (!row.applies(group)) continue;
      ++served;
      check(group, bytes, row.time(bytes, group));
    }
    EXPECT_GT(served, kGroups / 20);
  }

  Algorithm row = GetParam();
  RandomGroups random;
};

TEST_P(Laws, NeverFasterThanItsLowerBounds) {
  on_random_groups([&](const Group& group, Bytes bytes, Seconds time) {
    const auto n = static_cast<double>(group.size);
    Bandwidth fastest;
    for (std::size_t l = 0; l < group.levels; ++l) {
      fastest = std::max(fastest, group.level[l].flow);
    }
    const double volume = (row.serves == Collective::all_reduce ? 2 : 1) * (n - 1) / n;
    EXPECT_GE(time.value, (1 - 1e-12) * volume * (bytes / fastest).value);
    EXPECT_GE(time.value, (1 - 1e-12) * std::ceil(std::log2(n)) * group.level[0].latency.value);
  });
}

TEST_P(Laws, MoreBytesNeverTakeLess) {
  on_random_groups([&](const Group& group, Bytes bytes, Seconds time) {
    EXPECT_GE(row.time(bytes * random.real(1, 10), group), time);
    EXPECT_LE(row.time(Bytes{0}, group), time);
    EXPECT_GE(row.time(Bytes{0}, group).value, 0);
  });
}

TEST_P(Laws, FasterLinksNeverTakeLonger) {
  on_random_groups([&](Group group, Bytes bytes, Seconds time) {
    GroupLevel& level =
        group.level[static_cast<std::size_t>(random.whole(0, std::int64_t(group.levels) - 1))];
    const double factor = random.real(1, 10);
    level.flow = level.flow * factor;
    level.flow_limit = level.flow_limit * factor;
    EXPECT_LE(row.time(bytes, group), time);
  });
}

TEST_P(Laws, LowerLatencyNeverTakesLonger) {
  on_random_groups([&](Group group, Bytes bytes, Seconds time) {
    group.level[0].latency = group.level[0].latency * random.real(0, 1);
    EXPECT_LE(row.time(bytes, group), time);
  });
}

TEST_P(Laws, IsChosenByName) {
  EXPECT_EQ(find_algorithm(row.serves, row.name)->time, row.time);
  on_random_groups([&](const Group& group, Bytes bytes, Seconds) {
    EXPECT_EQ(choose_algorithm(row.serves, bytes, group, Library::nccl, row.name).time, row.time);
  });
}

INSTANTIATE_TEST_SUITE_P(All, Laws,
                         testing::ValuesIn(all_algorithms().begin(), all_algorithms().end()),
                         [](const auto& row) {
                           return std::string(name_of(row.param.serves)) + "_" +
                                  std::string(row.param.name);
                         });

TEST(Choice, TakesTheFastestThatTheLibraryOffers) {
  RandomGroups random;
  for (int i = 0; i < kGroups; ++i) {
    const Group group = random.next();
    const Bytes bytes = random.bytes();
    const Library library = i % 2 == 0 ? Library::nccl : Library::mpi;
    for (const Collective collective : {Collective::all_reduce, Collective::reduce_scatter,
                                        Collective::all_gather, Collective::all_to_all}) {
      const Algorithm& chosen = choose_algorithm(collective, bytes, group, library);
      EXPECT_EQ(chosen.serves, collective);
      EXPECT_TRUE(chosen.applies(group));
      EXPECT_TRUE(chosen.offered.by(library));
      for (const Algorithm& other : all_algorithms()) {
        if (other.serves != collective || !other.applies(group)) continue;
        if (!other.offered.by(library)) continue;
        EXPECT_LE(chosen.time(bytes, group), other.time(bytes, group)) << other.name;
      }
    }
  }
}

TEST(Choice, ANameThatDoesNotApplyGivesWayToTheFastest) {
  const Group flat = one_level(8, kMicro, kGiga);
  const auto choose = [&](Collective collective, std::string_view name) {
    return choose_algorithm(collective, Bytes{1e6}, flat, Library::mpi, name).name;
  };
  EXPECT_EQ(choose(Collective::all_reduce, "hierarchical"), choose(Collective::all_reduce, "auto"));
  EXPECT_EQ(choose(Collective::all_to_all, "ring"), "pairwise");
  EXPECT_EQ(find_algorithm(Collective::all_to_all, "ring"), nullptr);
}

TEST(Choice, ShortAndLongMessagesWantDifferentAlgorithms) {
  const Group group = two_levels(6, 4, kMicro, 50 * kGiga, 40 * kMicro, 12.5 * kGiga);
  const auto choose = [&](double bytes, Library library) {
    return choose_algorithm(Collective::all_reduce, Bytes{bytes}, group, library).name;
  };
  EXPECT_EQ(choose(8, Library::mpi), "tree");
  EXPECT_EQ(choose(1e5, Library::nccl), "double_tree");
  EXPECT_EQ(choose(1e9, Library::nccl), "ring");
}

TEST(Choice, WhatNoLibraryOffersRunsOnRequest) {
  const Group group = two_levels(6, 4, kMicro, 50 * kGiga, 40 * kMicro, 12.5 * kGiga);
  EXPECT_EQ(
      choose_algorithm(Collective::all_reduce, Bytes{1e6}, group, Library::nccl, "hierarchical")
          .name,
      "hierarchical");
}

}  // namespace laws_test
}  // namespace oracle
