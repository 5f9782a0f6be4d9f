#include "microbench/comm/schedule.h"

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>

namespace oracle {
namespace schedule_test {

using Numbers = std::vector<double>;

/// Runs the schedules of all members in one thread, a message at a time.
class Machine {
 public:
  Machine(std::vector<Schedule> schedules, std::vector<Numbers> given, std::vector<Numbers> kept)
      : schedules_(std::move(schedules)), given_(std::move(given)), kept_(std::move(kept)) {
    for (const Schedule& schedule : schedules_) {
      scratch_.emplace_back(static_cast<std::size_t>(schedule.scratch));
      at_.emplace_back(schedule.lanes.size());
    }
  }

  /// False where no member can go on before all are done.
  bool run() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t m = 0; m < schedules_.size(); ++m) {
        for (std::size_t l = 0; l < at_[m].size(); ++l) moved = step(m, l) || moved;
      }
    }
    for (std::size_t m = 0; m < schedules_.size(); ++m) {
      for (std::size_t l = 0; l < at_[m].size(); ++l) {
        if (at_[m][l].round < schedules_[m].lanes[l].size()) return false;
      }
    }
    return true;
  }

  const std::vector<Numbers>& kept() const { return kept_; }

 private:
  struct State {
    std::size_t round = 0;
    bool sent = false;
  };

  bool step(std::size_t m, std::size_t l) {
    State& state = at_[m][l];
    if (state.round == schedules_[m].lanes[l].size()) return false;
    const Round& round = schedules_[m].lanes[l][state.round];
    if (!state.sent) {
      if (round.sent.count > 0) {
        Numbers message;
        for (std::int64_t i = 0; i < round.sent.count; ++i) message.push_back(at(m, round.sent, i));
        mail_[{m, static_cast<std::size_t>(round.to), l}].push_back(message);
      }
      state.sent = true;
      return true;
    }
    if (round.received.count > 0) {
      auto& waiting = mail_[{static_cast<std::size_t>(round.from), m, l}];
      if (waiting.empty()) return false;
      EXPECT_EQ(static_cast<std::int64_t>(waiting.front().size()), round.received.count);
      for (std::int64_t i = 0; i < round.received.count; ++i) {
        at(m, round.received, i) = waiting.front().at(static_cast<std::size_t>(i));
      }
      waiting.pop_front();
    }
    for (std::int64_t i = 0; i < round.into.count; ++i) {
      const double source = at(m, round.source, i);
      at(m, round.into, i) = round.add ? at(m, round.into, i) + source : source;
    }
    state = {state.round + 1, false};
    return true;
  }

  double& at(std::size_t m, const Part& part, std::int64_t i) {
    Numbers& buffer = part.buffer == BufferRole::given  ? given_[m]
                      : part.buffer == BufferRole::kept ? kept_[m]
                                                        : scratch_[m];
    return buffer.at(static_cast<std::size_t>(part.offset + i));
  }

  std::vector<Schedule> schedules_;
  std::vector<Numbers> given_;
  std::vector<Numbers> kept_;
  std::vector<Numbers> scratch_;
  std::vector<std::vector<State>> at_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::deque<Numbers>> mail_;
};

double value(std::size_t member, std::int64_t i) {
  return static_cast<double>(member * 1000) + static_cast<double>(i);
}

Numbers numbers(std::size_t member, std::int64_t count) {
  Numbers all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(value(member, i));
  return all;
}

using Maker = Schedule (*)(Member, std::int64_t, std::int64_t);

std::vector<Schedule> schedules_of(Maker maker, int n, std::int64_t count, std::int64_t segment) {
  std::vector<Schedule> all;
  for (int place = 0; place < n; ++place) all.push_back(maker({place, n}, count, segment));
  return all;
}

std::int64_t sent(const Schedule& schedule) {
  std::int64_t sum = 0;
  for (const auto& lane : schedule.lanes) {
    for (const Round& round : lane) sum += round.sent.count;
  }
  return sum;
}

struct Case {
  int n = 1;
  std::int64_t count = 0;
  std::int64_t segment = 0;

  std::size_t members() const { return static_cast<std::size_t>(n); }
  std::int64_t whole() const { return n * count; }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int n = 1; n <= 7; ++n) {
    for (const std::int64_t count : {0, 1, 2, 5, 12, 29}) {
      for (const std::int64_t segment : {1, 4, 100}) all.push_back({n, count, segment});
    }
  }
  return all;
}

void expect_all_reduce(const Case& size) {
  const auto [n, count, segment] = size;
  std::vector<Numbers> kept;
  for (std::size_t m = 0; m < size.members(); ++m) kept.push_back(numbers(m, count));
  const auto schedules = schedules_of(all_reduce_schedule, n, count, segment);
  std::int64_t total = 0;
  for (const Schedule& schedule : schedules) total += sent(schedule);
  EXPECT_EQ(total, 2 * (n - 1) * count);
  Machine machine(schedules, std::vector<Numbers>(size.members()), kept);
  ASSERT_TRUE(machine.run());
  for (const Numbers& found : machine.kept()) {
    for (std::int64_t i = 0; i < count; ++i) {
      double sum = 0;
      for (std::size_t m = 0; m < size.members(); ++m) sum += value(m, i);
      ASSERT_EQ(found[static_cast<std::size_t>(i)], sum);
    }
  }
}

