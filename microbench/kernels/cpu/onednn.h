#pragma once
// How is a primitive described to oneDNN? The one place that knows which version it is: 2.x wants a
// descriptor of the operation inside the primitive's.

#include <oneapi/dnnl/dnnl.hpp>

#include "microbench/kernels/cpu/context.h"

#if DNNL_VERSION_MAJOR != 2
#error "the CPU back end is written for oneDNN 2.x (Debian's libdnnl-dev)"
#endif

namespace oracle {

template <class Operation, class... Arguments>
typename Operation::primitive_desc describe_forward_as(const Context& context,
                                                       const dnnl::primitive_attr& attributes,
                                                       const Arguments&... arguments) {
  context.use_threads();
  return {typename Operation::desc(arguments...), attributes, context.engine()};
}

template <class Operation, class... Arguments>
typename Operation::primitive_desc describe_forward(const Context& context,
                                                    const Arguments&... arguments) {
  return describe_forward_as<Operation>(context, context.attributes(), arguments...);
}

/// `hint` is the description of the forward primitive.
template <class Operation, class Hint, class... Arguments>
typename Operation::primitive_desc describe_backward(const Context& context, const Hint& hint,
                                                     const Arguments&... arguments) {
  context.use_threads();
  return {typename Operation::desc(arguments...), context.attributes(), context.engine(), hint};
}

}  // namespace oracle
