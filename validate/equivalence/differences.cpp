#include "validate/equivalence/differences.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr double kLeastShare = 0.01;
constexpr std::size_t kJudgedSteps = 2;
constexpr double kMostAllowed = 0.5;

std::vector<float> gradient_of(const Weights& weights, std::size_t parameter) {
  std::vector<float> values(static_cast<std::size_t>(weights.elements(parameter)));
  weights.read_gradient(parameter, values.data());
  return values;
}

double relative(double difference, double reference) {
  if (!std::isfinite(difference)) return INFINITY;
  if (difference == 0) return 0;
  return reference > 0 ? difference / reference : INFINITY;
}

/// Of the steps that are judged.
double largest_error(std::span<const double> losses, std::span<const double> serial) {
  double most = 0;
  for (std::size_t s = 0; s < std::min(losses.size(), kJudgedSteps); ++s) {
    most = std::max(most, relative(std::abs(losses[s] - serial[s]), std::abs(serial[s])));
  }
  return most;
}

/// Root of the mean square.
double mean_noise(std::span<const ParameterError> errors) {
  double squares = 0;
  for (const ParameterError& error : errors) squares += error.noise * error.noise;
  return errors.empty() ? 0 : std::sqrt(squares / static_cast<double>(errors.size()));
}

}  // namespace

Rounding rounding_of(const Precision& precision) {
  switch (precision.compute) {
    case DataType::bf16:
      return {0x1p-7, 4 * 0x1p-8, 3, true};
    case DataType::fp16:
      return {0x1p-10, 4 * 0x1p-11, 3, true};
    default:
      return kFp32Rounding;
  }
}

std::vector<GradientDifference> gradient_differences(const Executor& run, const Executor& serial,
                                                     const Executor& disturbed) {
  std::vector<GradientDifference> differences;
  for (const TrainedLayer& trained : run.program().trained) {
    for (std::size_t p = 0; p < trained.parameters.size(); ++p) {
      const std::int64_t first = run.held_gradient(trained.layer, p).begin;
      const std::vector<float> own = run.gradient(trained.layer, p);
      const std::vector<float> whole = gradient_of(serial.weights(trained.layer), p);
      const std::vector<float> noisy = gradient_of(disturbed.weights(trained.layer), p);
      GradientDifference difference{trained.layer, p, 0, 0, 0};
      for (std::size_t i = 0; i < own.size(); ++i) {
        const auto place = static_cast<std::size_t>(
            trained.parameters[p].global_index(first + static_cast<std::int64_t>(i)));
        const double expected = static_cast<double>(whole[place]);
        const double off = static_cast<double>(own[i]) - expected;
        const double noise = static_cast<double>(noisy[place]) - expected;
        difference.difference += off * off;
        difference.noise += noise * noise;
        difference.reference += expected * expected;
      }
      differences.push_back(difference);
    }
  }
  return differences;
}

std::string to_text(std::span<const GradientDifference> differences) {
  std::ostringstream text;
  text.precision(17);
  for (const GradientDifference& d : differences) {
    text << d.layer << ' ' << d.parameter << ' ' << std::hexfloat << d.difference << ' '
         << d.reference << ' ' << d.noise << std::defaultfloat << '\n';
  }
  return text.str();
}

std::vector<GradientDifference> parse_differences(std::span<const std::string> texts) {
  std::vector<GradientDifference> differences;
  for (const std::string& text : texts) {
    std::istringstream in(text);
    GradientDifference d;
    std::string difference, reference, noise;
    while (in >> d.layer >> d.parameter >> difference >> reference >> noise) {
      d.difference = std::strtod(difference.c_str(), nullptr);
      d.reference = std::strtod(reference.c_str(), nullptr);
      d.noise = std::strtod(noise.c_str(), nullptr);
      differences.push_back(d);
    }
  }
  return differences;
}

double Equivalence::loss_error() const { return largest_error(losses, serial_losses); }

double Equivalence::allowed_loss_error() const {
  return std::max(rounding.equal, rounding.factor * largest_error(disturbed_losses, serial_losses));
}

const ParameterError* Equivalence::worst() const {
  const auto most = std::max_element(errors.begin(), errors.end(),
                                     [](const ParameterError& a, const ParameterError& b) {
                                       return a.relative / a.allowed < b.relative / b.allowed;
                                     });
  return most == errors.end() ? nullptr : &*most;
}

bool Equivalence::holds() const {
  const ParameterError* most = worst();
  return missing.empty() && loss_error() <= allowed_loss_error() &&
         (most == nullptr || most->relative <= most->allowed);
}

Equivalence judge(const Graph& graph, std::span<const GradientDifference> differences,
                  std::vector<double> losses, std::vector<double> serial_losses,
                  std::vector<double> disturbed_losses, const Rounding& rounding) {
  std::map<std::pair<LayerId, std::size_t>, GradientDifference> sums;
  std::map<LayerId, double> squares;
  for (const GradientDifference& d : differences) {
    GradientDifference& sum = sums[{d.layer, d.parameter}];
    sum.difference += d.difference;
    sum.reference += d.reference;
    sum.noise += d.noise;
    squares[d.layer] += d.reference;
  }
  Equivalence result;
  ensure(losses.size() == serial_losses.size() && losses.size() == disturbed_losses.size(),
         "all runs took the same steps");
  result.rounding = rounding;
  result.losses = std::move(losses);
  result.serial_losses = std::move(serial_losses);
  result.disturbed_losses = std::move(disturbed_losses);
  for (LayerId id = 0; id < graph.size(); ++id) {
    for (std::size_t p = 0; p < graph[id].weights.size(); ++p) {
      if (graph[id].weights[p].owner != 0) continue;
      const std::string name = graph[id].name + ' ' + graph[id].weights[p].name;
      const auto found = sums.find({id, p});
      if (found == sums.end()) {
        result.missing.push_back(name);
        continue;
      }
      const double least = kLeastShare * std::sqrt(squares[id]);
      const double reference = std::max(std::sqrt(found->second.reference), least);
      result.errors.push_back({name, relative(std::sqrt(found->second.difference), reference),
                               relative(std::sqrt(found->second.noise), reference), 0});
    }
  }
  const double least = rounding.pooled ? mean_noise(result.errors) : 0;
  for (ParameterError& error : result.errors) {
    const double allowed = rounding.factor * std::max(error.noise, least);
    error.allowed = std::clamp(allowed, rounding.equal, kMostAllowed);
  }
  return result;
}

}  // namespace oracle
