#pragma once
// How is cuDNN's graph API spoken to?
//
// Whatever it is told of is a descriptor of some type, which is given attributes by name and then
// finalized; what may be refused is whether cuDNN can do it, so that no refusal is an error here.
//                                         tests/microbench/kernels/gpu/convolution_plans_test.cpp

#include <cstdint>
#include <cudnn.h>
#include <optional>
#include <utility>
#include <vector>

namespace oracle::gpu {

class GraphDescriptor {
 public:
  explicit GraphDescriptor(cudnnBackendDescriptorType_t type)
      : status_(cudnnBackendCreateDescriptor(type, &made_)) {}
  ~GraphDescriptor() {
    if (made_ != nullptr) static_cast<void>(cudnnBackendDestroyDescriptor(made_));
  }
  GraphDescriptor(GraphDescriptor&& other) noexcept
      : made_(std::exchange(other.made_, nullptr)), status_(other.status_) {}
  GraphDescriptor(const GraphDescriptor&) = delete;
  GraphDescriptor& operator=(const GraphDescriptor&) = delete;
  GraphDescriptor& operator=(GraphDescriptor&&) = delete;

  cudnnBackendDescriptor_t get() const { return made_; }
  /// False once something was refused; nothing is done from then on.
  bool accepted() const { return status_ == CUDNN_STATUS_SUCCESS; }
  bool finalize() {
    if (accepted()) status_ = cudnnBackendFinalize(made_);
    return accepted();
  }

  template <class T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
           const std::vector<T>& values) {
    set(name, type, static_cast<std::int64_t>(values.size()), values.data());
  }
  template <class T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T& value) {
    set(name, type, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, const GraphDescriptor& other) {
    if (!other.accepted()) status_ = other.status_;
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.made_);
  }

  /// Of one number.
  std::optional<std::int64_t> number(cudnnBackendAttributeName_t name) const {
    std::int64_t value = 0;
    return got(name, CUDNN_TYPE_INT64, 1, &value) == 1 ? std::optional(value) : std::nullopt;
  }
  /// At most so many values, 0 to ask how many there are; as many as were there.
  std::int64_t got(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                   std::int64_t most, void* values) const {
    std::int64_t count = 0;
    const bool given = accepted() && cudnnBackendGetAttribute(made_, name, type, most, &count,
                                                              values) == CUDNN_STATUS_SUCCESS;
    return given ? count : 0;
  }

 private:
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
           const void* values) {
    if (accepted()) status_ = cudnnBackendSetAttribute(made_, name, type, count, values);
  }

  cudnnBackendDescriptor_t made_ = nullptr;
  cudnnStatus_t status_ = CUDNN_STATUS_SUCCESS;
};

}  // namespace oracle::gpu
