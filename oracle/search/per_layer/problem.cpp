#include "oracle/search/per_layer/problem.h"

#include <algorithm>
#include <unordered_map>

#include "oracle/cost/price.h"
#include "oracle/plan/emit.h"
#include "oracle/plan/fusion.h"
#include "oracle/plan/promotion.h"

namespace oracle::per_layer {
namespace {

Plan plan_on(std::span<const std::int64_t> degrees, const Training& training,
             const Strategy& base) {
  Plan plan;
  plan.strategy = base;
  plan.strategy.rules.clear();
  plan.strategy.mesh.clear();
  for (const std::int64_t degree : degrees) plan.strategy.mesh.push_back({degree, Cut::follow});
  plan.strategy.micro_batches = std::max<std::int64_t>(base.micro_batches, 1);
  plan.training = training;
  plan.degrees.assign(degrees.begin(), degrees.end());
  return plan;
}

/// The index of the variant, added where none is like it.
std::uint16_t keep(Variant variant, VariantTable& table) {
  for (std::size_t v = 0; v < table.variants.size(); ++v) {
    if (table.variants[v].effects == variant.effects) return static_cast<std::uint16_t>(v);
  }
  table.variants.push_back(std::move(variant));
  return static_cast<std::uint16_t>(table.variants.size() - 1);
}

bool has_sum(const Layout& layout) {
  return std::find(layout.begin(), layout.end(), State::partial) != layout.end();
}

}  // namespace

Problem::Problem(const Graph& graph, const Cluster& cluster, const Profile& profile,
                 const Training& training, std::span<const std::int64_t> degrees,
                 std::span<const Cut> cuts, const Strategy& base)
    : mesh_{graph, cluster, profile, plan_on(degrees, training, base),
            Codes(graph[0].output, degrees.size())},
      needs_gradient_(oracle::needs_gradient(graph)),
      reads_(graph.size(), 0) {
  for (const Layer& layer : graph.layers) {
    for (const LayerId input : layer.inputs) ++reads_[input];
  }
  const Fusions fusions = fusions_of(cluster.device, training.framework);
  fuses_.resize(graph.size(), false);
  fuses_backward_.resize(graph.size(), false);
  for (LayerId id = 1; base.fusion && id < graph.size(); ++id) {
    fuses_[id] = may_fuse(graph, id, fusions);
    fuses_backward_[id] = fuses_[id] && takes_backward_along(*fusion_with_its_input(graph, id));
  }
  list_choices(cuts);
  make_steps();
  make_tables();
}

void Problem::list_choices(std::span<const Cut> cuts) {
  const std::size_t axes = mesh_.plan.degrees.size();
  choices_ = {{}};
  for (std::size_t a = 0; a < axes; ++a) {
    std::vector<std::vector<Cut>> longer;
    for (const std::vector<Cut>& choice : choices_) {
      for (const Cut cut : cuts) {
        longer.push_back(choice);
        longer.back().push_back(cut);
      }
    }
    choices_ = std::move(longer);
  }
}

void Problem::make_steps() {
  const Graph& graph = mesh_.graph;
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (graph[id].mixing != Mixing::contraction) continue;
    const LayerId first = steps_.empty() ? 1 : id;
    if (!steps_.empty()) steps_.back().end = id;
    steps_.push_back({first, id, graph.size(), {}, {}});
  }
  for (Step& step : steps_) {
    for (LayerId id = 0; id < step.first; ++id) {
      const bool known = id > 0 || step.first > 1;
      if (known && graph.consumers[id].back() >= step.first) step.live.push_back(id);
    }
  }
}

