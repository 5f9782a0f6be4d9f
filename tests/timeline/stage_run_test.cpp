#include "oracle/timeline/stage_run.h"

#include <gtest/gtest.h>
#include <random>

#include "oracle/plan/item_list.h"
#include "tests/timeline/hand_made.h"

namespace oracle {
namespace stage_run_test {

using enum Phase;

Seconds busy(const StageRun& run, Stream stream) {
  return run.occupied[static_cast<std::size_t>(stream)];
}

Transfer ring_pass() {
  Transfer pass;
  pass.collective = Collective::ring_pass;
  return pass;
}

Transfer copy_of(Payload payload, Collective way) { return {way, 0, Bytes{}, payload, 0, {}}; }

TEST(StageRun, ComputingWaitsForLayerCommunicationWhereItStands) {
  HandMade made;
  const auto first = made.work(forward, 1);
  const auto gather = made.transfer(forward, 4, {first});
  made.work(forward, 2, {first});
  made.work(forward, 3, {gather});
  const StageRun run = made.run();
  EXPECT_EQ(run.start[1].value, 1);
  EXPECT_EQ(run.start[2].value, 5);
  EXPECT_EQ(run.start[3].value, 7);
  EXPECT_EQ(run.length.value, 10);
  EXPECT_EQ(busy(run, Stream::compute).value, 6);
  EXPECT_EQ(busy(run, Stream::communication).value, 4);
  EXPECT_EQ(run.busy[0].value, 6);
  EXPECT_EQ(run.waited_activation.value, 4);
  EXPECT_EQ(run.waited_gradient.value, 0);
  EXPECT_EQ(run.exposed()[gather].value, 4);
  // Of which nothing depends on the other work.
  EXPECT_EQ(run.critical_path.value, 8);
}

TEST(StageRun, LayerCommunicationBeginsWhenComputingBeforeItIsOver) {
  HandMade made;
  const auto first = made.work(backward, 1);
  made.work(backward, 3, {first});
  const auto scatter = made.transfer(backward, 2, {first});
  made.work(backward, 1, {scatter});
  const StageRun run = made.run();
  EXPECT_EQ(run.start[scatter].value, 4);
  EXPECT_EQ(run.length.value, 7);
  EXPECT_EQ(run.waited_activation.value, 2);
}

TEST(StageRun, ComputingWaitsForWhatProductsDoNotHide) {
  HandMade made;
  const auto first = made.work(forward, 1);
  const auto gather = made.transfer(forward, 4, {first});
  made.work(forward, 5, {gather});
  made.prices.beside.resize(3);
  made.prices.beside[gather] = Seconds{3};
  const StageRun run = made.run();
  EXPECT_EQ(run.length.value, 7);
  EXPECT_EQ(run.waited_activation.value, 1);
  EXPECT_EQ(busy(run, Stream::communication).value, 4);
  EXPECT_EQ(run.critical_path.value, 7);
}

TEST(StageRun, LayerCommunicationAndExchangeDoNotQueueForEachOther) {
  HandMade made;
  const auto work = made.work(backward, 1);
  made.transfer(exchange, 10, {work});
  const auto gather = made.transfer(backward, 2, {work});
  made.work(backward, 1, {gather});
  const StageRun run = made.run();
  EXPECT_EQ(run.start[1].value, 1);
  EXPECT_EQ(run.start[2].value, 1);
  EXPECT_EQ(run.finish[3].value, 4);
  EXPECT_EQ(run.length.value, 11);
  EXPECT_EQ(run.waited_activation.value, 2);
  EXPECT_EQ(run.waited_gradient.value, 7);  // the tail after the last work
}

TEST(StageRun, TheUpdateWaitsForTheExchange) {
  HandMade made;
  const auto work = made.work(backward, 1);
  const auto reduce = made.transfer(exchange, 3, {work});
  made.work(update, 0.5, {work, reduce});
  const StageRun run = made.run();
  EXPECT_EQ(run.length.value, 4.5);
  EXPECT_EQ(run.waited_gradient.value, 3);
  EXPECT_EQ(run.exposed()[reduce].value, 3);
}

/// Two exchanges, one after the other, of which the first begins beside the second second of
/// computing.
struct TwoExchanges {
  explicit TwoExchanges(double second) {
    first = made.work(backward, 1);
    last = made.work(backward, 1, {first});
    reduce = made.transfer(exchange, 3, {first});
    next = made.transfer(exchange, second, {last});
    made.work(update, 1, {last, reduce, next});
  }

