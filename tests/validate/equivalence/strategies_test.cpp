// A distributed run equals the serial one, and what it sends is what the plan says, for every way
// to cut and every layer kind.

#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "oracle/base/error.h"
#include "oracle/io/models/model_reader.h"
#include "tests/validate/networks.h"
#include "tests/validate/runs.h"
#include "validate/equivalence/solo.h"

namespace oracle {
namespace strategies_test {

void expect_equal(const Outcome& outcome, std::string_view strategy) {
  ASSERT_TRUE(outcome.check.has_value());
  EXPECT_LE(outcome.check->loss_error(), kFp32Rounding.equal) << strategy;
  EXPECT_TRUE(outcome.check->missing.empty()) << strategy;
  for (const ParameterError& error : outcome.check->errors) {
    EXPECT_LE(error.relative, kFp32Rounding.equal) << strategy << ": " << error.name;
  }
}

void expect_planned_bytes(const Outcome& outcome, std::string_view strategy) {
  // A rank counts whole bytes, and its share of a ring need not be.
  EXPECT_NEAR(outcome.sent_bytes, outcome.item_bytes, 8) << strategy;
  EXPECT_EQ(outcome.unplanned_bytes, 0) << strategy;
  for (const ItemOutcome& item : outcome.items) {
    EXPECT_DOUBLE_EQ(item.sent_bytes, item.plan_bytes) << strategy << ": " << item.name;
  }
}

using Strategies = testing::TestWithParam<std::string_view>;

class PlainNetwork : public Strategies {};
TEST_P(PlainNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(plain_network(), GetParam());
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(
    Equivalence, PlainNetwork,
    testing::Values("serial", "data:2", "data:4", "data:2; bucket=100 B",
                    "data:2; bucket=100 B; overlap=off", "filter:2", "channel:2", "tensor:2",
                    "height:2", "width:2", "height:2,width:2", "data:2,filter:2", "filter:2,data:2",
                    "data:2,height:2", "width:2,tensor:2", "pipeline:2", "pipeline:4",
                    "pipeline:2; micro_batches=4; schedule=gpipe", "pipeline:3; micro_batches=4",
                    "data:2,pipeline:2", "filter:2,pipeline:2", "data:2; micro_batches=2",
                    "pipeline:2; chunks=2; micro_batches=4", "pipeline:2; chunks=3",
                    "pipeline:4; chunks=2; micro_batches=4",
                    "data:2,pipeline:2; chunks=2; micro_batches=2",
                    "data:2,pipeline:2; chunks=2; micro_batches=2; bucket=100 B",
                    "filter:2,pipeline:2; chunks=2; micro_batches=4",
                    "pipeline:2; micro_batches=4; schedule=zb_h1",
                    "pipeline:4; micro_batches=4; schedule=zb_h1",
                    "pipeline:2; micro_batches=4; schedule=zb_h2",
                    "data:2,pipeline:2; micro_batches=2; schedule=zb_h2; bucket=100 B",
                    "filter:2,pipeline:2; micro_batches=4; schedule=zb_h1",
                    "conv*=data:2; fc*=filter:2", "conv*=data:2; fc*=channel:2",
                    "conv*=height:2; fc*=filter:2", "conv*=filter:2; fc*=data:2"));

class UnevenNetwork : public Strategies {};
TEST_P(UnevenNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  RunOptions options;
  options.batch = 7;
  const Outcome outcome = run_both(uneven_network(), GetParam(), options);
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(
    Equivalence, UnevenNetwork,
    testing::Values("data:2", "data:3", "filter:2", "filter:3", "channel:2", "channel:3",
                    "tensor:2", "tensor:4", "height:2", "height:3", "height:2,width:2",
                    "data:2,height:2", "height:3,width:2", "filter:2,channel:2",
                    "channel:2,filter:2", "data:3; micro_batches=2", "filter:3; micro_batches=2",
                    "height:3; micro_batches=3", "pipeline:2; micro_batches=3",
                    "filter:3,pipeline:2; micro_batches=3", "data:2,tensor:2,channel:2",
                    "pipeline:2; chunks=2; micro_batches=6",
                    "data:3,pipeline:2; chunks=2; micro_batches=2",
                    "pipeline:2; micro_batches=7; schedule=zb_h1",
                    "data:2,pipeline:2; micro_batches=3; schedule=zb_h2; overlap=off",
                    "conv*=data:3; fc*=filter:3", "conv*=data:2; fc*=channel:2",
                    "conv*=width:2; fc*=filter:2"));

class ResidualNetwork : public Strategies {};
TEST_P(ResidualNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(residual_network(), GetParam());
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, ResidualNetwork,
                         testing::Values("data:2", "data:2; batch_norm=synchronized",
                                         "data:2; batch_norm=local", "filter:2", "channel:2",
                                         "tensor:2", "height:2", "height:3", "height:4",
                                         "height:2,width:2", "height:3,width:2", "data:2,height:2",
                                         "data:2,width:2; batch_norm=synchronized",
                                         "height:2,filter:2", "pipeline:2", "pipeline:3",
                                         "data:2,pipeline:2", "pipeline:2; chunks=2",
                                         "pipeline:2; chunks=3; micro_batches=4",
                                         "height:2,pipeline:2; chunks=2; micro_batches=4",
                                         "pipeline:2; micro_batches=4; schedule=zb_h1",
                                         "pipeline:3; micro_batches=4; schedule=zb_h2",
                                         "data:2,pipeline:2; micro_batches=2; schedule=zb_h1",
                                         "height:2,pipeline:2; micro_batches=4; schedule=zb_h1"));

class VolumeNetwork : public Strategies {};
TEST_P(VolumeNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(volume_network(), GetParam());
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, VolumeNetwork,
                         testing::Values("data:2", "filter:2", "channel:2", "tensor:2", "depth:2",
                                         "depth:3", "height:4", "spatial:8", "data:2,depth:2",
                                         "depth:2,filter:2", "pipeline:2"));

class FlatNetwork : public Strategies {};
TEST_P(FlatNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(flat_network(), GetParam());
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, FlatNetwork,
                         testing::Values("data:2", "filter:2", "channel:2", "tensor:2",
                                         "data:2,tensor:2", "pipeline:2"));

/// On the kernels that train: the plain ones know no kinds that only imported networks bring.
RunOptions on_the_processor(std::int64_t batch) {
  RunOptions options;
  options.batch = batch;
  options.backend = [] { return make_cpu_backend(1); };
  return options;
}

class AttentionNetwork : public Strategies {};
TEST_P(AttentionNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(network_of_file("attention"), GetParam(), on_the_processor(4));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, AttentionNetwork,
                         testing::Values("serial", "data:2", "data:4", "filter:2", "filter:3",
                                         "channel:2", "tensor:2", "height:2", "width:2",
                                         "height:2,width:2", "data:2,filter:2", "data:2,width:2",
                                         "width:2,tensor:2", "pipeline:2",
                                         "pipeline:4; micro_batches=4", "tensor:2,pipeline:2"));

class TextNetwork : public Strategies {};
TEST_P(TextNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(network_of_file("text"), GetParam(), on_the_processor(6));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, TextNetwork,
                         testing::Values("serial", "data:2", "data:3; micro_batches=2", "filter:2",
                                         "filter:3", "channel:3", "tensor:2", "tensor:3", "width:2",
                                         "width:3", "width:2,filter:2", "data:2,tensor:2",
                                         "pipeline:2", "data:2,pipeline:2; micro_batches=3"));

class RecurrentNetwork : public Strategies {};
TEST_P(RecurrentNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(network_of_file("recurrent"), GetParam(), on_the_processor(6));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, RecurrentNetwork,
                         testing::Values("serial", "data:2", "data:3; micro_batches=2", "filter:2",
                                         "channel:2", "tensor:2", "width:2", "data:2; zero=3",
                                         "data:2,filter:2", "pipeline:2",
                                         "data:2,pipeline:2; micro_batches=3"));

/// One convolution on three extents, and the gradients that it gets from each added up.
class SharedWeights : public Strategies {};
TEST_P(SharedWeights, EqualTheSerialRunAndAreExchangedOnce) {
  const Outcome outcome = run_both(network_of_file("shared"), GetParam(), on_the_processor(4));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, SharedWeights,
                         testing::Values("serial", "data:2", "data:2; micro_batches=2", "filter:2",
                                         "channel:2", "height:2", "data:2,width:2",
                                         "data:2; bucket=100 B"));

/// A short step against the gradient g lowers the loss by rate·|g|²: whatever a use adds is in g.
TEST(Equivalence, SharedWeightsGetTheGradientOfAllTheirUses) {
  const Graph graph = network_of_file("shared");
  const Plan plan = plan_of(graph, "serial", 4);
  const auto backend = make_cpu_backend(1);
  Solo solo;
  ExecutorOptions options;
  options.optimizer.rate = 1e-3;
  Executor executor(graph, plan, *backend, solo, options);
  const double before = executor.step(1).loss;
  double squares = 0;
  for (const TrainedLayer& trained : executor.program().trained) {
    const Weights& weights = executor.weights(trained.layer);
    for (std::size_t i = 0; i < trained.parameters.size(); ++i) {
      std::vector<float> gradient(static_cast<std::size_t>(weights.elements(i)));
      weights.read_gradient(i, gradient.data());
      for (const float g : gradient) squares += static_cast<double>(g) * static_cast<double>(g);
    }
  }
  const double after = executor.step(1).loss;
  EXPECT_NEAR((before - after) / (options.optimizer.rate * squares), 1, 0.03);
}

TEST(Equivalence, TheLossFalls) {
  RunOptions options;
  options.batch = 16;
  options.steps = 30;
  const Outcome outcome = run_both(plain_network(), "serial", options);
  EXPECT_LT(outcome.losses.back(), 0.75 * outcome.losses.front());
}

/// A class in five guessed costs ln 5 = 1.61; half of that is far below.
TEST(Equivalence, TheLossOfATextFalls) {
  RunOptions options = on_the_processor(64);
  options.steps = 200;
  options.optimizer = "adam";
  const Outcome outcome = run_both(network_of_file("text"), "serial", options);
  EXPECT_LT(outcome.losses.back(), 0.8);
}

/// Layer norms, learned positions, a dense MLP; 4 heads, 12 tokens.
class GptNetwork : public Strategies {};
TEST_P(GptNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(network_of_file("gpt"), GetParam(), on_the_processor(4));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(
    Equivalence, GptNetwork,
    testing::Values(
        "serial", "data:2", "context:2", "context:3", "data:2,context:2", "tensor:2; loss=whole:2",
        "tensor:4; loss=whole:4", "loss=whole:2; *=tensor_sequence:2", "filter:2; loss=whole:2",
        "data:2,tensor:2; loss=data:2,whole:2", "context:2,tensor:2; loss=context:2,whole:2",
        "pipeline:2", "pipeline:2; micro_batches=4", "data:2,pipeline:2", "serial; recompute=full",
        "data:2; recompute=full", "context:2; recompute=full", "context:2; regather=on",
        "pipeline:2; micro_batches=2; recompute=full", "data:2; recompute=*.act|*.norm1",
        "tensor:2; recompute=except:*.q|*.o|*.down", "context:2; recompute=except:*.attention|*.up",
        "pipeline:2; chunks=2; micro_batches=4",
        "pipeline:2; chunks=2; micro_batches=4; recompute=full",
        "pipeline:4; chunks=2; micro_batches=4", "pipeline:2; chunks=3; micro_batches=4",
        "data:2,pipeline:2; chunks=2; micro_batches=2; zero=1",
        "data:2,pipeline:2; chunks=2; micro_batches=2; zero=2; overlap=off",
        "data:2,pipeline:2; chunks=2; micro_batches=2; zero=3; recompute=full",
        "context:2,pipeline:2; chunks=2; micro_batches=2",
        "ring:2,pipeline:2; chunks=2; micro_batches=2",
        "pipeline:2; micro_batches=4; schedule=zb_h1",
        "pipeline:4; micro_batches=4; schedule=zb_h1",
        "pipeline:2; micro_batches=4; schedule=zb_h2",
        "pipeline:2; micro_batches=4; schedule=zb_h2; recompute=full",
        "pipeline:3; chunks=2; micro_batches=3; schedule=zb_h1",
        "data:2,pipeline:2; micro_batches=2; schedule=zb_h1; zero=1",
        "data:2,pipeline:2; micro_batches=2; schedule=zb_h2; zero=2; overlap=off",
        "data:2,pipeline:2; micro_batches=2; schedule=zb_h1; zero=3; recompute=full",
        "context:2,pipeline:2; micro_batches=4; schedule=zb_h1; regather=on",
        "ring:2,pipeline:2; micro_batches=2; schedule=zb_h2", "data:2; recompute=layers.0.*",
        "tensor:2; loss=whole:2; recompute=full", "context:2; recompute=full; micro_batches=2",
        "ulysses:2", "ulysses:4", "data:2,ulysses:2", "ulysses:2,tensor:2; loss=ulysses:2,whole:2",
        "ulysses:2; recompute=full; micro_batches=2", "context:4", "context:2,ulysses:2",
        "ulysses:2,context:2", "context:2,pipeline:2; micro_batches=2",
        "loss=whole:4; *=tensor_sequence:2,context:2", "ring:2", "ring:3", "ring:4",
        "data:2,ring:2", "context:2,ring:2", "ring:2,context:2", "ulysses:2,ring:2",
        "ring:2,tensor:2; loss=ring:2,whole:2", "ring:2,pipeline:2; micro_batches=2",
        "ring:3; recompute=full", "ring:2; regather=on", "ring:2; micro_batches=2",
        "ring:2; zero=3; recompute=full"));

/// Patches of an image as tokens behind a class token; 4 heads, 65 tokens.
class VisionNetwork : public Strategies {};
TEST_P(VisionNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(load_model("vit_tiny"), GetParam(), on_the_processor(4));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, VisionNetwork,
                         testing::Values("serial", "data:2", "data:4", "data:2; micro_batches=2",
                                         "filter:2", "filter:4", "channel:2", "tensor:2",
                                         "tensor:4", "tensor_sequence:2", "context:2", "context:3",
                                         "data:2,tensor:2", "context:2,tensor:2", "pipeline:2",
                                         "pipeline:4; micro_batches=4", "data:2,pipeline:2",
                                         "pipeline:2; chunks=2; micro_batches=4",
                                         "data:2; recompute=full", "tensor:2; recompute=full"));

/// A class in ten guessed costs ln 10 = 2.30.
TEST(Equivalence, TheLossOfImagesInPatchesFalls) {
  RunOptions options = on_the_processor(8);
  options.steps = 10;
  options.optimizer = "adam";
  options.rate = 1e-3;
  const Outcome outcome = run_both(load_model("vit_tiny"), "serial", options);
  EXPECT_LT(outcome.losses.back(), 0.5 * outcome.losses.front());
}

/// Root-mean-square norms, of heads too, rotary positions, gates, 2 heads of keys for 4 of queries.
class LlamaNetwork : public Strategies {};
TEST_P(LlamaNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(network_of_file("llama"), GetParam(), on_the_processor(4));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(
    Equivalence, LlamaNetwork,
    testing::Values("serial", "data:2", "context:2", "context:4", "tensor:2; loss=whole:2",
                    "tensor:4; loss=whole:4", "loss=whole:2; *=tensor_sequence:2",
                    "context:2,tensor:2; loss=context:2,whole:2", "pipeline:2",
                    "data:2; recompute=full", "context:2; recompute=full; regather=on", "ulysses:2",
                    "ulysses:4", "data:2,ulysses:2; regather=on",
                    "tensor:4; loss=whole:4; recompute=full", "context:3", "ring:2", "ring:3",
                    "ring:4", "ulysses:2,ring:2", "ring:2; recompute=full; regather=on"));

/// Queries, keys and values by way of latents, keys of 10 channels and values of 5.
class LatentNetwork : public Strategies {};
TEST_P(LatentNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(network_of_file("mla"), GetParam(), on_the_processor(4));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(
    Equivalence, LatentNetwork,
    testing::Values("serial", "data:2", "context:2", "data:2,context:2", "tensor:2; loss=whole:2",
                    "tensor:4; loss=whole:4", "tensor_sequence:2; loss=whole:2",
                    "filter:2; loss=whole:2", "data:2,tensor:2; loss=data:2,whole:2", "pipeline:2",
                    "data:2; zero=1", "data:2; zero=3", "serial; recompute=full",
                    "context:2; recompute=full", "tensor:2; loss=whole:2; recompute=full", "ring:2",
                    "ring:4"));

/// Attention within windows and with relative positions, whose table two layers share.
class WindowsNetwork : public Strategies {};
TEST_P(WindowsNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(network_of_file("windows"), GetParam(), on_the_processor(4));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, WindowsNetwork,
                         testing::Values("serial", "data:2", "data:4; zero=1", "context:2",
                                         "context:3", "tensor:2", "tensor:4", "filter:2",
                                         "data:2,tensor:2", "data:2; zero=3",
                                         "data:2; micro_batches=2", "data:2,context:2",
                                         "context:2,tensor:2"));

/// An encoder and a decoder, which reads a second text and what the encoder made of the first.
class EncoderDecoder : public Strategies {};
TEST_P(EncoderDecoder, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  RunOptions options = on_the_processor(4);
  options.rate = 0.02;  // its scores are not scaled
  const Outcome outcome = run_both(network_of_file("t5"), GetParam(), options);
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, EncoderDecoder,
                         testing::Values("serial", "data:2", "data:4; zero=1", "tensor:2",
                                         "tensor:4", "context:2", "ring:2", "ring:3",
                                         "data:2,tensor:2", "data:2; zero=3",
                                         "data:2; micro_batches=2", "serial; recompute=full",
                                         "tensor:2; recompute=full"));

/// 4 experts, of which each of 10 tokens goes to 2.
class ExpertNetwork : public Strategies {};
TEST_P(ExpertNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  RunOptions options = on_the_processor(8);
  options.steps = 3;
  const Outcome outcome = run_both(network_of_file("moe"), GetParam(), options);
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(
    Equivalence, ExpertNetwork,
    testing::Values("serial", "data:2", "data:4", "expert:2", "expert:4", "data:2,expert:2",
                    "expert:2,data:2", "tensor:2; loss=whole:2", "filter:2; loss=whole:2",
                    "channel:2; loss=whole:2", "data:2,tensor:2; loss=data:2,whole:2",
                    "expert:2,tensor:2; loss=expert:2,whole:2", "pipeline:2", "expert:2,pipeline:2",
                    "expert:2; micro_batches=2", "data:2; zero=1", "data:2; zero=2",
                    "data:2; zero=3", "expert:2; zero=1", "data:2,expert:2; zero=3",
                    "serial; recompute=full", "expert:2; recompute=full",
                    "expert:2; recompute=*.dispatch|*.experts.act",
                    "data:2,expert:2; recompute=full; micro_batches=2; zero=1"));

/// The same beside an MLP that all tokens go through, weighted by a gate of each.
class SharedExpertNetwork : public Strategies {};
TEST_P(SharedExpertNetwork, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  const Outcome outcome = run_both(network_of_file("moe_shared"), GetParam(), on_the_processor(4));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, SharedExpertNetwork,
                         testing::Values("serial", "data:2", "expert:2", "data:2,expert:2",
                                         "pipeline:2", "data:2; zero=3",
                                         "expert:2; recompute=full"));

TEST(Equivalence, TokensOfOneTextInPartsAreNotSentToExperts) {
  EXPECT_THROW(run_both(network_of_file("moe"), "context:2", on_the_processor(4)), InputError);
}

/// 128 tokens in 256 guessed cost 128·ln 256 = 710.
TEST(Equivalence, TheLossOfATextThatExpertsReadFalls) {
  RunOptions options = on_the_processor(4);
  options.steps = 60;
  options.optimizer = "adam";
  options.rate = 5e-3;
  const Outcome outcome = run_alone(load_model("moe_tiny"), "expert:2", options);
  EXPECT_LT(outcome.losses.back(), 0.9 * outcome.losses.front());
}

/// The scores of a text's words over several ranks, whose largest and sums these exchange.
class VocabularyInParts : public Strategies {};
TEST_P(VocabularyInParts, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  for (const char* name : {"gpt", "llama", "moe"}) {
    const Outcome outcome = run_both(network_of_file(name), GetParam(), on_the_processor(4));
    expect_equal(outcome, GetParam());
    expect_planned_bytes(outcome, GetParam());
  }
}
INSTANTIATE_TEST_SUITE_P(Equivalence, VocabularyInParts,
                         testing::Values("tensor:2", "tensor:4", "filter:2", "data:2,tensor:2",
                                         "tensor:2; micro_batches=2", "tensor:2,pipeline:2",
                                         "data:2,tensor:2; zero=1", "tensor:2; recompute=full",
                                         "data:2,tensor:2; zero=3; recompute=full"));

TEST(Equivalence, AVocabularyInPartsMayMeetPositionsInParts) {
  for (const char* strategy : {"tensor_sequence:2", "context:2,tensor:2", "ulysses:2,tensor:2"}) {
    const Outcome outcome = run_both(network_of_file("gpt"), strategy, on_the_processor(4));
    expect_equal(outcome, strategy);
    expect_planned_bytes(outcome, strategy);
  }
}

/// State in shards: of buckets after backward, of units in it, of weights while they are used;
/// sizes that the ranks do not divide. Momentum is in shards as well.
class ShardedState : public Strategies {};
TEST_P(ShardedState, EqualsTheSerialRunAndSendsWhatThePlanSays) {
  RunOptions options = on_the_processor(9);
  options.steps = 3;
  const Outcome outcome = run_both(network_of_file("gpt"), GetParam(), options);
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(
    Equivalence, ShardedState,
    testing::Values("serial; zero=3", "data:2; zero=1", "data:3; zero=1; bucket=100 B",
                    "data:2; zero=1; overlap=off; micro_batches=3", "data:2; zero=2",
                    "data:3; zero=2; micro_batches=2", "data:2; zero=3", "data:3; zero=3",
                    "data:3; zero=3; micro_batches=2", "data:2; zero=3; recompute=full",
                    "data:2; zero=3; reshard=off; micro_batches=2",
                    "data:2,pipeline:2; zero=3; micro_batches=3; reshard=off",
                    "data:2; zero=3; sync=step; micro_batches=2",
                    "data:3; zero=2; sync=step; micro_batches=2",
                    "data:3; zero=1; sync=micro_batch; micro_batches=2", "data:4; zero=1; shard=2",
                    "data:4; zero=1; shard=2; bucket=100 B; micro_batches=2",
                    "data:4; zero=1; shard=2; overlap=off", "data:4; zero=2; shard=2",
                    "data:4; zero=3; shard=2", "data:6; zero=3; shard=3",
                    "data:4; zero=3; shard=2; micro_batches=2",
                    "data:4; zero=3; shard=2; sync=step; micro_batches=2; reshard=off",
                    "data:4,context:2; zero=2; shard=2", "data:2,data:2; zero=3; shard=2",
                    "data:2; zero=3; recompute=*.act|*.norm1; micro_batches=2",
                    "data:2,context:2; zero=3; regather=on", "context:3; zero=2",
                    "data:2,pipeline:2; zero=1", "data:2,pipeline:2; zero=2; micro_batches=3",
                    "data:2,pipeline:2; zero=3; micro_batches=3; recompute=full",
                    "data:2,tensor:2; loss=data:2,whole:2; zero=1",
                    "data:2,tensor:2; loss=data:2,whole:2; zero=2",
                    "data:2,tensor:2; loss=data:2,whole:2; zero=3; recompute=full",
                    "loss=data:2,whole:2; *=data:2,tensor_sequence:2; zero=1",
                    "loss=data:2,whole:2; *=data:2,tensor_sequence:2; zero=3; recompute=full"));

class ShardedAdam : public Strategies {};
TEST_P(ShardedAdam, TrainsATableThatTwoLayersUseAsTheSerialRunDoes) {
  RunOptions options = on_the_processor(4);
  options.steps = 4;
  options.optimizer = "adam";
  options.rate = 1e-3;
  const Outcome outcome = run_both(load_model("gpt_tiny"), GetParam(), options);
  ASSERT_TRUE(outcome.check.has_value());
  EXPECT_TRUE(outcome.check->holds()) << outcome.check->worst()->name;
  for (std::size_t s = 0; s < outcome.losses.size(); ++s) {
    EXPECT_NEAR(outcome.losses[s], outcome.check->serial_losses[s], 1e-5 * outcome.losses[s]);
  }
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, ShardedAdam,
                         testing::Values("serial", "data:2", "data:2; zero=1",
                                         "data:2; zero=2; micro_batches=2", "data:4; zero=3"));

/// Batch norms, groups and kernels that keep weights in blocks.
class ShardedConvolutions : public Strategies {};
TEST_P(ShardedConvolutions, EqualTheSerialRunAndSendWhatThePlanSays) {
  const Outcome outcome = run_both(residual_network(), GetParam(), on_the_processor(4));
  expect_equal(outcome, GetParam());
  expect_planned_bytes(outcome, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Equivalence, ShardedConvolutions,
                         testing::Values("data:2; zero=1", "data:2; zero=2", "data:2; zero=3",
                                         "height:3; zero=3", "data:2,channel:2; zero=1"));

TEST(Equivalence, StateInShardsIsRefusedWhereABackEndHasNone) {
  EXPECT_THROW(run_both(plain_network(), "data:2; zero=1"), InputError);
}

}  // namespace strategies_test
}  // namespace oracle
