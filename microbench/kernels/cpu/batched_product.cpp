#include "microbench/kernels/cpu/batched_product.h"

#include "microbench/kernels/cpu/onednn.h"

namespace oracle {
namespace {

dnnl::memory::desc description_of(const Matrices& of) {
  return {{of.batch, of.rows, of.columns},
          dnnl::memory::data_type::f32,
          {of.apart, of.row_stride, of.column_stride}};
}

/// Of its own: copies of attributes are one and the same.
dnnl::primitive_attr adding() {
  dnnl::primitive_attr attributes = scratch_of_the_caller();
  dnnl::post_ops sum;
  sum.append_sum();
  attributes.set_post_ops(sum);
  return attributes;
}

}  // namespace

BatchedProduct::BatchedProduct(const Context& context, const Matrices& a, const Matrices& b,
                               const Matrices& to, bool accumulates)
    : a_(description_of(a)),
      b_(description_of(b)),
      to_(description_of(to)),
      primitive_(describe_forward_as<dnnl::matmul>(
          context, accumulates ? adding() : context.attributes(), a_, b_, to_)) {}

void BatchedProduct::run(Context& context, const float* a, const float* b, float* to) const {
  // oneDNN reads through a pointer to non-const.
  context.run(primitive_, {{DNNL_ARG_SRC, context.memory(a_, const_cast<float*>(a))},
                           {DNNL_ARG_WEIGHTS, context.memory(b_, const_cast<float*>(b))},
                           {DNNL_ARG_DST, context.memory(to_, to)}});
}

}  // namespace oracle
