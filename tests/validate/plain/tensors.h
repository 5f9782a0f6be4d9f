#pragma once
// Tensors and weights of the plain back end.

#include <cstring>
#include <stdexcept>
#include <vector>

#include "microbench/kernels/backend.h"

namespace oracle::plain {

struct Count {
  std::int64_t now = 0, peak = 0;
  void add(std::int64_t bytes) {
    now += bytes;
    peak = now > peak ? now : peak;
  }
};

class DenseTensor : public Tensor {
 public:
  DenseTensor(const Extents& extents, Count& count)
      : extents_(extents), count_(count), values_(static_cast<std::size_t>(extents.elements())) {
    count_.add(4 * extents.elements());
  }
  ~DenseTensor() override { count_.add(-4 * extents_.elements()); }

  const Extents& extents() const override { return extents_; }
  void pack(const Box& box, void* to) const override {
    auto* out = static_cast<float*>(to);
    for_each(box, [&](std::size_t i) { *out++ = values_[i]; });
  }
  void unpack(const Box& box, const void* from) override {
    const auto* in = static_cast<const float*>(from);
    for_each(box, [&](std::size_t i) { values_[i] = *in++; });
  }
  void accumulate(const Box& box, const void* from) override {
    const auto* in = static_cast<const float*>(from);
    for_each(box, [&](std::size_t i) { values_[i] += *in++; });
  }

  float& at(std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h, std::int64_t w) {
    return values_[index(n, c, d, h, w)];
  }
  std::vector<float>& values() { return values_; }

 private:
  std::size_t index(std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h,
                    std::int64_t w) const {
    const Extents& e = extents_;
    return static_cast<std::size_t>(
        (((n * e.channels + c) * e.depth + d) * e.height + h) * e.width + w);
  }
  template <typename Visit>
  void for_each(const Box& box, Visit visit) const {
    const Extents& b = box.begin;
    const Extents& s = box.size;
    const Extents& e = extents_;
    if (b.samples + s.samples > e.samples || b.channels + s.channels > e.channels ||
        b.depth + s.depth > e.depth || b.height + s.height > e.height ||
        b.width + s.width > e.width) {
      throw std::runtime_error("a box reaches beyond its tensor");
    }
    for (std::int64_t n = 0; n < s.samples; ++n) {
      for (std::int64_t c = 0; c < s.channels; ++c) {
        for (std::int64_t d = 0; d < s.depth; ++d) {
          for (std::int64_t h = 0; h < s.height; ++h) {
            for (std::int64_t w = 0; w < s.width; ++w) {
              visit(index(b.samples + n, b.channels + c, b.depth + d, b.height + h, b.width + w));
            }
          }
        }
      }
    }
  }

  Extents extents_;
  Count& count_;
  std::vector<float> values_;
};

inline DenseTensor& dense(Tensor* tensor) {
  if (tensor == nullptr) throw std::runtime_error("a kernel lacks an operand");
  return static_cast<DenseTensor&>(*tensor);
}

class DenseWeights : public Weights {
 public:
  explicit DenseWeights(const LocalLayer& local) {
    const Layer& layer = *local.layer;
    for (const Weight& weight : layer.weights) {
      std::int64_t elements = local.output.channels;
      if (weight.name == "weight") {
        elements *= local.inputs[0].channels * layer.window.volume() / local.groups;
      }
      values.emplace_back(static_cast<std::size_t>(elements));
      gradients.emplace_back(static_cast<std::size_t>(elements));
      moments.emplace_back(static_cast<std::size_t>(elements));
      second.emplace_back(static_cast<std::size_t>(elements));
    }
  }
  std::int64_t elements(std::size_t i) const override {
    return static_cast<std::int64_t>(values[i].size());
  }
  void read(std::size_t i, void* to) const override { copy(values[i], to); }
  void read_gradient(std::size_t i, void* to) const override { copy(gradients[i], to); }
  void write(std::size_t i, const void* from) override {
    std::memcpy(values[i].data(), from, 4 * values[i].size());
  }
  void write_gradient(std::size_t i, const void* from) override {
    std::memcpy(gradients[i].data(), from, 4 * gradients[i].size());
  }
  void read_moment(std::size_t i, Moment moment, void* to) const override {
    copy(moment == Moment::first ? moments[i] : second[i], to);
  }
  void write_moment(std::size_t i, Moment moment, const void* from) override {
    std::vector<float>& to = moment == Moment::first ? moments[i] : second[i];
    std::memcpy(to.data(), from, 4 * to.size());
  }
  void begin_step() override {
    for (auto& gradient : gradients) gradient.assign(gradient.size(), 0);
  }

  std::vector<std::vector<float>> values, gradients, moments, second;

 private:
  static void copy(const std::vector<float>& from, void* to) {
    std::memcpy(to, from.data(), 4 * from.size());
  }
};

}  // namespace oracle::plain
