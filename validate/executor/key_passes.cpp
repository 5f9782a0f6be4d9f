#include "validate/executor/key_passes.h"

#include "oracle/base/error.h"

namespace oracle {

double KeyPasses::start(const Operation& operation, MicroBatch& batch, const std::string& label) {
  const auto& move = std::get<Move>(operation.what);
  void* given = batch.find(move.from)->plain_values();
  void* taken = batch.make(move.to)->plain_values_anew();
  ensure(given != nullptr && taken != nullptr, "no back end runs attention and packs its tensors");
  const Share &give = move.give.front(), &take = move.take.front();
  const std::vector<Peer> sends = {{give.rank, given, give.elements}};
  const std::vector<Peer> receives = {{take.rank, taken, take.elements}};
  passes_.push_back({communicator_.start_messages(sends, receives, backend_.element(), label),
                     operation.item, &batch, operation.dies});
  return static_cast<double>(give.elements *
                             static_cast<std::int64_t>(element_bytes(backend_.element())));
}

std::uint32_t KeyPasses::finish_first() {
  const Pass pass = std::move(passes_.front());
  passes_.erase(passes_.begin());
  communicator_.wait(pass.ticket);
  for (const Slot slot : pass.dies) pass.batch->free(slot);
  return pass.item;
}

}  // namespace oracle
