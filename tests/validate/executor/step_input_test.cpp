#include "validate/executor/step_input.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "tests/validate/plain/backend.h"
#include "validate/program/bind.h"

namespace oracle {
namespace step_input_test {

const Graph kChain = dense_chain({3, 2});

/// Every value is the number of its region's first sample; counts how often it is asked.
class Counted : public SampleSource {
 public:
  void inputs(const Region&, std::int64_t first_sample, std::span<float> values) const override {
    ++asked;
    std::fill(values.begin(), values.end(), static_cast<float>(first_sample));
  }
  void targets(const Region& region, std::int64_t first_sample,
               std::span<float> values) const override {
    inputs(region, first_sample, values);
  }
  mutable int asked = 0;
};

const Load& first_load(const Program& program) {
  for (const Operation& operation : program.stages[0].forward) {
    if (const auto* load = std::get_if<Load>(&operation.what)) return *load;
  }
  throw std::logic_error("no load");
}

/// What a step that begins at sample 8 finds in the micro-batch at its second sample.
std::vector<float> written(StepInput& input, const Program& program, Backend& backend) {
  const Load& load = first_load(program);
  const Extents extents = program.slots[load.to].region.extents();
  const auto tensor = backend.tensor(extents);
  input.write(program, load, 8, 2, *tensor);
  std::vector<float> values(static_cast<std::size_t>(extents.elements()));
  tensor->read({{0, 0, 0, 0, 0}, extents}, values.data());
  return values;
}

Program program_of_chain() {
  const Plan plan = plan_of(kChain, "serial", 4);
  return bind(Pieces(kChain, plan, 2), 0);
}

TEST(StepInput, AGeneratedBatchIsMadeBeforeTheStep) {
  const Program program = program_of_chain();
  const Counted source;
  const auto backend = plain_backend();
  StepInput input(source, true, *backend);
  input.prepare(program, 8, 2);
  const int before = source.asked;
  EXPECT_EQ(before, 2) << "samples and targets";
  EXPECT_EQ(written(input, program, *backend), std::vector<float>(2 * 3, 10.0F));
  EXPECT_EQ(source.asked, before);
}

TEST(StepInput, DataAreAskedForInTheStep) {
  const Program program = program_of_chain();
  const Counted source;
  const auto backend = plain_backend();
  StepInput input(source, false, *backend);
  input.prepare(program, 8, 2);
  EXPECT_EQ(source.asked, 0);
  EXPECT_EQ(written(input, program, *backend), std::vector<float>(2 * 3, 10.0F));
  EXPECT_EQ(source.asked, 1);
}

}  // namespace step_input_test
}  // namespace oracle
