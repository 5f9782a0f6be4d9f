#pragma once
// Where do a layer's trainable tensors live, and in which order?
//
// Value, gradient and the optimizer's state of one parameter lie in one format, so that the
// optimizer may run over raw memory. The first forward pass chooses it; whoever wants another gets
// a counted copy.

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "microbench/kernels/cpu/context.h"
#include "microbench/kernels/cpu/kept_floats.h"
#include "oracle/graph/layer.h"

namespace oracle {

class CpuWeights final : public Weights {
 public:
  CpuWeights(Context& context, const LocalLayer& layer);

  std::int64_t elements(std::size_t index) const override;
  void read(std::size_t index, void* to) const override;
  void write(std::size_t index, const void* from) override;
  void read_gradient(std::size_t index, void* to) const override;
  void write_gradient(std::size_t index, const void* from) override;
  void read_moment(std::size_t index, Moment moment, void* to) const override;
  void write_moment(std::size_t index, Moment moment, const void* from) override;
  void pack_gradient(std::size_t index, void* to) const override;
  void unpack_gradient(std::size_t index, const void* from) override;
  void visit_gradient(std::size_t index,
                      const std::function<void(std::span<const float>)>& visit) const override;
  void fill_gradient(std::size_t index, const std::function<void(std::span<float>)>& fill) override;
  std::string kept_order(std::size_t index) const override;
  void pack_as_kept() override { packs_as_kept_ = true; }
  void begin_step() override;
  void drop_values() override;
  void drop_gradients() override;

  std::size_t size() const { return parameters_.size(); }

  /// Chooses the format of a parameter, once; later calls change nothing.
  void adopt(std::size_t index, const dnnl::memory::desc& format);
  /// A parameter in the wanted format: itself, or a copy in `copy`.
  dnnl::memory value(std::size_t index, const dnnl::memory::desc& wanted, MemoryBlock& copy) const;
  /// Of a parameter that is a plain vector.
  const float* vector(std::size_t index) const;

  void update(const OptimizerStep& step);
  void evict() const;

 private:
  friend class GradientWriter;

  struct Parameter {
    dnnl::memory::desc plain;
    dnnl::memory::desc stored;
    MemoryBlock value;
    MemoryBlock gradient;
    MemoryBlock first_moment;
    MemoryBlock second_moment;
    bool adopted = false;
    bool accumulates = false;

    const MemoryBlock& of(Moment moment) const {
      return moment == Moment::first ? first_moment : second_moment;
    }
    MemoryBlock& of(Moment moment) {
      return moment == Moment::first ? first_moment : second_moment;
    }
  };

  std::optional<KeptFloats> packed_as_kept(const Parameter& parameter) const;
  MemoryBlock room_for_packed(const Parameter& parameter) const;
  void from_plain(const Parameter& parameter, const void* from, const MemoryBlock& to);
  void to_plain(const Parameter& parameter, const MemoryBlock& from, void* to) const;
  /// Memory in the parameter's format where `block` has none.
  void ensure_memory(const Parameter& parameter, MemoryBlock& block);
  void convert(Parameter& parameter, MemoryBlock& block, const dnnl::memory::desc& format);

  Context& context_;
  std::vector<Parameter> parameters_;
  bool packs_as_kept_ = false;
};

CpuWeights& cpu(Weights* weights);

/// Updates a shard as CpuWeights::update does whole parameters.
void update_shard(const StateShard& shard, const OptimizerStep& step);

/// Where a kernel writes the gradient of a parameter, in the format it produces: the gradient's own
/// memory if that is it and nothing is to be added up, else scratch. `commit` when it is written.
class GradientWriter {
 public:
  GradientWriter(Context& context, CpuWeights& weights, std::size_t index,
                 const dnnl::memory::desc& produced);
  dnnl::memory memory() const;
  float* data() const;
  void commit();

 private:
  Context& context_;
  CpuWeights::Parameter& parameter_;
  dnnl::memory::desc produced_;
  bool direct_;
  MemoryBlock scratch_;
};

/// Writes the gradient of a layer's first parameter, of so many values in plain order, which
/// `add(sums)` adds up from zeros.
template <typename Add>
void sum_gradient(Context& context, CpuWeights& weights, std::int64_t count, const Add& add) {
  const dnnl::memory::desc plain({count}, dnnl::memory::data_type::f32,
                                 dnnl::memory::format_tag::a);
  GradientWriter gradient(context, weights, 0, plain);
  std::fill_n(gradient.data(), count, 0.0F);
  add(gradient.data());
  gradient.commit();
}

/// Writes the gradient of a parameter that is a plain vector.
void write_gradient(Context& context, CpuWeights& weights, std::size_t index,
                    std::span<const double> values);

}  // namespace oracle
