#include "microbench/comm/journal.h"

#include <gtest/gtest.h>

namespace oracle {
namespace journal_test {

Pending collective(Ticket ticket, GroupId group, std::string text) {
  Pending pending;
  pending.ticket = ticket;
  pending.group = group;
  pending.text = std::move(text);
  return pending;
}

TEST(Journal, NumbersOperationsByGroupAndMessagesByPeerAndDirection) {
  Journal journal;
  Pending a = collective(0, 1, "a");
  Pending b = collective(1, 2, "b");
  Pending c = collective(2, 1, "c");
  Pending d = collective(3, 1, "d");
  d.sides = {{5, true, 0}, {5, true, 0}, {5, false, 0}};
  for (Pending* pending : {&a, &b, &c, &d}) journal.begin(*pending);
  EXPECT_EQ(a.number, 0U);
  EXPECT_EQ(b.number, 0U);
  EXPECT_EQ(c.number, 1U);
  EXPECT_EQ(d.sides[0].number, 0U);
  EXPECT_EQ(d.sides[1].number, 1U);
  EXPECT_EQ(d.sides[2].number, 0U);
  const Snapshot snapshot = journal.snapshot();
  EXPECT_EQ(snapshot.started.at(1), 2U);
  EXPECT_EQ(snapshot.sent.at({1, 5}), 2U);
  EXPECT_EQ(snapshot.received.at({1, 5}), 1U);
}

TEST(Journal, TheOldestIsTheOneThatHasNotEnded) {
  Journal journal;
  EXPECT_FALSE(journal.oldest());
  Pending a = collective(0, 1, "a");
  Pending b = collective(1, 1, "b");
  journal.begin(a);
  journal.begin(b);
  EXPECT_EQ(journal.oldest()->text, "a");
  journal.end(0);
  EXPECT_EQ(journal.oldest()->text, "b");
  EXPECT_EQ(journal.snapshot().last, "a");
  EXPECT_FALSE(journal.pending(0));
}

TEST(Journal, RemembersTheLast64Operations) {
  Journal journal;
  for (Ticket ticket = 0; ticket < 100; ++ticket) {
    Pending pending = collective(ticket, 1, "x");
    journal.begin(pending);
  }
  const Snapshot snapshot = journal.snapshot();
  EXPECT_EQ(snapshot.recent.size(), 64U);
  EXPECT_EQ(snapshot.recent.begin()->first.second, 36U);
}

TEST(Journal, ASnapshotReadsBackAsItWasWritten) {
  Snapshot snapshot;
  snapshot.rank = 3;
  snapshot.host = "node 7";
  snapshot.pid = 4711;
  snapshot.started = {{1, 5}, {kSetupGroup, 2}};
  snapshot.sent[{2, 0}] = 9;
  snapshot.received[{2, 1}] = 8;
  snapshot.recent[{1, 4}] = "all_reduce \"a b\" of 3 fp32";
  snapshot.pending = {"first one", "second"};
  snapshot.last = "barrier \"x\"";
  const auto read = read_snapshot(to_text(snapshot));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->host, "node 7");
  EXPECT_EQ(read->started, snapshot.started);
  EXPECT_EQ(read->recent, snapshot.recent);
  EXPECT_EQ(read->pending, snapshot.pending);
  EXPECT_EQ(to_text(*read), to_text(snapshot));
}

TEST(Journal, ALineBreakInALabelStaysInItsLine) {
  Snapshot snapshot;
  snapshot.rank = 0;
  snapshot.host = "h";
  snapshot.pending = {"all_reduce \"x\nend\nself 9 9 h\""};
  const auto read = read_snapshot(to_text(snapshot));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rank, 0);
  EXPECT_EQ(read->pending.size(), 1U);
}

TEST(Journal, RefusesWhatIsNoSnapshot) {
  for (const char* text : {"", "end\n", "self 1 2 h\n", "self 1\nend\n", "self x 2 h\nend\n",
                           "self 1 2 h\nstarted 1\nend\n", "self 1 2 h\nother 3\nend\n",
                           "HTTP/1.1 400 Bad Request\n\n"}) {
    EXPECT_FALSE(read_snapshot(text)) << text;
  }
}

}  // namespace journal_test
}  // namespace oracle
