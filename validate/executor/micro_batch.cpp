#include "validate/executor/micro_batch.h"

#include "oracle/base/error.h"

namespace oracle {

namespace {

/// Numbers of rows are fp32, and nothing but a table can be looked up by them where the other
/// tensors are not.
void refuse_other_readers(const Graph& graph, const Program& program, const StageProgram& stage) {
  const auto mixes = [&](Slot slot) {
    const SlotSpec& spec = program.slots[slot];
    return spec.fp32 && is_looked_up(graph, spec.layer);
  };
  for (const Operation& operation : stage.forward) {
    const auto* run = std::get_if<LayerRun>(&operation.what);
    if (run == nullptr) continue;
    const Layer& layer = graph[run->layer];
    const bool reads = !layer.looks_up && mixes(run->inputs.front());
    if (!reads && !mixes(run->output)) continue;
    throw InputError(layer.name,
                     reads ? "it computes with what is looked up in a table as integers"
                           : "it makes what is looked up in a table as integers",
                     "train in fp32");
  }
}

void refuse_products_by_tables(const Graph& graph, const Backend& backend) {
  if (backend.multiplies_by_tables()) return;
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (graph[owner_of_weights(graph, id).value_or(id)].kind == graph[id].kind) continue;
    throw InputError("layer " + graph[id].name,
                     "it shares a weight with a layer of another kind, which no kernel of the back "
                     "end \"" +
                         std::string(backend.name()) + "\" runs",
                     "give it weights of its own");
  }
}

}  // namespace

BoundProgram::BoundProgram(const Graph& graph, const Plan& plan, std::int64_t samples, int rank,
                           Backend& backend)
    : pieces_(graph, plan, samples),
      program_(bind(pieces_, rank)),
      backend_(backend),
      kernels_(program_.kernels.size()) {
  refuse_products_by_tables(graph, backend);
  if (backend.element() != Element::fp32) {
    for (const StageProgram& stage : program_.stages) refuse_other_readers(graph, program_, stage);
  }
  for (std::uint32_t index = 0; index < kernels_.size(); ++index) {
    if (!program_.kernels[index].drops) kernel(index, 0);
  }
}

Kernel& BoundProgram::kernel(std::uint32_t index, std::int64_t first_sample) {
  const KernelSpec& spec = program_.kernels[index];
  for (const Made& made : kernels_[index]) {
    if (!spec.drops || made.first_sample == first_sample) return *made.kernel;
  }
  LocalLayer layer = spec.layer;
  layer.place.samples += first_sample;
  if (layer.then != nullptr && !backend_.fuses(layer)) {
    throw InputError(layer.layer->name,
                     "the back end \"" + std::string(backend_.name()) +
                         "\" has no kernel that computes " + layer.then->name + " as well",
                     "add \"; fusion=off\" to the strategy, or plan for the device that trains");
  }
  kernels_[index].push_back({first_sample, backend_.kernel(layer)});
  return *kernels_[index].back().kernel;
}

MicroBatch::MicroBatch(BoundProgram& bound, Interval samples, Backend& backend)
    : bound_(bound),
      samples_(samples),
      backend_(backend),
      tensors_(bound.program().slots.size()),
      saved_(bound.program().kernels.size()),
      asked_(bound.program().kernels.size(), false) {}

Tensor* MicroBatch::find(Slot slot) {
  if (slot == kNoSlot) return nullptr;
  ensure(tensors_[slot] != nullptr, "a tensor is read after it was written");
  return tensors_[slot].get();
}

Tensor* MicroBatch::make(Slot slot) {
  if (slot == kNoSlot) return nullptr;
  if (tensors_[slot] == nullptr) {
    const SlotSpec& spec = bound_.program().slots[slot];
    tensors_[slot] = spec.fp32 ? backend_.fp32_tensor(spec.region.extents())
                               : backend_.tensor(spec.region.extents());
  }
  return tensors_[slot].get();
}

Tensor* MicroBatch::make_to_receive(Slot slot) {
  const SlotSpec& spec = bound_.program().slots[slot];
  if (tensors_[slot] == nullptr && !spec.fp32) {
    tensors_[slot] = backend_.tensor_between_layers(spec.region.extents());
  }
  return make(slot);
}

Saved* MicroBatch::saved(std::uint32_t index) {
  if (!asked_[index]) {
    saved_[index] = kernel(index).saved();
    asked_[index] = true;
  }
  return saved_[index].get();
}

void MicroBatch::keep_saved_for(std::span<const Operation> operations) {
  std::vector<bool> used(saved_.size(), false);
  for (const Operation& operation : operations) {
    if (const auto* run = std::get_if<LayerRun>(&operation.what)) used[run->kernel] = true;
  }
  for (std::size_t i = 0; i < saved_.size(); ++i) {
    if (!used[i]) saved_[i].reset();
  }
}

}  // namespace oracle
