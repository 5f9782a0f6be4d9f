#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/models/model_text.h"

namespace oracle {
namespace model_errors_test {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kTail = R"({"name": "flatten", "kind": "flatten"},
{"name": "fc", "kind": "dense", "features": "$classes"},
{"name": "loss", "kind": "softmax_loss"})";

std::string with_layer(const std::string& layer) {
  return refusal_of_text(model_text(layer + ",\n" + kTail));
}

TEST(ModelErrors, AWholeModelIsRead) { EXPECT_EQ(refusal_of_text(model_text(kTail)), ""); }

TEST(ModelErrors, NameThePlaceAndTheRemedy) {
  EXPECT_THAT(with_layer(R"({"name": "c", "kind": "convolutoin"})"),
              HasSubstr("test.json:5:/layers/0: there is no layer kind \"convolutoin\"; did you "
                        "mean \"convolution\"?"));
  EXPECT_THAT(with_layer(R"({"name": "c", "kind": "pool", "kernle": 3})"),
              HasSubstr("pool has no attribute \"kernle\"; did you mean \"kernel\"?"));
  EXPECT_THAT(with_layer(R"({"name": "conv1", "kind": "batch_norm"},
{"name": "c", "kind": "add", "from": ["conv1", "cnov1"]})"),
              HasSubstr("test.json:6:/layers/1/from/1: no layer before it is called \"cnov1\"; did "
                        "you mean \"conv1\"?"));
}

TEST(ModelErrors, ShowOddNamesInPointersAsATerminalCan) {
  EXPECT_THAT(with_layer(R"({"name": "d", "kind": "dropout", "a\u001b/b": 1.5})"),
              HasSubstr("test.json:5:/layers/0/a?~1b: is a number"));
  EXPECT_THAT(refusal_of_text(R"({"schema": "oracle/model/1", "name": "test",
"input": {"channels": 3}, "blocks": {"b\u0000/~": {"layers": []}}, "layers": []})"),
              HasSubstr("test.json:2:/blocks/b?~1~0/layers: the block has no layers"));
}

TEST(ModelErrors, RefuseALayerThatReadsALaterOneOrItself) {
  EXPECT_THAT(with_layer(R"({"name": "a", "kind": "add", "from": ["a", "input"]})"),
              HasSubstr("no layer before it is called \"a\""));
  EXPECT_THAT(with_layer(R"({"name": "a", "kind": "add", "from": ["fc", "input"]})"),
              HasSubstr("no layer before it is called \"fc\""));
}

TEST(ModelErrors, RefuseExtentsThatShrinkToNothing) {
  EXPECT_THAT(with_layer(R"({"name": "c", "kind": "convolution", "features": 8, "kernel": 9})"),
              HasSubstr("layer \"c\": a window of 9 does not fit a height of 8"));
}

TEST(ModelErrors, RefuseWrongTypes) {
  EXPECT_THAT(
      with_layer(R"({"name": "c", "kind": "convolution", "features": "many", "kernel": 3})"),
      HasSubstr("\"features\" is \"many\" and must be an integer"));
  EXPECT_THAT(with_layer(R"({"name": "c", "kind": "dropout", "from": 3})"),
              HasSubstr("/layers/0/from: is an integer, not a layer's name"));
  EXPECT_THAT(with_layer(R"({"name": "c", "kind": "dropout", "from": []})"),
              HasSubstr("the list is empty"));
  EXPECT_THAT(with_layer(R"({"name": 1, "kind": "dropout"})"),
              HasSubstr("/layers/0/name: is an integer, not a string"));
  EXPECT_THAT(with_layer(R"({"name": "c", "kind": null})"),
              HasSubstr("/layers/0/kind: is null, not a string"));
  EXPECT_THAT(with_layer(R"("dropout")"), HasSubstr("/layers/0: is a string, not a layer"));
  EXPECT_THAT(with_layer(R"({"name": "c", "kind": "pool", "kernel": 2.5})"),
              HasSubstr("/layers/0/kernel: is a number, which no attribute is"));
  EXPECT_THAT(with_layer(R"({"name": "c"})"), HasSubstr("must have either \"kind\" or \"block\""));
}

