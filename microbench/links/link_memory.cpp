#include "microbench/links/link_memory.h"

#include <vector>

#include "oracle/base/error.h"

namespace oracle {
namespace {

class VectorBuffer final : public HostBuffer {
 public:
  explicit VectorBuffer(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {}
  void* data() override { return bytes_.data(); }
  std::int64_t bytes() const override { return static_cast<std::int64_t>(bytes_.size()); }

 private:
  std::vector<char> bytes_;
};

template <class Row>
Row row_named(const std::vector<Row>& rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return row;
  }
  throw EnvironmentError("oracle-bench-links was built without \"" + std::string(name) +
                         "\"; oracle --version says what was found, and a build where CUDA, "
                         "cuDNN and NCCL are has it");
}

}  // namespace

std::unique_ptr<Buffer> make_host_buffer(std::int64_t bytes) {
  return std::make_unique<VectorBuffer>(bytes);
}

CommunicatorRow link_communicator(std::string_view device) {
  return row_named(all_communicators(), device == "gpu" ? "nccl" : "mpi");
}

LinkDevice link_device(std::string_view device) {
  if (device != "gpu") return {};
  return {row_named(all_backends(), "gpu").make(1)};
}

void gather_everywhere(Communicator& communicator, const MakeBuffer& make_buffer, GroupId world,
                       const void* own, std::int64_t bytes, void* all, const std::string& label) {
  const std::unique_ptr<Buffer> given = make_buffer(bytes);
  const std::unique_ptr<Buffer> kept = make_buffer(bytes * communicator.size());
  given->write(own, given->bytes());
  communicator.wait(communicator.start_all_gather(world, given->data(), kept->data(), bytes / 4,
                                                  Element::fp32, label));
  kept->read(all, kept->bytes());
}

}  // namespace oracle
