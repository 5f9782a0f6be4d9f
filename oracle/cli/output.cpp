#include "oracle/cli/output.h"

#include <cerrno>
#include <cstring>
#include <ostream>
#include <string>

#include "oracle/base/error.h"

namespace oracle::cli {

void write_stream(std::ostream& out, std::string_view text) {
  errno = 0;
  out << text << std::flush;
  if (out || errno == EPIPE) return;
  throw EnvironmentError(std::string("cannot write the answer: ") +
                         std::strerror(errno == 0 ? EIO : errno));
}

}  // namespace oracle::cli
