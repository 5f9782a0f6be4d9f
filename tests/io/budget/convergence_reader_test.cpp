#include "oracle/io/budget/convergence_reader.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/budget/data_set_reader.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace convergence_reader_test {

class ConvergenceReader : public testing::Test {
 protected:
  void SetUp() override { setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1); }
};

std::string file_with(const std::string& points, const std::string& unit = "epochs") {
  return R"({"schema": "oracle/convergence/1", "networks": ["net"], "dataset": "imagenet",
             "metric": "top-1 accuracy", "target": "75.9 %", "unit": ")" +
         unit + R"(", "optimizer": "sgd", "source": "a paper, 2020", "points": [)" + points + "]}";
}

Convergence read(const std::string& text) {
  return read_convergence(json::parse(text, "mine.json"));
}

TEST_F(ConvergenceReader, ReadsPointsByBatch) {
  const Convergence file = read(file_with(
      R"({"batch": 512, "data": 40, "source": "table 2"},
         {"batch": 256, "data": 36, "deviation": 1.5, "runs": 5, "learning_rate": 0.1,
          "warm_up": 5, "source": "table 1"},
         {"batch": 1024, "data": 50, "source": "table 3"},
         {"batch": 2048, "data": 70, "held_out": true, "source": "table 4"})"));
  EXPECT_EQ(file.id, "mine");
  EXPECT_EQ(file.unit, DataUnit::epochs);
  ASSERT_EQ(file.points.size(), 4U);
  EXPECT_EQ(file.points[0].batch, 256);
  EXPECT_EQ(file.points[0].deviation, 1.5);
  EXPECT_EQ(file.points[0].runs, 5);
  EXPECT_EQ(file.points[0].learning_rate, 0.1);
  EXPECT_EQ(file.points[0].warm_up, 5);
  EXPECT_FALSE(file.points[0].held_out);
  EXPECT_TRUE(file.points[3].held_out);
  EXPECT_EQ(file.points[1].runs, 1);
}

TEST_F(ConvergenceReader, RefusesPointsThatMakeNoLaw) {
  const std::string one = R"({"batch": 256, "data": 36, "source": "a"})";
  const std::string two = R"({"batch": 512, "data": 40, "source": "a"})";
  for (const std::string& points :
       {one, one + "," + two,
        one + "," + two + R"(,{"batch": 1024, "data": 50, "held_out": true, "source": "a"})",
        one + "," + two + "," + two, one + "," + two + R"(,{"batch": 4, "data": 0, "source": ""})",
        one + "," + two + R"(,{"batch": 4, "source": ""})",
        one + "," + two + R"(,{"batch": 0, "data": 1, "source": ""})"}) {
    EXPECT_THROW(read(file_with(points)), InputError) << points;
  }
  const std::string three = one + "," + two + R"(,{"batch": 1024, "data": 50, "source": "a"})";
  EXPECT_NO_THROW(read(file_with(three)));
  EXPECT_THROW(read(file_with(three, "epoch")), InputError);
}

/// Every network that is shipped.
std::vector<Convergence> shipped() {
  std::vector<Convergence> files;
  for (const std::string& name : names_in("data/convergence")) {
    files.push_back(load_convergence(name));
  }
  return files;
}

TEST_F(ConvergenceReader, TheLawFitsEveryPublishedPointWithin15Percent) {
  EXPECT_GE(shipped().size(), 5U);
  for (const Convergence& file : shipped()) {
    const ConvergenceLaw law = fit_law(file.points);
    for (const ConvergencePoint& point : file.points) {
      if (point.held_out) continue;
      EXPECT_LE(std::abs(signed_error(law, point)), 0.15) << file.id << " " << point.batch;
    }
  }
}

TEST_F(ConvergenceReader, NineInTenPointsHeldOutInsideTheRangeLieInTheInterval) {
  int judged = 0, outside = 0;
  for (const Convergence& file : shipped()) {
    const ConvergenceLaw law = fit_law(file.points);
    for (const ConvergencePoint& point : file.points) {
      if (!point.held_out || point.batch < law.first) continue;
      const double error = point.data / law.data_at(static_cast<double>(point.batch)) - 1;
      ++judged;
      if (std::abs(error) > law.uncertainty) ++outside;
    }
  }
  EXPECT_GE(judged, 7);
  EXPECT_LE(outside, (judged + 9) / 10);
}

TEST_F(ConvergenceReader, EveryNetworkAndDataSetIsKnown) {
  const std::vector<std::string> models = names_in("models");
  for (const Convergence& file : shipped()) {
    for (const std::string& network : file.networks) {
      EXPECT_EQ(std::count(models.begin(), models.end(), network), 1) << network;
    }
    if (file.unit == DataUnit::epochs) {
      EXPECT_NO_THROW(load_data_set(file.dataset)) << file.id;
    }
  }
}

TEST_F(ConvergenceReader, FindsThoseOfANetwork) {
  ASSERT_EQ(convergence_of("resnet50").size(), 1U);
  EXPECT_EQ(convergence_of("resnet50").front().target, "75.9 %");
  EXPECT_TRUE(convergence_of("vgg16").empty());
}

TEST_F(ConvergenceReader, TheLawOfResNetIsThatOfItsPoints) {
  // A least-squares fit of all ten points that MLPerf has now: 34.5 epochs, 46,300.
  const ConvergenceLaw law = fit_law(load_convergence("resnet50").points);
  EXPECT_NEAR(law.least, 34.5, 0.7);
  EXPECT_NEAR(law.critical_batch(), 46300, 1500);
}

}  // namespace convergence_reader_test
}  // namespace oracle
