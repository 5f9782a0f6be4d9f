#include "validate/checkpoint/collect.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "oracle/base/error.h"
#include "oracle/plan/exchanges/gradient_exchange.h"

namespace oracle {
namespace {

constexpr const char* kLabel = "state of a checkpoint";

std::string_view suffix_of(StateArray array) {
  switch (array) {
    case StateArray::first_moment:
      return ".first_moment";
    case StateArray::second_moment:
      return ".second_moment";
    default:
      return "";
  }
}

/// The whole parameter: filters (or, transposed, channels), the others of a group, the window; of
/// experts, matrices before these; of anything else features and what each of them has.
std::vector<std::int64_t> shape_of(const Layer& layer, const Weight& weight) {
  if (weight.name != "weight" || layer.reduction == 0) {
    if (weight.features_out == 1) return {weight.elements};
    if (weight.features_out == weight.elements) return {weight.elements};
    return {weight.features_out, weight.elements / weight.features_out};
  }
  const std::int64_t filters = layer.output.channels(), channels = layer.input.channels();
  std::vector<std::int64_t> shape;
  if (layer.routed == Routed::expert) shape.push_back(layer.experts);
  shape.push_back(layer.transposed ? channels : filters);
  shape.push_back((layer.transposed ? filters : channels) / layer.groups);
  bool inside = false;
  for (const std::int64_t size : layer.window.kernel) {
    inside = inside || size > 1;
    if (inside) shape.push_back(size);
  }
  return shape;
}

/// Visits every tensor of a network's state, in the order of the file.
template <typename Visit>
void for_each_tensor(const Graph& graph, const std::vector<StateArray>& arrays, Visit visit) {
  for (LayerId id = 0; id < graph.size(); ++id) {
    for (std::size_t p = 0; p < graph[id].weights.size(); ++p) {
      const Weight& weight = graph[id].weights[p];
      if (weight.owner != 0) continue;
      for (const StateArray array : arrays) {
        visit(id, p, array,
              TensorEntry{graph[id].name + "." + weight.name + std::string(suffix_of(array)),
                          shape_of(graph[id], weight)});
      }
    }
  }
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : "×") + std::to_string(size);
  return text.empty() ? "a single value" : text;
}

}  // namespace

bool has_shared_state(const Strategy& strategy) {
  const ChosenExchange exchange = chosen_exchange(strategy.exchange);
  const bool apart = exchange.averages() || exchange.servers() > 0;
  return !apart && (exchange.row == nullptr || !exchange.row->feedback);
}

std::vector<StateArray> arrays_of(const OptimizerStep& optimizer) {
  std::vector<StateArray> arrays = {StateArray::value};
  const bool adam = optimizer.second_moment > 0;
  if (adam || optimizer.momentum > 0) arrays.push_back(StateArray::first_moment);
  if (adam) arrays.push_back(StateArray::second_moment);
  return arrays;
}

StateCollector::StateCollector(const Graph& graph, const Plan& plan, const Executor& executor,
                               Backend& backend, Communicator& communicator,
                               const OptimizerStep& optimizer)
    : graph_(graph),
      executor_(executor),
      backend_(backend),
      communicator_(communicator),
      arrays_(arrays_of(optimizer)) {
  ensure(has_shared_state(plan.strategy), "the state of all ranks is that of one run");
  agree(own_parts());
}

std::vector<StateCollector::Part> StateCollector::own_parts() const {
  std::vector<Part> parts;
  for (const TrainedLayer& trained : executor_.program().trained) {
    for (std::size_t p = 0; p < trained.parameters.size(); ++p) {
      const Interval held = executor_.held_gradient(trained.layer, p);
      if (held.size() <= 0) continue;
      parts.push_back({communicator_.rank(), trained.layer, p, trained.parameters[p], held});
    }
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return std::tie(a.layer, a.parameter) < std::tie(b.layer, b.parameter);
  });
  return parts;
}