TEST(ModelErrors, RefuseHugeNumbers) {
  EXPECT_THAT(with_layer(R"({"name": "c", "kind": "convolution", "features": 4611686018427387904,
                             "kernel": 1})"),
              HasSubstr("must be an integer from 1 to 2147483647"));
  EXPECT_THAT(with_layer(R"({"name": "c", "kind": "convolution", "features": 2000000000,
                             "kernel": 1}, {"name": "d", "kind": "convolution",
                             "features": 2000000000, "kernel": 2000000000, "pad": 2000000000})"),
              HasSubstr("2^53"));
  EXPECT_THAT(with_layer(R"({"name": "c", "kind": "transposed_convolution", "features": 1,
                             "kernel": 2000000000, "stride": 2000000000})"),
              HasSubstr("2^53"));
}

TEST(ModelErrors, RefuseNamesThatPatternsCouldNotMatch) {
  for (const char* name : {"a b", "fc*", "a=b", "a:b", "", "input", "a;b"}) {
    EXPECT_THAT(with_layer("{\"name\": \"" + std::string(name) + "\", \"kind\": \"dropout\"}"),
                HasSubstr("is not allowed"))
        << name;
  }
  EXPECT_THAT(with_layer("{\"name\": \"" + std::string(129, 'a') + "\", \"kind\": \"dropout\"}"),
              HasSubstr("up to 128"));
}

TEST(ModelErrors, ReportEverythingAtOnceAndEachThingOnce) {
  const std::string text = refusal_of_text(
      "{\"schema\": \"oracle/model/2\", \"name\": \"x\", \"clases\": 10, \"input\": {\"channels\": "
      "0, \"height\": 8, \"width\": 8}, \"layers\": [{\"name\": \"c\", \"kind\": \"pol\"}, "
      "{\"name\": \"d\", \"kind\": \"add\", \"from\": [\"c\", \"c\"], \"sum\": 1}]}");
  EXPECT_THAT(text, HasSubstr("\"oracle/model/2\" is not a model this version reads"));
  EXPECT_THAT(text, HasSubstr("\"clases\""));
  EXPECT_THAT(text, HasSubstr("did you mean \"classes\"?"));
  EXPECT_THAT(text, HasSubstr("/input/channels: 0 is out of range"));
  EXPECT_THAT(text, HasSubstr("no layer kind \"pol\""));
  EXPECT_THAT(text, HasSubstr("add has no attribute \"sum\""));
  EXPECT_THAT(text, Not(HasSubstr("no layer before"))) << "c failed, and that is said already";
}

TEST(ModelErrors, ReportAProblemOfABlockOnceHoweverOftenItIsUsed) {
  const std::string text = refusal_of_text(
      model_text(std::string(R"({"name": "b$i", "block": "bad", "repeat": 50},)") + kTail,
                 R"({"bad": {"layers": [{"name": "p", "kind": "pool", "kernel": 0}]}})"));
  EXPECT_THAT(text, HasSubstr("/blocks/bad/layers/0"));
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST(ModelErrors, RefuseBlocksThatDoNotMatchTheirUse) {
  const char* blocks = R"({"b": {"parameters": ["width"],
      "layers": [{"name": "p", "kind": "dropout"}]}})";
  const auto use = [&](const char* entry) {
    return refusal_of_text(model_text(std::string(entry) + "," + kTail, blocks));
  };
  EXPECT_THAT(use(R"({"name": "x", "block": "b"})"), HasSubstr("block \"b\" needs \"width\""));
  EXPECT_THAT(use(R"({"name": "x", "block": "b", "width": 1, "hight": 2})"),
              HasSubstr("block \"b\" has no parameter \"hight\""));
  EXPECT_THAT(use(R"({"name": "x", "block": "c"})"), HasSubstr("there is no block \"c\""));
  EXPECT_THAT(use(R"({"name": "x", "block": "b", "repeat": 2, "width": 1})"),
              HasSubstr("must contain \"$i\"; write \"x.$i\""));
  EXPECT_THAT(use(R"({"name": "x", "block": "b", "width": "$depth"})"),
              HasSubstr("/layers/0/width: there is no parameter \"$depth\""));
  EXPECT_THAT(use(R"({"name": "x", "block": "b", "width": 1, "from": ["input", "input"]})"),
              HasSubstr("a block reads one layer"));
  EXPECT_THAT(refusal_of_text(model_text(kTail, R"({"b": {"layers": []}})")),
              HasSubstr("the block has no layers"));
  EXPECT_THAT(refusal_of_text(model_text(
                  kTail, R"({"b": {"parameters": ["first"], "layers": [{"name": "p"}]}})")),
              HasSubstr("\"first\" already means something"));
}

