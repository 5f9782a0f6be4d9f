#pragma once
// Do two names name one model of GPU?
//
// Drivers, vendors and people write them differently: of each the first word with a digit counts.
// Names without one may be of any model.
//
// Worked: "NVIDIA A100-SXM4-80GB" and "A100 40GB" are alike, "NVIDIA H100" is not
//                                                            tests/cluster/device_name_test.cpp

#include <string>

namespace oracle {

/// "A100" of "NVIDIA A100-SXM4-80GB", "3090" of "NVIDIA GeForce RTX 3090"; empty where a name has
/// no number.
std::string model_in(std::string name);

bool may_be_one_model(const std::string& one, const std::string& other);

}  // namespace oracle
