#include "oracle/evaluate/unmeasured.h"

#include <gtest/gtest.h>

#include "oracle/cost/compute/kernel.h"
#include "oracle/graph/kinds/kind.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace unmeasured_test {

/// The lines of a chain of dense layers, with what `fill` puts into the profile.
template <typename Fill>
std::vector<std::string> lines_with(Fill fill) {
  const Graph graph = dense_chain({64, 10});
  const Cluster cluster = flat_cluster();
  const Plan plan = plan_of(graph, "serial", 8);
  Profile profile;
  fill(profile, graph, plan);
  return unmeasured_lines({graph, cluster, profile}, plan);
}

KernelFit fit_at(const KernelKey& key) {
  KernelFit fit;
  fit.family = family_of(key);
  fit.pass = key.pass;
  fit.type = key.type;
  fit.plain.launch = Seconds{1e-6};
  fit.lengths.fill(1);
  fit.points = {{features_of(key), 0}};
  return fit;
}

TEST(Unmeasured, AProfileWithoutKernelsIsSilent) {
  EXPECT_TRUE(lines_with([](Profile&, const Graph&, const Plan&) {}).empty());
}

TEST(Unmeasured, KernelsOfOtherFamiliesAreNamed) {
  const auto lines = lines_with([](Profile& profile, const Graph&, const Plan&) {
    KernelKey key;
    key.kind = "add";
    profile.kernels = {{key, {Seconds{1}, Source::measured, 0}}};
  });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("like none that was measured"), std::string::npos) << lines[0];
}

TEST(Unmeasured, KernelsBetweenThoseMeasuredAreToldApartFromThoseBeyond) {
  const auto outside = [](std::int64_t more) {
    const auto lines = lines_with([more](Profile& profile, const Graph& graph, const Plan& plan) {
      for (const Item& item : plan.stages[0].items) {
        const Work* work = std::get_if<Work>(&item.what);
        if (work == nullptr || work->layer == kAllLayers) continue;
        KernelKey key =
            key_of(graph[work->layer], plan.pieces[work->layer], work->pass, plan.training);
        key.samples += more;
        profile.fits.push_back(fit_at(key));
      }
    });
    return lines.empty() ? std::string() : lines[0];
  };
  EXPECT_EQ(outside(0), "");
  EXPECT_NE(outside(5).find("lie outside of the shapes measured"), std::string::npos);
}

}  // namespace unmeasured_test
}  // namespace oracle
