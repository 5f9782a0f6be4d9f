// cuDNN's graph API, as its documentation describes it, for graphs of one convolution: descriptors
// that are given attributes, finalized, and then asked or given to others. A descriptor refers to
// those that it was given, so that whoever destroys one too early is found out.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cudnn.h>
#include <map>
#include <optional>
#include <vector>

#include "tests/emulated_gpu/cudnn_operands.h"
#include "tests/emulated_gpu/memory.h"
#include "tests/emulated_gpu/stream.h"

namespace emulated = oracle::emulated;
using emulated::Slide;
using emulated::Strided;
using emulated::Values;

namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kWorkspace = 1000;
constexpr std::uintptr_t kAlignment = 16;

/// Of these the first cannot be built, the next wants more memory than there is, the next is not
/// deterministic; of the two that run, one rounds fp32 factors and one takes no others.
enum Engine : std::int64_t { unbuilt = 10, greedy, varying, rounding, exact };

std::size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    default:
      return 4;
  }
}

struct Attribute {
  cudnnBackendAttributeType_t type;
  std::vector<std::byte> bytes;
};

struct Descriptor {
  cudnnBackendDescriptorType_t type;
  bool finalized = false;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes;

  template <class T>
  std::vector<T> values(cudnnBackendAttributeName_t name) const {
    const auto found = attributes.find(name);
    if (found == attributes.end()) return {};
    std::vector<T> read(found->second.bytes.size() / sizeof(T));
    std::memcpy(read.data(), found->second.bytes.data(), read.size() * sizeof(T));
    return read;
  }
  Numbers numbers(cudnnBackendAttributeName_t name) const { return values<std::int64_t>(name); }
  template <class T>
  std::optional<T> one(cudnnBackendAttributeName_t name) const {
    const std::vector<T> all = values<T>(name);
    return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
  }
  const Descriptor* other(cudnnBackendAttributeName_t name) const {
    return one<const Descriptor*>(name).value_or(nullptr);
  }
  template <class T>
  void put(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t as, T value) {
    Attribute& attribute = attributes[name];
    attribute = {as, std::vector<std::byte>(sizeof(T))};
    std::memcpy(attribute.bytes.data(), &value, sizeof(T));
  }
};

Descriptor& at(cudnnBackendDescriptor_t descriptor) {
  return *static_cast<Descriptor*>(descriptor);
}

/// Attributes of an operation's operands.
struct Names {
  cudnnBackendAttributeName_t x, w, y, window, alpha, beta;
};
const std::map<cudnnBackendDescriptorType_t, Names>& operations() {
  static const std::map<cudnnBackendDescriptorType_t, Names> all = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA}},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA}},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}}};
  return all;
}

struct Tensor {
  Strided laid;
  std::int64_t number = 0;
};

std::optional<Tensor> tensor_of(const Descriptor& from) {
  const auto type = from.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
  const auto number = from.one<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  const auto alignment = from.one<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  Tensor made;
  made.laid.dims = from.numbers(CUDNN_ATTR_TENSOR_DIMENSIONS);
  made.laid.strides = from.numbers(CUDNN_ATTR_TENSOR_STRIDES);
  const std::size_t rank = made.laid.dims.size();
  if (!type || !number || alignment != kAlignment || rank < 4 || rank > 5 ||
      made.laid.strides.size() != rank) {
    return std::nullopt;
  }
  made.number = *number;
  made.laid.type = *type == CUDNN_DATA_BFLOAT16 ? oracle::Element::bf16
                   : *type == CUDNN_DATA_HALF   ? oracle::Element::fp16
                                                : oracle::Element::fp32;
  return made;
}

std::optional<Slide> slide_of(const Descriptor& from) {
  Slide slide{from.numbers(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
              from.numbers(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
              from.numbers(CUDNN_ATTR_CONVOLUTION_DILATIONS)};
  const auto axes = from.one<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS).value_or(0);
  const bool whole = axes == std::ssize(slide.pad) && axes == std::ssize(slide.stride) &&
                     axes == std::ssize(slide.dilation) &&
                     from.numbers(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS) == slide.pad;
  const bool known =
      from.one<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE) == CUDNN_DATA_FLOAT &&
      from.one<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) == CUDNN_CROSS_CORRELATION;
  return whole && known ? std::optional(slide) : std::nullopt;
}

