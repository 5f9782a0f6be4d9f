// What does a short convolution along a text compute and touch?
//
//   y[p, c] = f(Σ_j w[c, j] · x[p − t + 1 + j, c] (+ b[c])),   t taps of each channel, f silu
//
// It stands before linear attention and state spaces (Gu & Dao, Mamba, arXiv 2312.00752; Yang et
// al., arXiv 2412.06464). One kernel: forward reads x and writes y; backward forms the sum before f
// again, and makes both gradients at once. Positions before the text are zeros. A position reads
// those before it, so that a text cut into parts is gathered.
//
// Worked: 8192 channels, 4 taps: 32,768 parameters; 403 MFLOP forward at 4096 positions
//                                                      tests/graph/kinds/linear_attention_test.cpp

#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"taps", "positions that each reads, itself among them; 4"},
    {"function", "silu or none, of the sum; silu"},
    {"bias", "whether a number is added for each channel; false"},
};

constexpr std::int64_t kUsualTaps = 4;
/// Operations of silu, forward and backward.
constexpr double kSilu = 4, kSiluSlope = 9;

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const std::int64_t taps = attributes.integer("taps", 1, kUsualTaps);
  const bool silu = attributes.choice("function", {"silu", "none"}) == 0;
  const std::int64_t channels = layer.input.channels();
  layer.variant = silu ? "silu" : "";
  layer.output = layer.input;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::whole;
  layer.weights = {{"weight", bounded_product({channels, taps}, "its weights"), channels}};
  if (attributes.flag("bias", false)) layer.weights.push_back({"bias", channels, channels});
  const double sum = 2 * static_cast<double>(taps);
  layer.work = {{{sum + (silu ? kSilu : 0), 1, 1, 1},
                 {(silu ? 2 * sum + kSiluSlope : sum), 2, 1, 1},
                 {sum, 0, 0, 1}}};
  layer.keeps_input = true;
  layer.gradient_reads_weights = silu;
}

}  // namespace

const Kind kCausalConvolutionKind{"causal_convolution",
                                  "short convolution of each channel along a text",
                                  kAttributes,
                                  1,
                                  1,
                                  false,
                                  describe};

}  // namespace oracle
