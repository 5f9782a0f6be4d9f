#include "microbench/comm/blame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oracle {
namespace blame_test {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr GroupId kGroup = 4;

std::vector<RankPlace> places() { return {{"n0", 10}, {"n0", 11}, {"n1", 12}, {"n1", 13}}; }

/// All_reduce number 6 of the group of all.
Pending all_reduce() {
  Pending pending;
  pending.group = kGroup;
  pending.number = 6;
  pending.members = {0, 1, 2, 3};
  pending.text = "all_reduce \"conv1\" of 8 fp32";
  return pending;
}

Answer answered(int rank, std::uint64_t started) {
  Answer answer;
  answer.state = Answer::State::answered;
  answer.snapshot.rank = rank;
  answer.snapshot.started[kGroup] = started;
  return answer;
}

Answer no_answer(Answer::State state) {
  Answer answer;
  answer.state = state;
  return answer;
}

TEST(Blame, NamesTheStoppedAndTheGone) {
  EXPECT_EQ(
      why_it_hangs(0, all_reduce(),
                   {{1, answered(1, 7)},
                    {2, no_answer(Answer::State::silent)},
                    {3, no_answer(Answer::State::gone)}},
                   places()),
      "rank 3 (n1, pid 13) is gone: its process ended; rank 2 (n1, pid 12) does not answer: it "
      "is stopped, or its host cannot be reached");
}

TEST(Blame, NamesTheMemberThatHasNotStartedTheOperationAndWhatItIsAt) {
  Answer late = answered(2, 6);
  late.snapshot.pending = {"barrier \"x\""};
  Answer computing = answered(3, 6);
  computing.snapshot.last = "all_gather \"fc\"";
  const std::string why =
      why_it_hangs(0, all_reduce(), {{1, answered(1, 7)}, {2, late}, {3, computing}}, places());
  EXPECT_EQ(why,
            "rank 2 (n1, pid 12) has not come: it waits in barrier \"x\"; rank 3 (n1, pid 13) has "
            "not come: it computes; its last operation was all_gather \"fc\"");
}

TEST(Blame, AllHaveCome) {
  const std::string why = why_it_hangs(
      0, all_reduce(), {{1, answered(1, 7)}, {2, answered(2, 7)}, {3, answered(3, 9)}}, places());
  EXPECT_THAT(why, HasSubstr("all its ranks have come"));
}

TEST(Blame, MessagesAreMatchedByTheirNumber) {
  Pending pending;
  pending.group = kGroup;
  pending.text = "messages \"halo\"";
  pending.sides = {{1, true, 3}, {2, false, 5}};
  Answer receiver = answered(1, 0);
  receiver.snapshot.received[{kGroup, 0}] = 4;  // the 4th has number 3
  Answer sender = answered(2, 0);
  sender.snapshot.sent[{kGroup, 0}] = 5;  // the 6th would have number 5
  const std::string why = why_it_hangs(0, pending, {{1, receiver}, {2, sender}}, places());
  EXPECT_THAT(why, HasSubstr("rank 2 (n1, pid 12) has not come"));
  EXPECT_THAT(why, Not(HasSubstr("rank 1 ")));
  EXPECT_EQ(operation_text(pending), "messages \"halo\" with ranks 1 2");
}

TEST(Blame, TheMinorityDiffers) {
  const std::pair key(kGroup, std::uint64_t{6});
  Answer one = answered(1, 7);
  one.snapshot.recent[key] = "all_reduce \"conv1\" of 9 fp32";
  Answer two = answered(2, 7);
  two.snapshot.recent[key] = all_reduce().text;
  EXPECT_EQ(who_differs(0, all_reduce(), {{1, one}, {2, two}}, places()),
            "rank 1 (n0, pid 11) has all_reduce \"conv1\" of 9 fp32, the others all_reduce "
            "\"conv1\" of 8 fp32");
  EXPECT_EQ(who_differs(0, all_reduce(), {{1, one}}, places()),
            "rank 0 (n0, pid 10) has all_reduce \"conv1\" of 8 fp32; rank 1 (n0, pid 11) has "
            "all_reduce \"conv1\" of 9 fp32");
  EXPECT_EQ(who_differs(0, all_reduce(), {{2, two}}, places()), "");
}

TEST(Blame, OneThatDoesNotAnswerMayNotHaveStarted) {
  const Answer silent = no_answer(Answer::State::silent), gone = no_answer(Answer::State::gone);
  EXPECT_TRUE(all_started(all_reduce(), {{1, answered(1, 7)}, {2, gone}, {3, answered(3, 8)}}));
  EXPECT_FALSE(all_started(all_reduce(), {{1, answered(1, 7)}, {2, answered(2, 6)}, {3, gone}}));
  EXPECT_FALSE(all_started(all_reduce(), {{1, answered(1, 7)}, {2, silent}, {3, gone}}));
}

TEST(Blame, ListsOfManyRanksAreCutShort) {
  std::map<int, Answer> answers;
  for (int rank = 1; rank <= 12; ++rank) answers[rank] = no_answer(Answer::State::gone);
  const std::string text = who_is_gone(answers, {});
  EXPECT_THAT(text, HasSubstr("rank 8 is gone"));
  EXPECT_THAT(text, HasSubstr("; and 4 more"));
  EXPECT_THAT(text, Not(HasSubstr("rank 9 ")));
}

}  // namespace blame_test
}  // namespace oracle
