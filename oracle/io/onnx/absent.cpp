// Stands in for decode.cpp where the libraries are not there.

#include "oracle/base/error.h"
#include "oracle/io/onnx/decode.h"

namespace oracle::onnx {

bool available() { return false; }

Model decode(ByteSource&, const std::string& place) {
  throw EnvironmentError(place +
                         ": this build cannot read ONNX; install libonnx-dev and libprotobuf-dev, "
                         "then build again");
}

}  // namespace oracle::onnx
