// An If whose condition is known takes one of its branches; of any other, which work is done
// depends on the data.

#include "oracle/base/error.h"
#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {

void choose_branch(Importer& importer, const Node& node) {
  const Value& condition = importer.value(node, 0);
  const bool known =
      condition.constant && condition.tensor.integers && condition.tensor.integers->size() == 1;
  if (!known) {
    throw InputError("", "which of its branches is taken depends on the data",
                     "export the network by tracing, with one branch");
  }
  const bool then = condition.tensor.integers->front() != 0;
  const Attribute* branch = node.find(then ? "then_branch" : "else_branch");
  if (branch == nullptr || !branch->graph) throw InputError("", "its branch is missing");
  importer.enter(node, *branch->graph);
}

}  // namespace oracle::onnx