void Problem::make_tables() {
  const Graph& graph = mesh_.graph;
  std::unordered_map<std::string, std::uint32_t> known;
  class_of_.resize(graph.size());
  tables_.resize(1);  // of the input, which has variants of its own
  speaks_for_ = {0};
  rate_update();
  for (LayerId id = 1; id < graph.size(); ++id) {
    std::string key = class_key(graph, id, needs_gradient_) + (fuses_[id] ? "f" : "") +
                      (fuses_backward_[id] ? "b" : "") + (mesh_.plan.is_wide(id) ? "w" : "");
    for (const LayerId input : graph[id].inputs) key += mesh_.plan.is_wide(input) ? "w" : "n";
    const auto [row, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(tables_.size()));
    class_of_[id] = row->second;
    if (!is_new) continue;
    VariantTable& table = tables_.emplace_back();
    speaks_for_.push_back(id);
    if (graph[id].mixing == Mixing::contraction) {
      fill_contraction(id, table);
    } else {
      fill_follower(id, table);
    }
    for (const Variant& variant : table.variants) table.parts.push_back(parts_of(id, variant));
  }
  rate_exchange();
  for (Step& step : steps_) {
    const VariantTable& own = table(step.contraction);
    std::vector<bool> seen(own.variants.size(), false);
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      const std::uint16_t variant = own.by_choice[c];
      if (variant == kRefused || seen[variant]) continue;
      seen[variant] = true;
      step.choices.push_back(static_cast<std::uint16_t>(c));
    }
  }
  for (const std::vector<Cut>& choice : choices_) {
    Variant& variant = inputs_.emplace_back();
    const bool decides = graph[1].mixing == Mixing::contraction;
    if (!decides) continue;
    const auto effects = effects_of(graph, Assignment{}, 0, choice, mesh_.plan.degrees);
    if (const Effects* loaded = std::get_if<Effects>(&effects)) {
      Layout layout{};
      for (std::size_t a = 0; a < choice.size(); ++a) layout[a] = (*loaded)[a].output;
      variant.output = variant.gradient = mesh_.codes.encode(layout);
    }
  }
}

void Problem::fill_contraction(LayerId id, VariantTable& table) const {
  VariantPricer pricer(mesh_, id, needs_gradient_);
  for (const std::vector<Cut>& choice : choices_) {
    Variant variant;
    table.by_choice.push_back(
        pricer.price(choice, Layout{}, variant) ? keep(std::move(variant), table) : kRefused);
  }
}

/// A sum that reaches a follower is completed first, so it need not be told from a whole tensor.
void Problem::fill_follower(LayerId id, VariantTable& table) const {
  VariantPricer pricer(mesh_, id, needs_gradient_);
  const std::vector<Cut> follow(mesh_.plan.degrees.size(), Cut::follow);
  table.by_code.assign(mesh_.codes.size(), kRefused);
  for (std::size_t code = 0; code < mesh_.codes.size(); ++code) {
    const Layout& incoming = mesh_.codes.decode(static_cast<Code>(code));
    if (has_sum(incoming)) continue;
    Variant variant;
    if (pricer.price(follow, incoming, variant))
      table.by_code[code] = keep(std::move(variant), table);
  }
  for (std::size_t code = 0; code < mesh_.codes.size(); ++code) {
    Layout incoming = mesh_.codes.decode(static_cast<Code>(code));
    if (!has_sum(incoming)) continue;
    std::replace(incoming.begin(), incoming.end(), State::partial, State::replicated);
    table.by_code[code] = table.by_code[mesh_.codes.encode(incoming)];
  }
}

/// Of a value of the output: what layers keep of it for backward, linears maybe in fewer bits.
double Problem::kept_bytes(LayerId id) const {
  const Graph& graph = mesh_.graph;
  const Precision& precision = mesh_.plan.training.precision;
  const double stored = value_bytes(graph, mesh_.plan, id);
  bool wide = graph[id].keeps_output && !fuses_backward_[id], narrow = false;
  double casts = 0;
  for (const LayerId reader : graph.consumers[id]) {
    if (!keeps_input(graph[reader], mesh_.plan.training)) continue;
    const double read = value_bytes_read(graph, mesh_.plan, id, reader);
    if (read != stored) {
      casts += read;
    } else {
      (is_narrow(graph[reader], precision) ? narrow : wide) = true;
    }
  }
  return casts + (wide ? stored : 0) + (narrow ? precision.narrow.value_bytes() : 0);
}

Parts Problem::parts_of(LayerId id, const Variant& variant) const {
  const Training& training = mesh_.plan.training;
  const WeightBytes weight = WeightBytes::of(mesh_.graph[id], training.precision);
  Parts parts;
  // What fuses is the edge's where it does not, see Expander::read.
  parts[Part::forward] = fuses_[id] ? 0 : variant.forward;
  parts[Part::backward] =
      fuses_backward_[id] ? 0 : variant.backward_data + variant.backward_weights;
  parts[Part::forward_transfers] = variant.forward_transfers;
  parts[Part::backward_transfers] = variant.backward_transfers;
  const double learned = mesh_.graph[id].frozen ? 0 : variant.weights;
  parts[Part::update] = update_rate_ * learned;
  const double state = bytes_per_parameter(training) - training.precision.weight_bytes;
  parts[Part::memory] = learned * state + variant.weights * (weight.kept + weight.cast) +
                        variant.kept * kept_bytes(id);
  return parts;
}

