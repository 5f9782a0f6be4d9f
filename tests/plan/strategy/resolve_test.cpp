#include "oracle/plan/strategy/resolve.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace resolve_test {

using Mesh = std::vector<MeshAxis>;

Graph on_input(const Shape& shape) {
  GraphBuilder builder("net");
  builder.add("loss", "softmax_loss", {builder.input(shape)});
  return builder.finish();
}

Mesh mesh_on(const Shape& shape, std::string_view strategy) {
  return resolve(parse_strategy(strategy), on_input(shape)).mesh;
}

TEST(Resolve, ChoosesTheGridWithTheLeastHalo) {
  EXPECT_EQ(mesh_on(shape_of(3, {224, 224}), "spatial:4"),
            (Mesh{{2, Cut::height}, {2, Cut::width}}));
  EXPECT_EQ(mesh_on(shape_of(4, {128, 128, 128}), "spatial:8"),
            (Mesh{{2, Cut::depth}, {2, Cut::height}, {2, Cut::width}}));
}

TEST(Resolve, CutsTheLongAxisOfALongImage) {
  // 4/512 beats 2/512 + 2/32.
  EXPECT_EQ(mesh_on(shape_of(3, {512, 32}), "spatial:4"), (Mesh{{4, Cut::height}}));
  EXPECT_EQ(mesh_on(shape_of(3, {32, 512}), "spatial:4"), (Mesh{{4, Cut::width}}));
}

TEST(Resolve, PartsTheAxisOfDataThatShardsEndIn) {
  const Shape shape = shape_of(3, {64, 64});
  const auto axes = [&](std::string_view strategy) {
    const Strategy resolved = resolve(parse_strategy(strategy), on_input(shape));
    EXPECT_EQ(resolve(resolved, on_input(shape)), resolved);
    return replica_axes(resolved);
  };
  const Mesh parted = {{4, Cut::sample}, {8, Cut::sample}};
  EXPECT_EQ(mesh_on(shape, "data:32; zero=3; shard=8"), parted);
  EXPECT_EQ(mesh_on(shape, "data:4,data:8; zero=3; shard=8"), parted);
  EXPECT_EQ(axes("data:32; zero=3; shard=8"), 1U);
  EXPECT_EQ(axes("data:4,data:8; zero=3; shard=8"), 1U);
  EXPECT_EQ(mesh_on(shape, "data:8,filter:2,data:4; zero=3; shard=8"),
            (Mesh{{4, Cut::sample}, {2, Cut::sample}, {2, Cut::filter}, {4, Cut::sample}}));
  EXPECT_EQ(axes("data:8,filter:2,data:4; zero=3; shard=8"), 1U);
  // So many or fewer ranks share one copy.
  EXPECT_EQ(mesh_on(shape, "data:8; zero=3; shard=8"), (Mesh{{8, Cut::sample}}));
  EXPECT_EQ(axes("data:8; zero=3; shard=8"), 0U);
  EXPECT_EQ(axes("data:4; zero=3; shard=8"), 0U);
  EXPECT_EQ(axes("data:32; zero=3"), 0U);
}

