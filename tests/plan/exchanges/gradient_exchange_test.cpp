#include "oracle/plan/exchanges/gradient_exchange.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/plan/exchanges/compressed_bucket.h"

namespace oracle {
namespace gradient_exchange_test {

std::string refusal_of(std::string_view exchange) {
  try {
    chosen_exchange(exchange);
  } catch (const InputError& error) {
    const Problem& problem = error.problems().front();
    return problem.message + "; " + problem.remedy;
  }
  return {};
}

TEST(GradientExchange, PacksValues) {
  EXPECT_EQ(chosen_exchange("fp16").packed(1000), 2000);
  EXPECT_EQ(chosen_exchange("bf16").packed(1000), 2000);
  EXPECT_EQ(chosen_exchange("int8").packed(1000), 1000 + 2 * 4);
  EXPECT_EQ(chosen_exchange("onebit").packed(1000), 128 + 2 * 8);
  EXPECT_EQ(chosen_exchange("int8").packed(part_of(1000, 4)), 256) << "the worked example";
  EXPECT_EQ(chosen_exchange("topk:1%").packed(1050), 11 * 8);
  EXPECT_EQ(chosen_exchange("topk:1%").packed(1000), 10 * 8);
  EXPECT_EQ(chosen_exchange("topk:1%").packed(3), 8) << "one of any";
  EXPECT_EQ(chosen_exchange("topk:100%").packed(1000), 8000);
  EXPECT_EQ(chosen_exchange("gtopk:1%").packed(1050), 11 * 8);
  EXPECT_EQ(chosen_exchange("sketch:1%").packed(1050), 440);
}

TEST(GradientExchange, IsOneOfTheTableOrAnAllReduce) {
  EXPECT_EQ(chosen_exchange("auto").row, nullptr);
  EXPECT_EQ(chosen_exchange("ring").row, nullptr);
  EXPECT_FALSE(chosen_exchange("ring").loses());
  for (const GradientExchange& row : all_gradient_exchanges()) {
    std::string name(row.name);
    if (!row.parameter.empty()) name += ":" + std::string(row.parameter);
    EXPECT_EQ(chosen_exchange(name).row, &row);
    EXPECT_EQ(name_of_exchange(name), row.name);
    EXPECT_EQ(chosen_exchange(name).loses(), row.route != ExchangeRoute::servers) << name;
    EXPECT_EQ(chosen_exchange(name).compresses(), row.packed != nullptr) << name;
    if (row.route == ExchangeRoute::sum || row.packed == nullptr) continue;
    for (const std::int64_t elements : {1, 3, 31, 512, 1023}) {
      EXPECT_EQ(chosen_exchange(name).packed(elements) % 4, 0) << name << ' ' << elements;
    }
  }
}

TEST(GradientExchange, RefusesAParameterThatItDoesNotTake) {
  EXPECT_EQ(refusal_of("int8:4"), "\"int8:4\" takes no number; write exchange=int8");
  EXPECT_EQ(refusal_of("topk"), "\"topk\" has no number; write exchange=topk:1%");
  EXPECT_EQ(refusal_of("topk:0%"),
            "\"topk:0%\": \"0%\" of the values cannot be sent; write exchange=topk:1%");
  EXPECT_EQ(refusal_of("topk:5"), "\"topk:5\": \"5\" has no unit; write exchange=topk:1%");
  EXPECT_THROW(chosen_exchange("topk:101%"), InputError);
}

TEST(GradientExchange, LosesNothingWhereAllIsSent) {
  EXPECT_FALSE(chosen_exchange("topk:100%").loses());
  EXPECT_TRUE(chosen_exchange("topk:99%").loses());
  EXPECT_FALSE(chosen_exchange("gtopk:100%").loses());
  EXPECT_FALSE(chosen_exchange("local:1").loses());
  EXPECT_TRUE(chosen_exchange("local:2").loses());
  EXPECT_EQ(chosen_exchange("local:2").period(), 2);
  EXPECT_EQ(chosen_exchange("int8").period(), 1);
}

}  // namespace gradient_exchange_test
}  // namespace oracle
