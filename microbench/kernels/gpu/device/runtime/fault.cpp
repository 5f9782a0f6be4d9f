#include "microbench/kernels/gpu/device/runtime/fault.h"

#include <utility>

namespace oracle::gpu {

Faults::Entry::Entry(Faults& faults, PinnedMemory& memory, Refuse refuse)
    : faults_(faults), memory_(memory, sizeof(Fault)), refuse_(std::move(refuse)) {
  *data() = {};
  faults_.entries_.push_back(this);
}

Faults::Entry::~Entry() { faults_.entries_.remove(this); }

void Faults::look() {
  for (const Entry* entry : entries_) {
    if (entry->data()->found == 0) continue;
    entry->refuse_(std::exchange(*entry->data(), Fault()).value);
  }
}

}  // namespace oracle::gpu