TEST(Resolve, PartsItInRulesToo) {
  const Strategy resolved = resolve(parse_strategy("loss=data:8; input=filter:8; zero=1; shard=4"),
                                    on_input(shape_of(3, {64, 64})));
  EXPECT_EQ(resolved.degrees(), (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(resolved.rules[0].cuts, (std::vector<Cut>{Cut::sample, Cut::sample}));
  EXPECT_EQ(resolved.rules[1].cuts, (std::vector<Cut>{Cut::filter, Cut::filter}));
}

TEST(Resolve, FindsAnAxisThatShardsDoNotDivide) {
  const auto found = [](std::string_view strategy) {
    return indivisible_axis(resolve(parse_strategy(strategy), on_input(shape_of(3, {64, 64}))));
  };
  EXPECT_EQ(found("filter:2,data:12; zero=3; shard=8"), 1U);
  EXPECT_FALSE(found("data:12; zero=3; shard=4").has_value());
  EXPECT_FALSE(found("data:12; zero=3").has_value());
}

TEST(Resolve, KeepsToAxesThatAreLongEnough) {
  EXPECT_EQ(mesh_on(shape_of(3, {2, 64}), "spatial:8"), (Mesh{{8, Cut::width}}));
  EXPECT_EQ(mesh_on(shape_of(3, {64}), "spatial:8"), (Mesh{{8, Cut::width}}));
}

TEST(Resolve, AgreesWithTryingEveryGrid) {
  for (const auto& extents : {std::vector<std::int64_t>{24, 96, 48}, {17, 31, 5}, {64, 64, 8}}) {
    const Shape shape = shape_of(1, extents);
    for (const std::int64_t degree : {2, 3, 4, 6, 8, 12, 16, 30, 64}) {
      double least = 1e9;
      for (std::int64_t d = 1; d <= degree; ++d) {
        for (std::int64_t h = 1; h <= degree; ++h) {
          for (std::int64_t w = 1; w <= degree; ++w) {
            if (d * h * w != degree || d > extents[0] || h > extents[1] || w > extents[2]) continue;
            const auto share = [](std::int64_t p, std::int64_t n) {
              return p == 1 ? 0.0 : static_cast<double>(p) / static_cast<double>(n);
            };
            least =
                std::min(least, share(d, extents[0]) + share(h, extents[1]) + share(w, extents[2]));
          }
        }
      }
      double found = 0;
      std::int64_t ranks = 1;
      for (const MeshAxis& axis : mesh_on(shape, "spatial:" + std::to_string(degree))) {
        const std::size_t at = axis.cut == Cut::depth ? 0 : axis.cut == Cut::height ? 1 : 2;
        found += static_cast<double>(axis.degree) / static_cast<double>(extents[at]);
        ranks *= axis.degree;
      }
      EXPECT_EQ(ranks, degree);
      EXPECT_NEAR(found, least, 1e-12) << degree;
    }
  }
}

TEST(Resolve, LeavesAllToTheLastAxisWhereNoGridFits) {
  EXPECT_EQ(mesh_on(shape_of(16), "spatial:4"), (Mesh{{4, Cut::width}}));
  EXPECT_EQ(mesh_on(shape_of(3, {4, 4}), "spatial:32"), (Mesh{{32, Cut::width}}));
}

TEST(Resolve, AHugeDegreeIsSettledAtOnce) {
  EXPECT_EQ(mesh_on(shape_of(3, {224, 224}), "spatial:1000000000"),
            (Mesh{{1'000'000'000, Cut::width}}));
}

TEST(Resolve, DropsAxesOfOneRank) {
  Strategy strategy;
  strategy.mesh = {{1, Cut::sample}, {4, Cut::filter}, {1, Cut::pipeline}};
  strategy.rules = {{"fc*", {Cut::filter, Cut::sample, Cut::pipeline}}};
  const Strategy resolved = resolve(strategy, on_input(shape_of(8)));
  EXPECT_EQ(resolved.mesh, (Mesh{{4, Cut::filter}}));
  EXPECT_EQ(resolved.rules[0].cuts, (std::vector<Cut>{Cut::sample}));
}

TEST(Resolve, RefinesTheRulesToo) {
  const Strategy resolved = resolve(parse_strategy("conv*=data:2,spatial:4; fc*=data:2,filter:4"),
                                    on_input(shape_of(3, {64, 64})));
  EXPECT_EQ(resolved.degrees(), (std::vector<std::int64_t>{2, 2, 2}));
  EXPECT_EQ(resolved.rules[0].cuts, (std::vector<Cut>{Cut::sample, Cut::height, Cut::width}));
  EXPECT_EQ(resolved.rules[1].cuts, (std::vector<Cut>{Cut::sample, Cut::filter, Cut::filter}));
}

TEST(Resolve, RefusesAGridThatMakesTooManyAxes) {
  EXPECT_THROW(mesh_on(shape_of(3, {64, 64}),
                       "data:2,filter:2,channel:2,tensor:2,data:2,filter:2,channel:2,spatial:4"),
               InputError);
}

TEST(Resolve, RefusesAnAxisWithoutADegree) {
  EXPECT_THROW(mesh_on(shape_of(8), "data,filter:4"), InputError);
}

TEST(MicroBatches, AreTheLargestDivisorUpToFourPerStage) {
  EXPECT_EQ(choose_micro_batches(1, 1, 100), 1);
  EXPECT_EQ(choose_micro_batches(4, 1, 256), 16);
  EXPECT_EQ(choose_micro_batches(4, 1, 30), 15);
  EXPECT_EQ(choose_micro_batches(2, 1, 7), 7);
  EXPECT_EQ(choose_micro_batches(4, 1, 17), 1);
  EXPECT_EQ(choose_micro_batches(4, 1, 1), 1);
  // The bubble (S − 1)/(m + S − 1) of four per stage is below a fifth for any number of stages.
  for (const std::int64_t stages : {2, 8, 64}) {
    const auto s = static_cast<double>(stages);
    const auto m = static_cast<double>(choose_micro_batches(stages, 1, 1 << 20));
    EXPECT_LE((s - 1) / (m + s - 1), 0.2) << stages;
  }
}

}  // namespace resolve_test
}  // namespace oracle