/// Rank 0 answers each of the others which of its parts it wants: 1 or 0 for each.
void StateCollector::agree(std::vector<Part> own) {
  std::ostringstream mine;
  for (const Part& p : own) {
    const ParameterSlice& s = p.slice;
    for (const std::int64_t number :
         {std::int64_t{p.layer}, static_cast<std::int64_t>(p.parameter), s.whole_rows,
          s.whole_columns, s.inner, s.rows.begin, s.rows.end, s.columns.begin, s.columns.end,
          s.matrices.begin, s.matrices.end, p.held.begin, p.held.end}) {
      mine << number << ' ';
    }
    mine << '\n';
  }
  const std::vector<std::string> texts = communicator_.gather(mine.str(), "parts of the state");
  std::vector<std::vector<float>> wanted(texts.size());
  using Place = std::tuple<LayerId, std::size_t, std::int64_t, std::int64_t>;
  std::map<Place, bool> seen;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    std::istringstream in(texts[rank]);
    Part p;
    p.rank = static_cast<int>(rank);
    ParameterSlice& s = p.slice;
    while (in >> p.layer >> p.parameter >> s.whole_rows >> s.whole_columns >> s.inner >>
           s.rows.begin >> s.rows.end >> s.columns.begin >> s.columns.end >> s.matrices.begin >>
           s.matrices.end >> p.held.begin >> p.held.end) {
      // Parts of a parameter are equal or apart: the first element tells.
      const Place place{p.layer, p.parameter, s.global_index(p.held.begin), p.held.size()};
      const bool first = seen.emplace(place, true).second;
      wanted[rank].push_back(first ? 1 : 0);
      if (first) given_.push_back(p);
    }
  }
  std::stable_sort(given_.begin(), given_.end(), [](const Part& a, const Part& b) {
    return std::tie(a.layer, a.parameter) < std::tie(b.layer, b.parameter);
  });
  const bool root = communicator_.rank() == 0;
  for (std::size_t rank = 1; root && rank < wanted.size(); ++rank) {
    const auto bytes = static_cast<std::int64_t>(wanted[rank].size() * sizeof(float));
    if (bytes == 0) continue;
    const auto buffer = backend_.buffer(bytes);
    buffer->write(wanted[rank].data(), bytes);
    const Peer to{static_cast<int>(rank), buffer->data(), bytes / kFloatBytes};
    communicator_.wait(communicator_.start_messages({&to, 1}, {}, Element::fp32, kLabel));
  }
  if (root || own.empty()) return;
  std::vector<float> answer(own.size());
  const auto bytes = static_cast<std::int64_t>(answer.size() * sizeof(float));
  const auto buffer = backend_.buffer(bytes);
  const Peer from{0, buffer->data(), bytes / kFloatBytes};
  communicator_.wait(communicator_.start_messages({}, {&from, 1}, Element::fp32, kLabel));
  buffer->read(answer.data(), bytes);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (answer[i] > 0) given_.push_back(own[i]);
  }
}

void StateCollector::send(const Part& part, StateArray array) const {
  const std::vector<float> values = executor_.state().state(part.layer, part.parameter, array);
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(float));
  const auto buffer = backend_.buffer(bytes);
  buffer->write(values.data(), bytes);
  const Peer to{0, buffer->data(), part.held.size()};
  communicator_.wait(communicator_.start_messages({&to, 1}, {}, Element::fp32, kLabel));
}

std::vector<float> StateCollector::received(const Part& part) const {
  std::vector<float> values(static_cast<std::size_t>(part.held.size()));
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(float));
  const auto buffer = backend_.buffer(bytes);
  const Peer from{part.rank, buffer->data(), part.held.size()};
  communicator_.wait(communicator_.start_messages({}, {&from, 1}, Element::fp32, kLabel));
  buffer->read(values.data(), bytes);
  return values;
}

