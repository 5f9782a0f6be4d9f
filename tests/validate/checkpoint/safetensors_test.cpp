#include "validate/checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace safetensors_test {

TEST(Safetensors, WorkedHeader) {
  const SafetensorsHeader header{{}, {{"a", {2, 3}}}};
  const std::string text = header_text(header);
  EXPECT_EQ(text, R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}       )");
  EXPECT_EQ(text.size(), 64U);
  EXPECT_EQ(header.data_bytes(), 24);
  EXPECT_EQ(length_bytes(text.size()), std::string("\x40\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(header_length(length_bytes(0x123456789aU)), 0x123456789aU);
}

TEST(Safetensors, WhatIsWrittenIsReadBack) {
  const SafetensorsHeader header{{{"step", "3"}, {"a \"name\"", "with\nlines"}},
                                 {{"conv1.weight", {8, 3, 3, 3}}, {"one", {}}, {"none", {0, 4}}}};
  const SafetensorsHeader read = parse_header(header_text(header), "it");
  EXPECT_EQ(read.metadata, header.metadata);
  ASSERT_EQ(read.tensors.size(), 3U);
  EXPECT_EQ(read.tensors[0].shape, (std::vector<std::int64_t>{8, 3, 3, 3}));
  EXPECT_EQ(read.tensors[1].elements(), 1);
  EXPECT_EQ(read.tensors[2].elements(), 0);
  EXPECT_EQ(read.data_bytes(), (216 + 1) * 4);
  EXPECT_EQ(header_text(read), header_text(header));
}

std::string refusal(const std::string& text) {
  try {
    parse_header(text, "it");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Safetensors, RefusesWhatItIsNot) {
  const auto expect = [](const std::string& text, const std::string& words) {
    EXPECT_NE(refusal(text).find(words), std::string::npos) << text << ": " << refusal(text);
  };
  expect("[]", "is not an object of tensors");
  expect(R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,4]}})", "is not F32");
  expect(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "is not a list of sizes");
  expect(R"({"a":{"dtype":"F32","shape":[1099511627776,1048576],"data_offsets":[0,4]}})",
         "is not a list of sizes");
  expect(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "are not those of its shape");
  expect(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "behind the tensor before");
  expect(R"({"__metadata__":{"step":3}})", "is not a text");
  expect(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":1}})", "more");
}

}  // namespace safetensors_test
}  // namespace oracle
