#include "microbench/kernels/cpu/stack_place.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <set>

namespace oracle {
namespace stack_place_test {

/// Where within a page the work's own frame lies, called from a stack that is `deeper` by so much.
__attribute__((noinline, no_sanitize_address)) std::uintptr_t frame_of_work(std::size_t place,
                                                                            std::size_t deeper) {
  auto* room = static_cast<volatile char*>(__builtin_alloca(deeper + 1));
  *room = 0;
  std::uintptr_t frame = 0;
  on_stack_at(place, [&frame] {
    frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 4096;
  });
  return frame;
}

TEST(StackPlace, IsTheSameFromAnyDepth) {
  std::set<std::uintptr_t> frames;
  for (std::size_t deeper = 0; deeper < 10000; deeper += 112) {
    frames.insert(frame_of_work(2048, deeper));
  }
  EXPECT_EQ(frames.size(), 1U);
}

TEST(StackPlace, MovesByWhatIsAskedFor) {
  const std::uintptr_t frame = frame_of_work(2048, 0);
  EXPECT_EQ(frame_of_work(2048 + 16, 0), frame + 16);
  EXPECT_EQ(frame_of_work(2048 + 48, 4000), frame + 48);
  EXPECT_EQ(frame_of_work(48, 0), (frame + 48 + 2048) % 4096);
}

TEST(StackPlace, ThatIsFastIsNearThePagesMiddle) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const dnnl::stream stream(engine);
  const std::size_t place = fast_stack_place(engine, stream);
  EXPECT_GE(place, 2048U);
  EXPECT_LT(place, 2048U + 64U);
  EXPECT_EQ(place % 16, 0U);
  EXPECT_EQ(fast_stack_place(engine, stream), place);
}

}  // namespace stack_place_test
}  // namespace oracle