TEST(ModelErrors, BlameNoReaderForABlockThatFailed) {
  const std::string text = refusal_of_text(model_text(
      std::string(R"({"block": "b"}, {"name": "sum", "kind": "add", "from": ["x", "input"]},)") +
          kTail,
      R"({"b": {"parameters": ["width"], "layers": [{"name": "x", "kind": "dropout"}]}})"));
  EXPECT_THAT(text, HasSubstr("block \"b\" needs \"width\""));
  EXPECT_THAT(text, Not(HasSubstr("no layer before")));
}

TEST(ModelErrors, StaySmallWhereARepeatedBlockFails) {
  const std::string text = refusal_of_text(model_text(
      std::string(R"({"name": "x$i", "block": "b", "repeat": 90000, "width": "1/0*$i"},)") + kTail,
      R"({"b": {"parameters": ["width"], "layers": [{"name": "x", "kind": "dropout"}]}})"));
  EXPECT_THAT(text, HasSubstr("divides by zero"));
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST(ModelErrors, GiveUpSoonOnABlockThatFailsAtEachOfManyUses) {
  // Expanded to the end, these would be 100,000 refusals.
  const std::string text = refusal_of_text(
      model_text(R"({"name": "x$i", "block": "b", "repeat": 1000})",
                 R"({"b": {"layers": [{"name": "y$i", "block": "c", "repeat": 1000}]},
              "c": {"layers": [{"name": "z", "kind": "dr.opout"}]}})"));
  EXPECT_THAT(text, HasSubstr("there is no layer kind \"dr.opout\""));
  EXPECT_THAT(text, Not(HasSubstr("more than 100000 layers")));
}

TEST(ModelErrors, BoundTheExpansion) {
  EXPECT_THAT(refusal_of_text(model_text(R"({"name": "x", "block": "b"})",
                                         R"({"b": {"layers": [{"name": "y", "block": "b"}]}})")),
              HasSubstr("blocks are nested more than 8 deep; make sure that block \"b\" does not "
                        "use itself"));
  EXPECT_THAT(refusal_of_text(
                  model_text(R"({"name": "x$i", "block": "b", "repeat": 1000})",
                             R"({"b": {"layers": [{"name": "y$i", "block": "c", "repeat": 1000}]},
              "c": {"layers": [{"name": "z", "kind": "dropout"}]}})")),
              HasSubstr("more than 100000 layers"));
}

TEST(ModelErrors, WantOneLossAtTheEndAndNoLooseEnds) {
  EXPECT_THAT(refusal_of_text(model_text(R"({"name": "d", "kind": "dropout"})")),
              HasSubstr("test.json:5:/layers/0: layer \"d\": the last layer must be a loss"));
  EXPECT_THAT(with_layer(R"({"name": "d", "kind": "dropout"}, {"name": "e", "kind": "dropout",
                             "from": "input"})"),
              HasSubstr("layer \"d\": no layer reads its output"));
  EXPECT_THAT(refusal_of_text(model_text("")), HasSubstr("the last layer must be a loss"));
}

TEST(ModelErrors, SurviveTruncatedAndDeepText) {
  const std::string whole = model_text(kTail);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(read_text(whole.substr(0, length)), InputError) << length;
  }
  EXPECT_THROW(read_text(std::string(1'000'000, '[')), InputError);
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "{\"a\":";
  EXPECT_THROW(read_text(deep), InputError);
  for (const char* text : {"null", "3", "\"model\"", "[]", "{}"}) {
    EXPECT_THROW(read_text(text), InputError) << text;
  }
}

}  // namespace model_errors_test
}  // namespace oracle
