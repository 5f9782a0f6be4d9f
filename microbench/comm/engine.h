#pragma once
// What makes a communicator of a library that sends messages?
//
// The engine gives each collective its schedule (schedule.h), enters it in the journal and hands it
// to the worker (worker.h), which runs it over the transport.
//                                                     tests/microbench/comm/communicator_test.cpp

#include <functional>
#include <memory>
#include <string>

#include "microbench/comm/communicator.h"
#include "microbench/comm/transport.h"

namespace oracle {

/// `report` gets the watchdog's line, after which every wait throws EnvironmentError; without it
/// the line goes to stderr and the program ends, exit code 3.
std::unique_ptr<Communicator> make_communicator(
    std::unique_ptr<Transport> transport, const WatchdogOptions& options,
    std::function<void(const std::string&)> report = nullptr);

}  // namespace oracle
