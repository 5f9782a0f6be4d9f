#include "validate/executor/state_shards.h"

#include <algorithm>
#include <utility>

#include "oracle/base/error.h"

namespace oracle {
namespace {

/// Of the parameters that come first.
std::int64_t elements_before(const Weights& weights, std::size_t parameter) {
  std::int64_t before = 0;
  for (std::size_t i = 0; i < parameter; ++i) before += weights.elements(i);
  return before;
}

Moment moment_of(StateArray array) {
  return array == StateArray::first_moment ? Moment::first : Moment::second;
}

double bytes_sent(Collective collective, std::int64_t elements, std::int64_t members) {
  return sent_bytes(collective, Bytes{static_cast<double>(elements * kFloatBytes)}, members).value;
}

}  // namespace

StateShards::StateShards(const Plan& plan, const Program& program, const TrainedLayers& trained,
                         Backend& backend, Communicator& communicator, const RankGroups& groups,
                         const RankGroups& exchange_groups)
    : trained_(trained),
      backend_(backend),
      communicator_(communicator),
      groups_(groups),
      exchange_groups_(exchange_groups) {
  if (plan.strategy.zero > 0 && !backend.shards_state()) {
    throw InputError(
        "--strategy",
        "the back end \"" + std::string(backend.name()) + "\" keeps no state in shards",
        "leave out zero=");
  }
  const Mesh mesh(plan.degrees);
  for (const TrainedLayer& layer : program.trained) {
    Shard shard;
    shard.members = plan.shards(layer.layer);
    if (shard.members == 1) continue;
    shard.own = mesh.number(program.rank, plan.shard_axes(layer.layer));
    // A rank may hold less than the plan counts: a bias that another adds.
    shard.part = plan.in_shards(layer.layer, plan.pieces[layer.layer].weights) / shard.members;
    if (plan.strategy.shards_gradients()) {
      shard.gradient = zeros(shard.part);
      trained.find(layer.layer)->drop_gradients();
    }
    if (plan.strategy.zero >= 3) {
      const auto whole = zeros(shard.all());
      read_whole(layer.layer, false, floats_of(whole));
      shard.value = floats(shard.part);
      std::copy_n(floats_of(whole) + shard.own * shard.part, shard.part, floats_of(shard.value));
      trained.find(layer.layer)->drop_values();
    }
    shards_.emplace(layer.layer, std::move(shard));
  }
}

const StateShards::Shard* StateShards::find(LayerId id) const {
  const auto found = shards_.find(trained_.owner(id));
  return found == shards_.end() ? nullptr : &found->second;
}

std::int64_t StateShards::part(LayerId id) const {
  const Shard* shard = find(id);
  return shard == nullptr ? trained_.elements(id) : shard->part;
}

std::int64_t StateShards::all_parts(LayerId id) const {
  const Shard* shard = find(id);
  return shard == nullptr ? trained_.elements(id) : shard->all();
}

std::int64_t StateShards::own(LayerId id) const {
  const Shard* shard = find(id);
  return shard == nullptr ? 0 : shard->own;
}

Interval StateShards::held(LayerId id, std::size_t parameter) const {
  const std::int64_t count = trained_.find(id)->elements(parameter);
  const Shard* shard = find(id);
  if (shard == nullptr) return {0, count};
  const std::int64_t begin =
      shard->own * shard->part - elements_before(*trained_.find(id), parameter);
  return {std::clamp<std::int64_t>(begin, 0, count),
          std::clamp<std::int64_t>(begin + shard->part, 0, count)};
}

std::vector<float> StateShards::gradient(LayerId id, std::size_t parameter) const {
  const Weights& weights = *trained_.find(id);
  const Interval range = held(id, parameter);
  const Shard* shard = find(id);
  if (shard == nullptr || !shard->gradient) {
    std::vector<float> values(static_cast<std::size_t>(weights.elements(parameter)));
    weights.read_gradient(parameter, values.data());
    return {values.begin() + range.begin, values.begin() + range.end};
  }
  const float* begin = floats_of(shard->gradient) + place(id, parameter);
  return range.size() <= 0 ? std::vector<float>{} : std::vector<float>(begin, begin + range.size());
}

std::int64_t StateShards::place(LayerId id, std::size_t parameter) const {
  const Shard& shard = *find(id);
  return elements_before(*trained_.find(id), parameter) + held(id, parameter).begin -
         shard.own * shard.part;
}

const std::unique_ptr<Buffer>& StateShards::Shard::of(StateArray array) const {
  if (array == StateArray::value) return value;
  return array == StateArray::first_moment ? first_moment : second_moment;
}

std::unique_ptr<Buffer>& StateShards::Shard::of(StateArray array) {
  return const_cast<std::unique_ptr<Buffer>&>(std::as_const(*this).of(array));
}

std::vector<float> StateShards::state(LayerId id, std::size_t parameter, StateArray array) const {
  const Interval range = held(id, parameter);
  const Shard* shard = find(id);
  const bool moment = array != StateArray::value;
  if (shard != nullptr && (moment || shard->value)) {
    std::vector<float> values(static_cast<std::size_t>(std::max<std::int64_t>(range.size(), 0)));
    const std::unique_ptr<Buffer>& buffer = shard->of(array);
    if (buffer && !values.empty()) {
      std::copy_n(floats_of(buffer) + place(id, parameter), values.size(), values.begin());
    }
    return values;
  }
  const Weights& weights = *trained_.find(id);
  std::vector<float> values(static_cast<std::size_t>(weights.elements(parameter)));
  moment ? weights.read_moment(parameter, moment_of(array), values.data())
         : weights.read(parameter, values.data());
  return {values.begin() + range.begin, values.begin() + range.end};
}

void StateShards::set_state(LayerId id, std::size_t parameter, StateArray array,
                            const std::vector<float>& values) {
  Weights& weights = *trained_.find(id);
  ensure(static_cast<std::int64_t>(values.size()) == weights.elements(parameter),
         "a parameter's state has as many elements as this rank has of it");
  const bool moment = array != StateArray::value;
  if (!in_shards(id)) {
    moment ? weights.write_moment(parameter, moment_of(array), values.data())
           : weights.write(parameter, values.data());
    return;
  }
  Shard& own = shard(id);
  std::unique_ptr<Buffer>& buffer = own.of(array);
  if (!moment && !buffer) return weights.write(parameter, values.data());
  if (!buffer) buffer = zeros(own.part);
  const Interval range = held(id, parameter);
  if (range.size() <= 0) return;
  std::copy_n(values.begin() + range.begin, range.size(), floats_of(buffer) + place(id, parameter));
}

void StateShards::begin_step() {
  for (auto& [id, shard] : shards_) shard.accumulates = false;
}

double StateShards::gather(const WeightGather& gather) {
  const GroupId group = groups_.at(gather.axes).id;
  std::int64_t total = 0;
  for (const LayerId id : gather.layers) total += shard(id).all();
  const auto arriving = floats(total);
  std::vector<Ticket> tickets;
  float* begin = floats_of(arriving);
  for (const LayerId id : gather.layers) {
    const Shard& from = shard(id);
    tickets.push_back(communicator_.start_all_gather(group, floats_of(from.value), begin, from.part,
                                                     Element::fp32, "all_gather of weights"));
    begin += from.all();
  }
  for (const Ticket ticket : tickets) communicator_.wait(ticket);
  begin = floats_of(arriving);
  for (const LayerId id : gather.layers) {
    write_whole(id, begin);
    begin += shard(id).all();
    ++shard(id).uses;
  }
  return bytes_sent(Collective::all_gather, total, groups_.at(gather.axes).size);
}

void StateShards::release(const WeightGather& gather) {
  for (const LayerId id : gather.layers) {
    if (--shard(id).uses == 0) trained_.find(id)->drop_values();
  }
}

double StateShards::scatter(const GradientScatter& scatter) {
  const RankGroup& group = groups_.at(scatter.axes);
  std::int64_t total = 0;
  for (const LayerId id : scatter.layers) total += shard(id).all();
  const auto given = zeros(total);
  float* begin = floats_of(given);
  for (const LayerId id : scatter.layers) {
    read_whole(id, true, begin);
    begin += shard(id).all();
  }
  for (const LayerId id : scatter.layers) trained_.find(id)->drop_gradients();
  taken_ = floats(total / group.size);
  std::vector<Ticket> tickets;
  begin = floats_of(given);
  float* sum = floats_of(taken_);
  for (const LayerId id : scatter.layers) {
    const Shard& to = shard(id);
    tickets.push_back(communicator_.start_reduce_scatter(
        group.id, begin, sum, to.part, Element::fp32, "reduce_scatter of gradients"));
    begin += to.all();
    sum += to.part;
  }
  for (const Ticket ticket : tickets) communicator_.wait(ticket);
  if (scatter.is_all) add_to_gradients(scatter.layers);
  return bytes_sent(Collective::reduce_scatter, total, group.size);
}

double StateShards::sum(const ShardSum& sum) {
  const RankGroup& group = groups_.at(sum.axes);
  std::int64_t count = 0;
  for (const LayerId id : sum.layers) count += shard(id).part;
  communicator_.wait(communicator_.start_all_reduce(group.id, floats_of(taken_), count,
                                                    Element::fp32, "all_reduce of shards"));
  add_to_gradients(sum.layers);
  return bytes_sent(Collective::all_reduce, count, group.size);
}

void StateShards::add_to_gradients(const std::vector<LayerId>& layers) {
  const float* sum = floats_of(taken_);
  for (const LayerId id : layers) {
    Shard& to = shard(id);
    float* gradient = floats_of(to.gradient);
    for (std::int64_t i = 0; i < to.part; ++i) {
      gradient[i] = to.accumulates ? gradient[i] + sum[i] : sum[i];
    }
    to.accumulates = true;
    sum += to.part;
  }
  taken_.reset();
}

/// One layer after the other, so that little is held beside the weights.
double StateShards::gather_updated(const WeightGather& gather) {
  const RankGroup& group = exchange_groups_.at(gather.axes);
  std::int64_t total = 0;
  for (const LayerId id : gather.layers) {
    const Shard& from = shard(id);
    const auto whole = zeros(from.all());
    read_whole(id, false, floats_of(whole));
    const auto own = floats(from.part);
    std::copy_n(floats_of(whole) + from.own * from.part, from.part, floats_of(own));
    communicator_.wait(communicator_.start_all_gather(group.id, floats_of(own), floats_of(whole),
                                                      from.part, Element::fp32,
                                                      "all_gather of updated weights"));
    write_whole(id, floats_of(whole));
    total += from.all();
  }
  return bytes_sent(Collective::all_gather, total, group.size);
}

void StateShards::update(const OptimizerStep& step, const LayerSpan& layers) {
  const auto end = shards_.upper_bound(layers.last);
  for (auto next = shards_.lower_bound(layers.first); next != end; ++next) {
    make_moments(next->second, step);
    update(next->first, next->second, step);
  }
}

void StateShards::make_moments(Shard& shard, const OptimizerStep& step) const {
  const bool adam = step.second_moment > 0;
  if ((adam || step.momentum > 0) && !shard.first_moment) shard.first_moment = zeros(shard.part);
  if (adam && !shard.second_moment) shard.second_moment = zeros(shard.part);
}

void StateShards::update(LayerId id, Shard& shard, const OptimizerStep& step) const {
  StateShard state{floats_of(shard.value), floats_of(shard.gradient), floats_of(shard.first_moment),
                   floats_of(shard.second_moment), shard.part};
  std::unique_ptr<Buffer> value, gradient;
  if (!shard.value) {
    value = zeros(shard.all());
    read_whole(id, false, floats_of(value));
    state.value = floats_of(value) + shard.own * shard.part;
  }
  if (!shard.gradient) {
    gradient = zeros(shard.all());
    read_whole(id, true, floats_of(gradient));
    state.gradient = floats_of(gradient) + shard.own * shard.part;
  }
  backend_.update(state, step);
  if (value) write_whole(id, floats_of(value));
}

std::unique_ptr<Buffer> StateShards::floats(std::int64_t count) const {
  return backend_.buffer(count * kFloatBytes);
}

std::unique_ptr<Buffer> StateShards::zeros(std::int64_t count) const {
  auto made = floats(count);
  made->zero(0, made->bytes());
  return made;
}

void StateShards::read_whole(LayerId id, bool gradients, float* to) const {
  const Weights& weights = *trained_.find(id);
  for (std::size_t i = 0; i < trained_.parameters(id); ++i) {
    gradients ? weights.read_gradient(i, to) : weights.read(i, to);
    to += weights.elements(i);
  }
}

void StateShards::write_whole(LayerId id, const float* from) const {
  Weights& weights = *trained_.find(id);
  for (std::size_t i = 0; i < trained_.parameters(id); ++i) {
    weights.write(i, from);
    from += weights.elements(i);
  }
}

}  // namespace oracle
