#pragma once
// How is a data parallel job started in a framework?
//
// "launch" of its file: lines with places to be filled, in braces: {nodes}, {per_node}, {ranks},
// {batch_per_rank}, {bucket_mib}.                     tests/io/frameworks/launch_reader_test.cpp

#include <string>
#include <string_view>
#include <vector>

namespace oracle {

/// None where the file says nothing. Throws InputError where there is no such framework.
std::vector<std::string> load_launch_lines(std::string_view framework);

}  // namespace oracle
