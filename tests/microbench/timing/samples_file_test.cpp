#include "microbench/timing/samples_file.h"

#include <array>
#include <gtest/gtest.h>

namespace oracle {
namespace samples_file_test {

TEST(SamplesFile, HasALineForEachSample) {
  const std::array parts = {SamplesPart{"compute", {R"({"a":1})", R"({"a":2})"}},
                            SamplesPart{"failures", {}}};
  EXPECT_EQ(samples_text({{"host", "a\"b"}}, parts), R"({
  "schema": "oracle/samples/1",
  "context": {
  "host": "a\"b"
},
  "compute": [
    {"a":1},
    {"a":2}
  ],
  "failures": [
  ]
}
)");
}

}  // namespace samples_file_test
}  // namespace oracle