struct Operation {
  cudnnBackendDescriptorType_t type;
  Tensor x, w, y;
  Slide slide;
};

/// As many groups as the filter's channels go into the input's.
std::optional<Operation> operation_of(const Descriptor& from) {
  const Names& names = operations().at(from.type);
  const Descriptor* given[] = {from.other(names.x), from.other(names.w), from.other(names.y),
                               from.other(names.window)};
  if (std::find(std::begin(given), std::end(given), nullptr) != std::end(given)) {
    return std::nullopt;
  }
  const auto x = tensor_of(*given[0]);
  const auto w = tensor_of(*given[1]);
  const auto y = tensor_of(*given[2]);
  auto slide = slide_of(*given[3]);
  if (!x || !w || !y || !slide || x->laid.type != w->laid.type || x->laid.type != y->laid.type) {
    return std::nullopt;
  }
  if (from.one<float>(names.alpha) != 1.0F || from.one<float>(names.beta) != 0.0F) {
    return std::nullopt;
  }
  slide->groups = x->laid.dims[1] / w->laid.dims[1];
  if (!fit(x->laid.dims, w->laid.dims, y->laid.dims, *slide)) return std::nullopt;
  return Operation{from.type, *x, *w, *y, *slide};
}

std::optional<Operation> only_operation(const Descriptor* graph) {
  if (graph == nullptr) return std::nullopt;
  const Descriptor* operation = graph->other(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  return operation == nullptr ? std::nullopt : operation_of(*operation);
}

/// Engines take channels in eights, innermost, in one group.
Numbers engines_of(const Descriptor& heuristics) {
  const auto of = only_operation(heuristics.other(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH));
  if (!of || of->slide.groups != 1 || of->x.laid.strides[1] != 1) return {};
  if (of->w.laid.dims[0] % 8 != 0 || of->w.laid.dims[1] % 8 != 0) return {};
  const auto mode = heuristics.one<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
  if (mode == CUDNN_HEUR_MODE_A) return {unbuilt, greedy, varying, rounding};
  if (mode == CUDNN_HEUR_MODE_FALLBACK && of->x.laid.type == oracle::Element::fp32) return {exact};
  return {};
}

std::vector<cudnnBackendNumericalNote_t> notes_of(std::int64_t engine) {
  if (engine == exact) return {};
  if (engine == varying) {
    return {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
  }
  return {CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
}

bool whole(const Descriptor& descriptor) {
  switch (descriptor.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      return tensor_of(descriptor).has_value();
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
      return slide_of(descriptor).has_value();
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return only_operation(&descriptor).has_value() &&
             descriptor.one<cudnnHandle_t>(CUDNN_ATTR_OPERATIONGRAPH_HANDLE).has_value();
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      return descriptor.other(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH) != nullptr;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: {
      const Descriptor* by = descriptor.other(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
      return by != nullptr && by->one<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX) != unbuilt &&
             descriptor.one<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE).has_value();
    }
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      return descriptor.numbers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS).size() ==
             descriptor.values<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS).size();
    default:
      return operations().contains(descriptor.type) && operation_of(descriptor).has_value();
  }
}

/// Fills what whoever asks has made: configurations of engines, or the engine of one.
cudnnStatus_t fill(const Descriptor& of, const Numbers& engines, std::int64_t most,
                   std::int64_t* count, void* made) {
  *count = std::ssize(engines);
  if (most == 0) return CUDNN_STATUS_SUCCESS;
  *count = std::min(*count, most);
  for (std::int64_t i = 0; i < *count; ++i) {
    Descriptor& one = at(static_cast<cudnnBackendDescriptor_t*>(made)[i]);
    if (one.finalized) return CUDNN_STATUS_BAD_PARAM;
    one.put(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, engines[static_cast<std::size_t>(i)]);
    one.put(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, &of);
    one.finalized = true;
  }
  return CUDNN_STATUS_SUCCESS;
}