  HandMade made;
  std::uint32_t first, last, reduce, next;
};

TEST(StageRun, WhatOverlapsIsSlowedOnBothSides) {
  const TwoExchanges two(3);
  const StageRun run = two.made.run(Overlap::alike(0.5));
  EXPECT_DOUBLE_EQ(run.finish[two.reduce].value, 4.5);
  EXPECT_DOUBLE_EQ(run.finish[two.next].value, 7.5);  // beside nothing
  EXPECT_DOUBLE_EQ(run.length.value, 8.5);
  // Computing takes half a second more and waits for five.
  EXPECT_DOUBLE_EQ(run.busy[static_cast<std::size_t>(backward)].value, 2.5);
  EXPECT_DOUBLE_EQ(run.waited_gradient.value, 5);
  EXPECT_DOUBLE_EQ(run.exposed()[two.reduce].value, 0);
  EXPECT_DOUBLE_EQ(run.ends(two.first).value, 1);
  EXPECT_DOUBLE_EQ(run.ends(two.last).value, 2.5);
  EXPECT_DOUBLE_EQ(run.critical_path.value, 6);
}

TEST(StageRun, TwoOnOneCoreTakeTurns) {
  HandMade made;
  const auto first = made.work(backward, 1);
  const auto last = made.work(backward, 10, {first});
  made.transfer(exchange, 3, {first});
  made.transfer(exchange, 2, {first});
  made.work(update, 1, {last});
  const StageRun run = made.run(Overlap::alike(1));
  EXPECT_DOUBLE_EQ(run.length.value, 1 + 10 + 3 + 2 + 1);
  EXPECT_DOUBLE_EQ(run.busy[static_cast<std::size_t>(backward)].value, 1 + 10 + 3 + 2);
  EXPECT_DOUBLE_EQ(run.waited_gradient.value, 0);
}

TEST(StageRun, WhatGetsLessOfACoreIsDoneLater) {
  const TwoExchanges two(2);
  const StageRun run = two.made.run({1.0 / 3, 3});
  EXPECT_DOUBLE_EQ(run.busy[static_cast<std::size_t>(backward)].value, 2 + 1.0 / 3);
  EXPECT_DOUBLE_EQ(run.finish[two.reduce].value, 1 + 4);  // a third of a second was done beside
  EXPECT_DOUBLE_EQ(run.finish[two.next].value, 1 + 4 + 2);
  EXPECT_DOUBLE_EQ(run.waited_gradient.value, 7 - (2 + 1.0 / 3));
}

TEST(StageRun, AShortExchangeThatGetsLessIsStillBesideComputing) {
  HandMade made;
  const auto first = made.work(backward, 1);
  made.work(backward, 10, {first});
  const auto reduce = made.transfer(exchange, 2, {first});
  const StageRun run = made.run({1.0 / 3, 3});
  EXPECT_DOUBLE_EQ(run.finish[reduce].value, 1 + 8);
  EXPECT_DOUBLE_EQ(run.length.value, 11 + 2);
  EXPECT_DOUBLE_EQ(run.waited_gradient.value, 0);
}

TEST(StageRun, BesideNothingNothingIsSlowed) {
  HandMade made;
  const auto work = made.work(backward, 1);
  made.transfer(exchange, 10, {work});
  EXPECT_DOUBLE_EQ(made.run(Overlap::alike(0.2)).length.value, 11);
}

/// Compute waits from 1 to 3 for a transfer; an exchange of so many seconds begins at `after`.
struct WaitingBeside {
  WaitingBeside(double after, double seconds) {
    const auto first = made.work(backward, 1);
    gather = made.transfer(backward, 2, {first});
    made.work(backward, 1, {gather});
    const auto other = made.transfer(exchange, after);
    reduce = made.transfer(exchange, seconds, {other});
    made.one_link();
    made.prices.levels[other] = 2;
  }
  HandMade made;
  std::uint32_t gather = 0, reduce = 0;
};

TEST(StageRun, ATransferAndAnExchangeShareTheirLinks) {
  const WaitingBeside both(2, 4);
  const StageRun run = both.made.run();
  EXPECT_DOUBLE_EQ(run.finish[both.reduce].value, 7);
  EXPECT_DOUBLE_EQ(run.exposed()[both.gather].value, 2 + 1);
  EXPECT_DOUBLE_EQ(run.waited_activation.value, 3);
  // Computing ends at 5.
  EXPECT_DOUBLE_EQ(run.waited_gradient.value, 2);
  EXPECT_DOUBLE_EQ(run.length.value, 7);
}

TEST(StageRun, AShortExchangeBesideATransferLengthensItByAsMuch) {
  const WaitingBeside both(1.5, 0.25);
  const StageRun run = both.made.run();
  EXPECT_DOUBLE_EQ(run.finish[both.reduce].value, 2);
  EXPECT_DOUBLE_EQ(run.waited_activation.value, 2.25);
  EXPECT_DOUBLE_EQ(run.length.value, 4.25);
}

TEST(StageRun, OtherLinksAreNotShared) {
  WaitingBeside both(2, 4);
  both.made.prices.levels[both.reduce] = 3;
  const StageRun run = both.made.run();
  EXPECT_DOUBLE_EQ(run.finish[both.reduce].value, 6);
  EXPECT_DOUBLE_EQ(run.waited_activation.value, 2);
}

TEST(StageRun, ATransferOfOtherLinksLosesWhatComputingWould) {
  HandMade made;
  const auto first = made.work(backward, 0.5);
  const auto second = made.work(backward, 0.5, {first});
  const auto gather = made.transfer(backward, 2, {second});
  made.work(backward, 1, {gather});
  const auto reduce = made.transfer(exchange, 4, {first});
  made.one_link();
  made.prices.levels[reduce] = 2;
  const StageRun run = made.run(Overlap::alike(0.5));
  EXPECT_DOUBLE_EQ(run.waited_activation.value, 2 + 1);
  EXPECT_DOUBLE_EQ(run.busy[static_cast<std::size_t>(backward)].value, 2 + 0.25 + 0.5);
  EXPECT_DOUBLE_EQ(busy(run, Stream::communication).value, 2 + 1);
  EXPECT_DOUBLE_EQ(run.finish[reduce].value, 0.5 + 4 + 0.25 + 1 + 0.5);
}

/// An exchange of 4, of which `copied` are copies, beside three kernels of 3.
struct CopyingBeside {
  explicit CopyingBeside(double copied, double seconds = 4) {
    const auto first = made.work(backward, 1);
    second = made.work(backward, 3, {first});
    third = made.work(backward, 3, {second});
    last = made.work(backward, 3, {third});
    reduce = made.transfer(exchange, seconds, {first});
    made.copies(reduce, copied);
  }
  HandMade made;
  std::uint32_t second, third, last, reduce;
};

TEST(StageRun, WhoComputesCopiesBetweenTwoKernels) {
  const CopyingBeside beside(2);
  const StageRun run = beside.made.run();
  // Two were moved by 4, which is noticed when the second kernel is over.
  EXPECT_DOUBLE_EQ(run.finish[beside.reduce].value, 6);
  EXPECT_DOUBLE_EQ(run.length.value, 12);
  EXPECT_DOUBLE_EQ(run.waited_gradient.value, 2);
  EXPECT_DOUBLE_EQ(run.exposed()[beside.reduce].value, 2);
  EXPECT_DOUBLE_EQ(busy(run, Stream::compute).value, 10);
  EXPECT_DOUBLE_EQ(busy(run, Stream::exchange).value, 5);
  EXPECT_DOUBLE_EQ(run.begins(beside.second).value, 2);
  EXPECT_DOUBLE_EQ(run.ends(beside.second).value, 5);
  EXPECT_DOUBLE_EQ(run.begins(beside.third).value, 6);
  EXPECT_DOUBLE_EQ(run.ends(beside.third).value, 9);
  EXPECT_DOUBLE_EQ(run.begins(beside.last).value, 9);
  EXPECT_DOUBLE_EQ(run.slowed_before(run.finish[beside.last]).value, 0);
}

TEST(StageRun, OnlyWhatMovesIsBesideComputing) {
  const CopyingBeside beside(2);
  const StageRun run = beside.made.run(Overlap::alike(0.5));
  // The two seconds that move take three, until 5: the kernel beside them is over at 6.
  EXPECT_DOUBLE_EQ(run.finish[beside.reduce].value, 7);
  EXPECT_DOUBLE_EQ(run.busy[static_cast<std::size_t>(backward)].value, 10 + 1);
  EXPECT_DOUBLE_EQ(run.waited_gradient.value, 2);
  EXPECT_DOUBLE_EQ(run.length.value, 13);
}

TEST(StageRun, AfterComputingCopiesAreWaitedForAsTheRest) {
  const CopyingBeside beside(2, 14);
  const StageRun run = beside.made.run();
  // Packed from 1 to 2, moved until 14, by when computing has been over since 11.
  EXPECT_DOUBLE_EQ(run.finish[beside.reduce].value, 15);
  EXPECT_DOUBLE_EQ(run.waited_gradient.value, 1 + 4);
  EXPECT_DOUBLE_EQ(run.length.value, 15);
}

TEST(StageRun, WhoWaitsForATransferNoticesNothingUntilItIsOver) {
  HandMade made;
  const auto first = made.work(backward, 1);
  const auto gather = made.transfer(backward, 5, {first});
  made.work(backward, 3, {gather});
  const auto reduce = made.transfer(exchange, 4, {first});
  made.copies(reduce, 2);
  const StageRun run = made.run();
  // Packed before the transfer, from 1 to 2; over at 4, noticed at 7.
  EXPECT_DOUBLE_EQ(run.finish[reduce].value, 8);
  EXPECT_DOUBLE_EQ(run.length.value, 11);
}

TEST(StageRun, PartsOfAStageStartAtZero) {
  HandMade made;
  const auto first = made.work(forward, 7);
  made.backward_begins();
  made.work(backward, 2, {first});
  const StageRun run = run_items(made.stage, made.prices, 1, 2, {});
  EXPECT_EQ(run.start[0].value, 0);
  EXPECT_EQ(run.length.value, 2);
}

TEST(StageRun, StreamsFollowThePhase) {
  EXPECT_EQ(stream_of({Work{0, Pass::forward}, forward, 0, 0}), Stream::compute);
  EXPECT_EQ(stream_of({Work{0, Pass::update}, update, 0, 0}), Stream::compute);
  EXPECT_EQ(stream_of({Transfer{}, forward, 0, 0}), Stream::communication);
  EXPECT_EQ(stream_of({Transfer{}, backward, 0, 0}), Stream::communication);
  EXPECT_EQ(stream_of({Transfer{}, exchange, 0, 0}), Stream::exchange);
  EXPECT_EQ(stream_of({ring_pass(), forward, 0, 0}), Stream::ring);
  EXPECT_EQ(stream_of({copy_of(Payload::weight, Collective::from_host), exchange, 0, 0}),
            Stream::from_host);
  EXPECT_EQ(stream_of({copy_of(Payload::activation, Collective::to_host), forward, 0, 0}),
            Stream::to_host);
  EXPECT_EQ(stream_of({Compression{}, exchange, 0, 0}), Stream::exchange);
}

// What compresses a bucket computes between two kernels, and what it makes travels beside them.
TEST(StageRun, CompressionDelaysBackward) {
  HandMade made;
  const auto weights = made.work(backward, 2);
  const auto data = made.work(backward, 3);
  const auto packed = made.compression(0.5, {weights});
  const auto sent = made.transfer(exchange, 1, {packed});
  made.compression(0.25, {sent});
  const StageRun run = made.run();
  EXPECT_EQ(run.finish[packed], Seconds{2.5});
  EXPECT_EQ(run.finish[sent], Seconds{3.5});
  EXPECT_EQ(run.length, Seconds{2 + 3 + 0.5 + 0.25});
  EXPECT_EQ(run.waited_gradient, Seconds{0.75});
  EXPECT_EQ(run.finish[data], Seconds{5}) << "as it would have been";
}

// Computing waits for keys that come round, and gradients leave meanwhile.
TEST(StageRun, PassesOfARingHoldNoExchangeUp) {
  Stage stage;
  const auto add = [&](const Action& what, Phase phase,
                       std::initializer_list<std::uint32_t> needs) {
    return append_item(stage, what, phase, std::span(needs.begin(), needs.size()));
  };
  const Transfer pass = ring_pass(), bucket{};
  const auto weights = add(Work{1, Pass::backward_weights}, Phase::backward, {});
  const auto came = add(pass, Phase::backward, {});
  add(Work{2, Pass::backward_data}, Phase::backward, {came});
  add(pass, Phase::backward, {2});
  add(bucket, Phase::exchange, {weights});
  StagePrices prices;
  for (const double seconds : {2.0, 3.0, 4.0, 5.0, 6.0}) {
    prices.items.push_back({Seconds{seconds}, Source::measured, 0});
  }
  const StageRun run = run_items(stage, prices, 0, 5, {});
  EXPECT_EQ(run.start,
            (std::vector<Seconds>{Seconds{0}, Seconds{0}, Seconds{3}, Seconds{7}, Seconds{2}}));
  EXPECT_EQ(run.waited_activation, Seconds{1 + 5});
}

/// Beside computing, which waits for what it needs, and one after the other.
TEST(StageRun, CopiesToTheHostAreMadeBesideComputing) {
  Stage stage;
  const auto add = [&](const auto& what, Phase phase, std::initializer_list<std::uint32_t> needs) {
    return append_item(stage, what, phase, std::span(needs.begin(), needs.size()));
  };
  const auto first = add(Work{1, Pass::forward}, forward, {});
  const auto down = add(copy_of(Payload::activation, Collective::to_host), forward, {first});
  add(Work{2, Pass::forward}, forward, {first});
  add(Work{3, Pass::forward}, forward, {down});
  add(copy_of(Payload::weight_gradient, Collective::to_host), exchange, {});
  StagePrices prices;
  for (const double seconds : {2.0, 3.0, 1.0, 4.0, 8.0}) {
    prices.items.push_back({Seconds{seconds}, Source::assumed, 0});
  }
  const StageRun run = run_items(stage, prices, 0, 5, {});
  EXPECT_EQ(run.start,
            (std::vector<Seconds>{Seconds{0}, Seconds{2}, Seconds{2}, Seconds{5}, Seconds{5}}));
  EXPECT_EQ(run.waited_activation, Seconds{2});
  EXPECT_EQ(run.waited_gradient, Seconds{4}) << "the last copy ends after computing";
  EXPECT_EQ(busy(run, Stream::to_host), Seconds{3 + 8});
}

/// 3 s down take nothing from 5 s up.
TEST(StageRun, TheLinkToTheHostCopiesBothWaysAtOnce) {
  Stage stage;
  append_item(stage, copy_of(Payload::activation, Collective::from_host), backward, {});
  append_item(stage, copy_of(Payload::weight_gradient, Collective::to_host), exchange, {});
  StagePrices prices;
  for (const double seconds : {5.0, 3.0}) {
    prices.items.push_back({Seconds{seconds}, Source::assumed, 0});
  }
  const StageRun run = run_items(stage, prices, 0, 2, {});
  EXPECT_EQ(run.start, (std::vector<Seconds>{Seconds{0}, Seconds{0}}));
  EXPECT_EQ(run.length, Seconds{5});
}

/// An exchange takes 2 s of a link from a layer's transfer: computing goes on 2 s later, and what
/// comes for it does.
TEST(StageRun, CopiesForComputingComeLaterByWhatItLoses) {
  Stage stage;
  StagePrices prices;
  const auto add = [&](const Action& what, double seconds, std::uint8_t level,
                       std::initializer_list<std::uint32_t> needs) {
    prices.items.push_back({Seconds{seconds}, Source::assumed, 0});
    prices.levels.push_back(level);
    return append_item(stage, what, backward, std::span(needs.begin(), needs.size()));
  };
  const Transfer copy = copy_of(Payload::activation, Collective::from_host);
  const auto begins = add(Work{1, Pass::backward_data}, 1, 0, {});
  add(copy_of(Payload::activation_gradient, Collective::all_reduce), 4, 1, {begins});
  const auto first = add(copy, 6, 0, {begins});
  add(copy_of(Payload::weight_gradient, Collective::all_reduce), 2, 1, {begins});
  const auto second = add(copy, 1, 0, {begins});
  const auto reads = add(Work{2, Pass::backward_data}, 1, 0, {second});
  const StageRun run = run_items(stage, prices, 0, 6, {});
  EXPECT_EQ(run.begins(first), Seconds{1});
  EXPECT_EQ(run.ends(first), Seconds{1 + 6 + 2});
  EXPECT_EQ(run.begins(second), run.ends(first));
  EXPECT_EQ(run.begins(reads), run.ends(second));
  EXPECT_EQ(run.length, Seconds{1 + 6 + 2 + 1 + 1});
}

TEST(StageRun, TimeIsComputeAndWaiting) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    HandMade made;
    for (std::uint32_t i = 0; i < 30; ++i) {
      const double seconds = static_cast<double>(random() % 10);
      const std::uint32_t near = i == 0 ? kNoItem : i - 1;
      const std::uint32_t far = i == 0 ? kNoItem : static_cast<std::uint32_t>(random() % i);
      switch (random() % 4) {
        case 0:
          made.transfer(backward, seconds, {far});
          break;
        case 1:
          made.copies(made.transfer(exchange, seconds, {near, far}),
                      round % 5 == 0 ? seconds / 2 : 0);
          break;
        default:
          made.work(backward, seconds, {near, far});
      }
    }
    if (round % 2 == 1) made.one_link();
    const StageRun run = made.run(round % 3 == 0 ? Overlap{0.25, 1.5} : Overlap{});
    EXPECT_DOUBLE_EQ(
        run.length.value,
        (busy(run, Stream::compute) + run.waited_activation + run.waited_gradient).value);
    EXPECT_GE(run.length, run.critical_path);
    EXPECT_GE(run.length, busy(run, Stream::compute));
    Seconds exposed;
    for (const Seconds& part : run.exposed()) exposed += part;
    EXPECT_DOUBLE_EQ(exposed.value, (run.waited_activation + run.waited_gradient).value);
    for (std::uint32_t i = 0; i < 30; ++i) {
      for (const std::uint32_t need : made.stage.needs_of(made.stage.items[i])) {
        EXPECT_GE(run.start[i], run.finish[need]);
      }
    }
  }
}

}  // namespace stage_run_test
}  // namespace oracle
