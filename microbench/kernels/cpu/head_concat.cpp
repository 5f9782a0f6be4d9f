// Features of each head beside those that all heads share: y[h] = (x[h], s); dx is its part of dy,
// and ds the sum of the rest over the heads. Of heads in parts each rank has its own and all that
// is shared, and its ds is a summand.

#include "microbench/kernels/cpu/channel_values.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class HeadConcat final : public CpuKernel {
 public:
  HeadConcat(Context& context, const LocalLayer& layer)
      : own_(layer.layer->input.channels() / layer.layer->heads.queries),
        shared_(layer.inputs[1].channels),
        heads_(layer.inputs[0].channels / own_),
        block_of_output_(CpuTensor::first_block(context, layer.output)),
        block_of_own_(CpuTensor::first_block(context, layer.inputs[0])),
        block_of_shared_(CpuTensor::first_block(context, layer.inputs[1])) {}

  void forward(const Call& call) override {
    const CpuTensor &x = cpu(call.inputs[0]), &s = cpu(call.inputs[1]);
    CpuTensor& y = zeros(call.output, block_of_output_);
    for_each_sample_and_head(y, [&](std::int64_t n, std::int64_t head) {
      add(x, n, head * own_, own_, y, head * (own_ + shared_));
      add(s, n, 0, shared_, y, head * (own_ + shared_) + own_);
    });
  }

  void backward_data(const Call& call) override {
    const CpuTensor& dy = cpu(call.output_gradient);
    if (call.input_gradients[0] != nullptr) {
      CpuTensor& dx = zeros(call.input_gradients[0], block_of_own_);
      for_each_sample_and_head(dy, [&](std::int64_t n, std::int64_t head) {
        add(dy, n, head * (own_ + shared_), own_, dx, head * own_);
      });
    }
    if (call.input_gradients[1] != nullptr) {
      CpuTensor& ds = zeros(call.input_gradients[1], block_of_shared_);
      for_each_sample_and_head(dy, [&](std::int64_t n, std::int64_t head) {
        add(dy, n, head * (own_ + shared_) + own_, shared_, ds, 0);
      });
    }
  }

 private:
  template <class Visit>
  void for_each_sample_and_head(const CpuTensor& tensor, Visit visit) const {
    for (std::int64_t n = 0; n < tensor.extents().samples; ++n) {
      for (std::int64_t head = 0; head < heads_; ++head) visit(n, head);
    }
  }

  /// `count` channels of a sample from `first` on to those from `to_first` on.
  static void add(const CpuTensor& from, std::int64_t sample, std::int64_t first,
                  std::int64_t count, CpuTensor& to, std::int64_t to_first) {
    const std::int64_t positions = to.layout().positions();
    for (std::int64_t c = 0; c < count; ++c) {
      const ChannelValues x = channel_of(from, sample, first + c),
                          y = channel_of(to, sample, to_first + c);
      for (std::int64_t p = 0; p < positions; ++p) y.at(p) += x.at(p);
    }
  }

  static CpuTensor& zeros(Tensor* tensor, std::int64_t block) {
    cpu(tensor).rewrite(block);
    cpu(tensor).zero();
    return cpu(tensor);
  }

  std::int64_t own_, shared_;  ///< features of a head, and of all heads
  std::int64_t heads_;         ///< of this rank
  std::int64_t block_of_output_, block_of_own_, block_of_shared_;
};

}  // namespace

std::unique_ptr<Kernel> make_head_concat(Context& context, const LocalLayer& layer) {
  return std::make_unique<HeadConcat>(context, layer);
}

}  // namespace oracle