void StateCollector::take(const Part& part, StateArray array, std::vector<float>& whole) const {
  const std::vector<float> values =
      part.rank == 0 ? executor_.state().state(part.layer, part.parameter, array) : received(part);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto local = part.held.begin + static_cast<std::int64_t>(i);
    whole[static_cast<std::size_t>(part.slice.global_index(local))] = values[i];
  }
}

std::vector<StateTensor> StateCollector::collect() const {
  std::vector<StateTensor> tensors;
  auto next = given_.begin();
  for_each_tensor(graph_, arrays_,
                  [&](LayerId id, std::size_t p, StateArray array, const TensorEntry& entry) {
                    const auto of_this = [&](const Part& part) {
                      return part.layer == id && part.parameter == p;
                    };
                    const auto end = std::find_if_not(next, given_.end(), of_this);
                    if (communicator_.rank() == 0) {
                      std::vector<float> whole(static_cast<std::size_t>(entry.elements()));
                      std::int64_t taken = 0;
                      std::for_each(next, end, [&](const Part& part) {
                        take(part, array, whole);
                        taken += part.held.size();
                      });
                      ensure(taken == entry.elements(), "the ranks hold each element of the state");
                      tensors.push_back({entry, std::move(whole)});
                    } else {
                      std::for_each(next, end, [&](const Part& part) { send(part, array); });
                    }
                    if (array == arrays_.back()) next = end;
                  });
  return tensors;
}

void require_state_of(const CheckpointFile& file, const Graph& graph,
                      const OptimizerStep& optimizer) {
  std::vector<Problem> problems;
  const std::string name = file.path().string();
  std::size_t known = 0;
  for_each_tensor(
      graph, arrays_of(optimizer),
      [&](LayerId, std::size_t, StateArray, const TensorEntry& wanted) {
        const TensorEntry* found = file.find(wanted.name);
        if (found == nullptr) {
          problems.push_back({name, "has no " + wanted.name, {}});
          return;
        }
        ++known;
        if (found->shape == wanted.shape) return;
        problems.push_back({name,
                            wanted.name + " is of " + shape_text(found->shape) + ", and " +
                                graph.name + " has " + shape_text(wanted.shape),
                            {}});
      });
  if (problems.empty() && known < file.tensors().size()) {
    problems.push_back({name,
                        "has " + std::to_string(file.tensors().size() - known) + " tensors that " +
                            graph.name + " does not know",
                        {}});
  }
  constexpr std::size_t kShown = 3;
  if (problems.size() > kShown) problems.resize(kShown);
  if (problems.empty()) return;
  problems.back().remedy = "resume with the network and optimizer that it is of";
  throw InputError(std::move(problems));
}

void restore(const CheckpointFile& file, const Graph& graph, const OptimizerStep& optimizer,
             Executor& executor) {
  const std::vector<StateArray> arrays = arrays_of(optimizer);
  std::map<LayerId, const TrainedLayer*> own;
  for (const TrainedLayer& trained : executor.program().trained) own[trained.layer] = &trained;
  for_each_tensor(
      graph, arrays, [&](LayerId id, std::size_t p, StateArray array, const TensorEntry& entry) {
        const auto found = own.find(id);
        if (found == own.end() || p >= found->second->parameters.size()) return;
        const ParameterSlice& slice = found->second->parameters[p];
        const std::vector<float> whole = file.read(entry.name);
        std::vector<float> values(static_cast<std::size_t>(slice.elements()));
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] =
              whole[static_cast<std::size_t>(slice.global_index(static_cast<std::int64_t>(i)))];
        }
        executor.state().set_state(id, p, array, values);
      });
  const CheckpointHead& head = file.head();
  StepCounters counters = executor.counters();
  counters.updates = head.updates;
  counters.loss_scale.value = head.loss_scale;
  counters.loss_scale.good = head.good_steps;
  executor.set_counters(counters);
}

}  // namespace oracle
