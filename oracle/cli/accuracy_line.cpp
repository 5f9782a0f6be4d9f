#include "oracle/cli/accuracy_line.h"

#include "oracle/accuracy/run_class.h"
#include "oracle/io/published/accuracy_classes.h"
#include "oracle/report/text.h"

namespace oracle::cli {
namespace {

/// ", volta"; nothing of a class that holds any.
std::string narrowed(const std::string& value) { return value == "any" ? "" : ", " + value; }

}  // namespace

std::string accuracy_line(const Evaluation& evaluation, const Cluster& cluster,
                          const Profile& profile) {
  if (profile.has_kernels() || evaluation.fits() == nullptr) return {};
  RunClass what = class_of(evaluation.strategy, evaluation.training, cluster);
  if (cluster.pace.jobs > 0) what.kind = "one run known, " + what.scale;
  const std::vector<AccuracyClass> classes = load_accuracy_classes();
  const AccuracyClass* like = what.generation == "cpu"
                                  ? nullptr
                                  : most_like(classes, what.kind, what.generation, what.precision);
  if (like == nullptr) {
    return "accuracy: no published run is like this one (" + what.kind + ", " + what.generation +
           ", " + what.precision + ")";
  }
  return "accuracy: of " + report::number_of(like->runs, "published run") + " like it (" +
         like->kind + narrowed(like->generation) + narrowed(like->precision) +
         ") half were predicted within " + report::percent(like->median) + ", and " +
         report::percent(like->coverage) + " lay in their intervals";
}

}  // namespace oracle::cli
