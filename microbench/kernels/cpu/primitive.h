#pragma once
// What is needed to run a primitive of oneDNN?

#include <oneapi/dnnl/dnnl.hpp>

namespace oracle {

/// A primitive and the scratch memory that it wants.
struct Primitive {
  Primitive() = default;
  explicit Primitive(const dnnl::primitive_desc_base& description)
      : primitive(description.get()), scratchpad(description.scratchpad_desc()) {}

  dnnl::primitive primitive;
  dnnl::memory::desc scratchpad;
};

/// Scratch memory is the allocator's, and not oneDNN's own.
dnnl::primitive_attr scratch_of_the_caller();

}  // namespace oracle