void expect_reduce_scatter(const Case& size) {
  const auto [n, count, segment] = size;
  std::vector<Numbers> given;
  for (std::size_t m = 0; m < size.members(); ++m) given.push_back(numbers(m, size.whole()));
  const auto schedules = schedules_of(reduce_scatter_schedule, n, count, segment);
  Machine machine(schedules, given,
                  std::vector<Numbers>(size.members(), Numbers(static_cast<std::size_t>(count))));
  ASSERT_TRUE(machine.run());
  for (std::size_t place = 0; place < size.members(); ++place) {
    EXPECT_EQ(sent(schedules[place]), (n - 1) * count);
    for (std::int64_t i = 0; i < count; ++i) {
      double sum = 0;
      for (std::size_t m = 0; m < size.members(); ++m) {
        sum += value(m, static_cast<std::int64_t>(place) * count + i);
      }
      ASSERT_EQ(machine.kept()[place][static_cast<std::size_t>(i)], sum);
    }
  }
}

void expect_all_gather(const Case& size) {
  const auto [n, count, segment] = size;
  std::vector<Numbers> given;
  Numbers due;
  for (std::size_t m = 0; m < size.members(); ++m) {
    given.push_back(numbers(m, count));
    due.insert(due.end(), given.back().begin(), given.back().end());
  }
  const auto schedules = schedules_of(all_gather_schedule, n, count, segment);
  Machine machine(
      schedules, given,
      std::vector<Numbers>(size.members(), Numbers(static_cast<std::size_t>(size.whole()))));
  ASSERT_TRUE(machine.run());
  for (std::size_t m = 0; m < size.members(); ++m) {
    EXPECT_EQ(machine.kept()[m], due);
    EXPECT_EQ(sent(schedules[m]), (n - 1) * count);
  }
}

void expect_all_to_all(const Case& size) {
  const auto [n, count, segment] = size;
  std::vector<Numbers> given;
  for (std::size_t m = 0; m < size.members(); ++m) given.push_back(numbers(m, size.whole()));
  const auto schedules = schedules_of(all_to_all_schedule, n, count, segment);
  Machine machine(
      schedules, given,
      std::vector<Numbers>(size.members(), Numbers(static_cast<std::size_t>(size.whole()))));
  ASSERT_TRUE(machine.run());
  for (std::size_t place = 0; place < size.members(); ++place) {
    EXPECT_EQ(sent(schedules[place]), (n - 1) * count);
    for (std::int64_t j = 0; j < size.whole(); ++j) {
      const auto from = static_cast<std::size_t>(j / count);
      const std::int64_t i = static_cast<std::int64_t>(place) * count + j % count;
      ASSERT_EQ(machine.kept()[place][static_cast<std::size_t>(j)], value(from, i));
    }
  }
}

TEST(Schedule, EveryCollectiveGivesEveryMemberItsDueForEverySize) {
  for (const Case& size : cases()) {
    SCOPED_TRACE(std::to_string(size.n) + " members, " + std::to_string(size.count) +
                 " elements by " + std::to_string(size.segment));
    expect_all_reduce(size);
    expect_reduce_scatter(size);
    expect_all_gather(size);
    expect_all_to_all(size);
  }
}

TEST(Schedule, WorkedExampleOfTheHeader) {
  const Schedule schedule = all_reduce_schedule({1, 4}, 12, 1000);
  ASSERT_EQ(schedule.lanes.size(), 1U);
  EXPECT_EQ(schedule.lanes[0].size(), 6U);
  for (const Round& round : schedule.lanes[0]) EXPECT_EQ(round.sent.count, 3);
  EXPECT_EQ(sent(schedule), 18);
  EXPECT_EQ(schedule.scratch, 3);
}

TEST(Schedule, TwoMembersSendWhatIsShortAtOnce) {
  const Schedule few = all_reduce_schedule({1, 2}, 8192, 1 << 20);
  ASSERT_EQ(few.lanes.size(), 1U);
  EXPECT_EQ(few.lanes[0].size(), 1U);
  EXPECT_EQ(sent(few), 8192);
  const Schedule many = all_reduce_schedule({1, 2}, 8194, 1 << 20);
  EXPECT_EQ(many.lanes[0].size(), 2U);
  EXPECT_EQ(sent(many), 8194);
}

TEST(Schedule, NoMessageIsLongerThanASegment) {
  for (const Maker maker :
       {all_reduce_schedule, reduce_scatter_schedule, all_gather_schedule, all_to_all_schedule}) {
    const Schedule schedule = maker({0, 3}, 1000, 10);
    EXPECT_LE(schedule.scratch, 2 * 4 * 10);
    for (const auto& lane : schedule.lanes) {
      for (const Round& round : lane) EXPECT_LE(round.sent.count, 10);
    }
  }
}

TEST(Schedule, NobodyLeavesABarrierBeforeTheLastHasCome) {
  for (int n = 1; n <= 9; ++n) {
    for (int late = 0; late < n; ++late) {
      std::vector<Schedule> schedules;
      for (int place = 0; place < n; ++place) schedules.push_back(barrier_schedule({place, n}));
      // The late member does nothing at all: the others must all get stuck.
      std::vector<Schedule> without = schedules;
      const auto kept = std::vector<Numbers>(static_cast<std::size_t>(n));
      EXPECT_TRUE(Machine(schedules, kept, kept).run());
      for (Round& round : without[static_cast<std::size_t>(late)].lanes[0]) round.sent.count = 0;
      EXPECT_EQ(Machine(without, kept, kept).run(), n == 1);
    }
  }
}

}  // namespace schedule_test
}  // namespace oracle
