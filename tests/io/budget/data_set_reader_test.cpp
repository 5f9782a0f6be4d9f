#include "oracle/io/budget/data_set_reader.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace data_set_reader_test {

DataSet read(const std::string& text) { return read_data_set(json::parse(text, "mine.json")); }

TEST(DataSetReader, ReadsSamples) {
  const DataSet data = read(
      R"({"schema": "oracle/dataset/1", "name": "Mine", "samples": 10, "size": "1 MB",
          "formats": ["png"], "sources": [{"kind": "measured", "text": "counted, 2026",
          "figures": ["samples", "size"]}]})");
  EXPECT_EQ(data.id, "mine");
  EXPECT_EQ(data.samples, 10);
  EXPECT_EQ(data.size, Bytes{1e6});
  EXPECT_EQ(data.formats, std::vector<std::string>{"png"});
  EXPECT_EQ(data.sources.front(), "samples: counted, 2026");
  EXPECT_EQ(data.samples_of(512), 10);
}

TEST(DataSetReader, ATextsSamplesFollowFromTheSequence) {
  const DataSet text = read(R"({"schema": "oracle/dataset/1", "name": "Mine", "tokens": 2049})");
  EXPECT_EQ(text.samples, 0);
  EXPECT_EQ(text.samples_of(512), 5);
  EXPECT_EQ(text.samples_of(2049), 1);
}

TEST(DataSetReader, SaysEverythingThatIsWrong) {
  try {
    read(R"({"schema": "oracle/dataset/1", "name": "Mine", "tokens": 5, "samples": 4,
             "size": "9", "sise": 1})");
    FAIL() << "was read";
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.problems().size(), 3U) << what;
    EXPECT_NE(what.find("stands next to \"tokens\""), std::string::npos) << what;
    EXPECT_NE(what.find("did you mean \"size\"?"), std::string::npos) << what;
  }
}

TEST(DataSetReader, EveryShippedDataSetIsRead) {
  setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1);
  const std::vector<std::string> names = names_in("data/datasets");
  EXPECT_GE(names.size(), 5U);
  for (const std::string& name : names) EXPECT_GT(load_data_set(name).samples_of(1), 0) << name;
  const DataSet imagenet = load_data_set("imagenet");
  EXPECT_EQ(imagenet.samples, 1281167);
  EXPECT_NEAR(imagenet.read_at(1000, 1).value, 114e6, 0.1e6);
}

TEST(DataSetReader, AnUnknownNameIsRefusedWithTheNearest) {
  setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1);
  try {
    load_data_set("imagnet");
    FAIL() << "was read";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--dataset: \"imagnet\" is unknown; did you mean \"imagenet\"? See: oracle list "
                 "datasets");
  }
}

}  // namespace data_set_reader_test
}  // namespace oracle