/// The update is one kernel that streams: a launch, and so much per parameter.
void Problem::rate_update() {
  constexpr std::int64_t kMany = 1'000'000;
  Plan plan = mesh_.plan;
  plan.pieces.resize(1);
  Stage stage;
  stage.last = 1;
  const auto time = [&](std::int64_t weights) {
    plan.pieces[0].weights = weights;
    return price_work(mesh_.graph, plan, stage, {kAllLayers, Pass::update}, mesh_.cluster,
                      mesh_.profile)
        .time.value;
  };
  const double once = time(kMany), twice = time(2 * kMany);
  update_rate_ = (twice - once) / static_cast<double>(kMany);
  update_launch_ = mesh_.graph.learned_parameters() > 0 ? std::max(0.0, 2 * once - twice) : 0;
}

/// Exchange of buckets costs latency once and bytes as they are: no byte is cheaper than in the
/// largest bucket there can be. Within a piece of a fit and for one algorithm that holds; where
/// pieces meet, both ends are looked at.
double Problem::exchange_rate(AxisSet axes, double most) const {
  const auto price = [&](double bytes) {
    const Transfer transfer{Collective::all_reduce, axes, Bytes{bytes}, Payload::weight_gradient,
                            0};
    return price_transfer(mesh_.plan, transfer, mesh_.cluster, mesh_.profile).cost.time.value;
  };
  constexpr double kJustBelow = 1 - 1e-9;
  double rate = price(most) / most;
  const auto ranks = static_cast<double>(mesh_.plan.group_size(axes));
  for (const LinkFit& fit : mesh_.profile.links) {
    for (const LinkPiece& piece : fit.pieces) {
      const double end = piece.from.value * ranks * kJustBelow;
      if (end > 0 && end < most) rate = std::min(rate, price(end) / end);
    }
  }
  return rate * kJustBelow;
}

void Problem::rate_exchange() {
  const std::size_t sets = std::size_t{1} << mesh_.plan.degrees.size();
  std::vector<double> sum(sets), largest(sets), rate(sets);
  for (LayerId id = 1; id < mesh_.graph.size(); ++id) {
    std::vector<double> own(sets);
    for (const Variant& variant : table(id).variants) {
      own[variant.exchange_axes] =
          std::max(own[variant.exchange_axes], variant.exchange_bytes.value);
    }
    for (std::size_t axes = 1; axes < sets; ++axes) {
      sum[axes] += own[axes];
      largest[axes] = std::max(largest[axes], own[axes]);
    }
  }
  for (std::size_t axes = 1; axes < sets; ++axes) {
    const double most = std::min(sum[axes], largest[axes] + mesh_.plan.strategy.bucket.value);
    if (most > 0) rate[axes] = exchange_rate(static_cast<AxisSet>(axes), most);
  }
  for (VariantTable& table : tables_) {
    for (std::size_t v = 0; v < table.variants.size(); ++v) {
      const Variant& variant = table.variants[v];
      table.parts[v][Part::exchange] = rate[variant.exchange_axes] * variant.exchange_bytes.value;
    }
  }
}

double Problem::least(const Step& step, const Weighting& weighting) const {
  double sum = 0;
  for (LayerId id = step.first; id < step.end; ++id) {
    double least = kInfinite;
    for (const Parts& parts : table(id).parts) least = std::min(least, weighting.of(parts));
    sum += least;
  }
  return sum;
}

std::vector<Weighting> Problem::bounds() const {
  const auto m = static_cast<double>(mesh_.plan.strategy.micro_batches);
  const double serial_exchange = mesh_.plan.strategy.overlap ? 0 : 1;
  //                        forward, backward; transfers  exchange    update memory
  const Weighting compute{{m, m, m, m, serial_exchange, 1, 0}};
  const Weighting gradients{{m, m - 1, m, m - 1, 1, 1, 0}};
  const auto mean = [](const Weighting& a, const Weighting& b, double share) {
    Weighting mixed;
    for (std::size_t i = 0; i < kParts; ++i) {
      mixed.weight[i] = (1 - share) * a.weight[i] + share * b.weight[i];
    }
    return mixed;
  };
  std::vector<Weighting> all = {compute};
  if (serial_exchange == 0) {
    for (const double share : {0.3, 0.6, 1.0}) all.push_back(mean(compute, gradients, share));
  }
  return all;
}

}  // namespace oracle::per_layer
