#include "oracle/base/error.h"
#include "oracle/io/machine/nccl_topology.h"

namespace oracle {

bool reads_nccl_topology() { return false; }

void add_nccl_topology(std::string_view, const std::string& name, Machine&) {
  throw EnvironmentError(name +
                         ": this program was built without an XML reader; build it where tinyxml2 "
                         "is found (on Debian: libtinyxml2-dev)");
}

void load_nccl_topology(const std::filesystem::path& file, Machine& machine) {
  add_nccl_topology({}, file.string(), machine);
}

}  // namespace oracle
