#include "oracle/search/frontier.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace oracle {
namespace frontier_test {

/// The mesh's degree tells candidates apart.
Candidate candidate(std::int64_t id, double seconds, double bytes) {
  Candidate made;
  made.strategy.mesh = {{id, Cut::sample}};
  made.step.time = Seconds{seconds};
  made.memory = Bytes{bytes};
  return made;
}

std::vector<std::int64_t> ids(const std::vector<Candidate>& candidates) {
  std::vector<std::int64_t> found;
  for (const Candidate& row : candidates) found.push_back(row.strategy.mesh.front().degree);
  return found;
}

/// By the definition: every candidate against every other.
std::vector<std::int64_t> brute_force(const std::vector<Candidate>& candidates) {
  std::vector<Candidate> unbeaten;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    bool beaten = false;
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      const Candidate &a = candidates[i], &b = candidates[j];
      if (b.step.time > a.step.time || b.memory > a.memory) continue;
      const bool equal = b.step.time == a.step.time && b.memory == a.memory;
      beaten = beaten || !equal || j < i;
    }
    if (!beaten) unbeaten.push_back(candidates[i]);
  }
  std::sort(unbeaten.begin(), unbeaten.end(),
            [](const Candidate& a, const Candidate& b) { return a.step.time < b.step.time; });
  return ids(unbeaten);
}

TEST(Frontier, KeepsWhatNobodyBeats) {
  EXPECT_EQ(ids(frontier(std::vector{candidate(4, 4, 1), candidate(3, 3, 8), candidate(2, 2, 7),
                                     candidate(1, 1, 9)})),
            (std::vector<std::int64_t>{1, 2, 4}));
  EXPECT_TRUE(frontier({}).empty());
}

TEST(Frontier, OfEqualsTheFirstStays) {
  EXPECT_EQ(ids(frontier(std::vector{candidate(1, 2, 5), candidate(2, 2, 5), candidate(3, 2, 4),
                                     candidate(4, 2, 4)})),
            (std::vector<std::int64_t>{3}));
}

TEST(Frontier, IsWhatComparingAllPairsLeaves) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    // Few values, so that ties in either are frequent.
    const std::uint64_t values = 2 + random() % 12;
    std::vector<Candidate> candidates(random() % 40);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      candidates[i] =
          candidate(static_cast<std::int64_t>(i) + 1, static_cast<double>(random() % values),
                    static_cast<double>(random() % values));
    }
    ASSERT_EQ(ids(frontier(candidates)), brute_force(candidates)) << "round " << round;
  }
}

}  // namespace frontier_test
}  // namespace oracle
