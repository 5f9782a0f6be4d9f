#pragma once
// What makes a communicator of a library whose collectives run on a device?
//
//   program ─ start ► journal, the library's stream ─ mark ► wait
//                        └ observer (a thread): marks reached, the library's errors ► watchdog
//
// Each group has a channel. Messages have two: to higher ranks, and to lower ones. A pipeline's
// activations and gradients thus never stand in each other's way, and since those of one direction
// start in the same order on both ends, no rank waits for one behind another.
//                                       tests/microbench/comm/nccl/device_communicator_test.cpp

#include <functional>
#include <memory>
#include <string>

#include "microbench/comm/communicator.h"
#include "microbench/comm/meeting.h"
#include "microbench/comm/nccl/device_collectives.h"

namespace oracle {

/// `report`: see make_communicator (engine.h). `make_collectives` is called once the ranks have
/// met and the watchdog is on.
std::unique_ptr<Communicator> make_device_communicator(
    std::unique_ptr<Meeting> meeting,
    const std::function<std::unique_ptr<DeviceCollectives>()>& make_collectives,
    const WatchdogOptions& options, std::function<void(const std::string&)> report = nullptr);

}  // namespace oracle
