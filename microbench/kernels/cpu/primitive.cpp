#include "microbench/kernels/cpu/primitive.h"

namespace oracle {

dnnl::primitive_attr scratch_of_the_caller() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

}  // namespace oracle
