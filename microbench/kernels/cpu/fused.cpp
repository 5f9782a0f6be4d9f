#include "microbench/kernels/cpu/fused.h"

#include "oracle/graph/kinds/kind.h"

namespace oracle {

bool fuses_on_processors(const LocalLayer& layer) {
  const std::string_view kind = layer.layer->kind->name;
  return (kind == "convolution" || kind == "dense") && !layer.then_backward &&
         layer.then->kind->name == "activation" && layer.then->variant == "relu";
}

dnnl::primitive_attr forward_attributes(const LocalLayer& layer) {
  dnnl::primitive_attr attributes = scratch_of_the_caller();
  if (layer.then == nullptr) return attributes;
  dnnl::post_ops rectifier;
  rectifier.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
  attributes.set_post_ops(rectifier);
  return attributes;
}

}  // namespace oracle