template <class T>
cudnnStatus_t give(const std::vector<T>& values, std::int64_t most, std::int64_t* count,
                   void* made) {
  *count = std::ssize(values);
  const auto given = static_cast<std::size_t>(std::min(most, *count));
  if (given > 0) std::memcpy(made, values.data(), given * sizeof(T));
  return CUDNN_STATUS_SUCCESS;
}

void compute(const Operation& of, const std::map<std::int64_t, void*>& data) {
  void* x = data.at(of.x.number);
  void* w = data.at(of.w.number);
  void* y = data.at(of.y.number);
  const auto shape = shape_of(of.x.laid.dims, of.w.laid.dims, of.y.laid.dims, of.slide);
  if (of.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) {
    write(of.y.laid, y, convolution_forward(shape, read(of.x.laid, x), read(of.w.laid, w)));
  } else if (of.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR) {
    write(of.x.laid, x, convolution_backward_data(shape, read(of.w.laid, w), read(of.y.laid, y)));
  } else {
    write(of.w.laid, w, convolution_backward_filter(shape, read(of.x.laid, x), read(of.y.laid, y)));
  }
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* made) {
  *made = new Descriptor{type, false, {}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete static_cast<Descriptor*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void* values) {
  if (at(descriptor).finalized || count < 1) return CUDNN_STATUS_BAD_PARAM;
  const auto* begin = static_cast<const std::byte*>(values);
  Attribute attribute{type, {begin, begin + static_cast<std::size_t>(count) * size_of(type)}};
  at(descriptor).attributes[name] = attribute;
  if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) return CUDNN_STATUS_SUCCESS;
  const auto given = at(descriptor).values<const Descriptor*>(name);
  return std::all_of(given.begin(), given.end(), [](const auto* one) { return one->finalized; })
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  if (!whole(at(descriptor))) return CUDNN_STATUS_NOT_SUPPORTED;
  at(descriptor).finalized = true;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t, int64_t most, int64_t* count,
                                       void* values) {
  const Descriptor& of = at(descriptor);
  if (!of.finalized) return CUDNN_STATUS_BAD_PARAM;
  const Numbers engine = of.numbers(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  switch (name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
      return fill(*of.other(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH), engines_of(of), most, count,
                  values);
    case CUDNN_ATTR_ENGINECFG_ENGINE:
      return fill(*of.other(CUDNN_ATTR_ENGINE_OPERATION_GRAPH), engine, most, count, values);
    case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
      return give(engine, most, count, values);
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
      return give(notes_of(engine.at(0)), most, count, values);
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE: {
      const Descriptor* by = of.other(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
      const bool wants_much = by->numbers(CUDNN_ATTR_ENGINE_GLOBAL_INDEX).at(0) == greedy;
      return give(Numbers{wants_much ? std::int64_t{1} << 40 : kWorkspace}, most, count, values);
    }
    default:
      return CUDNN_STATUS_BAD_PARAM;
  }
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  const Descriptor* by = at(plan).other(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  const auto of = only_operation(by->other(CUDNN_ATTR_ENGINE_OPERATION_GRAPH));
  const Numbers numbers = at(pack).numbers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto pointers = at(pack).values<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  void* workspace = at(pack).one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE).value_or(nullptr);
  if (!of || !emulated::is_device(workspace)) return CUDNN_STATUS_BAD_PARAM;
  std::map<std::int64_t, void*> data;
  std::vector<const void*> touched{workspace};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!emulated::is_device(pointers[i]) ||
        reinterpret_cast<std::uintptr_t>(pointers[i]) % kAlignment != 0) {
      return CUDNN_STATUS_BAD_PARAM;
    }
    data[numbers[i]] = pointers[i];
    touched.push_back(pointers[i]);
  }
  for (const std::int64_t number : {of->x.number, of->w.number, of->y.number}) {
    if (!data.contains(number)) return CUDNN_STATUS_BAD_PARAM;
  }
  emulated::give_work([of = *of, data](bool) { compute(of, data); }, touched);
  return CUDNN_STATUS_SUCCESS;
}
}
