# What of the optional parts is on this machine? The engine needs none of them; `oracle --version`
# reports them, and microbench and validate build the back ends whose part was found.
#
# Sets ORACLE_PARTS (names) and for each ORACLE_PART_<name>: its version, "found" where it states none,
# or empty where it is absent.

# A version spelled as three macros in a header: #define <prefix>_MAJOR 2, ...
function(oracle_version_in header prefix result)
  set(version "")
  if(EXISTS "${header}")
    file(STRINGS "${header}" lines REGEX "^#define +${prefix}_(MAJOR|MINOR|PATCH)")
    foreach(part MAJOR MINOR PATCH)
      if("${lines}" MATCHES "${prefix}_${part} +([0-9]+)")
        list(APPEND version ${CMAKE_MATCH_1})
      endif()
    endforeach()
    list(JOIN version . version)
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

function(oracle_part name found version)
  set(text "")
  if(found)
    set(text "${version}")
    if(text STREQUAL "")
      set(text found)
    endif()
  endif()
  set(ORACLE_PART_${name} "${text}" PARENT_SCOPE)
  set(ORACLE_PARTS ${ORACLE_PARTS} ${name} PARENT_SCOPE)
endfunction()

find_package(CUDAToolkit QUIET)
oracle_part(CUDA "${CUDAToolkit_FOUND}" "${CUDAToolkit_VERSION}")

find_path(ORACLE_CUDNN_INCLUDE cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
oracle_version_in("${ORACLE_CUDNN_INCLUDE}/cudnn_version.h" CUDNN cudnn_version)
oracle_part(cuDNN "${ORACLE_CUDNN_INCLUDE}" "${cudnn_version}")

find_path(ORACLE_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
oracle_version_in("${ORACLE_NCCL_INCLUDE}/nccl.h" NCCL nccl_version)
oracle_part(NCCL "${ORACLE_NCCL_INCLUDE}" "${nccl_version}")

find_package(MPI QUIET COMPONENTS CXX)
oracle_part(MPI "${MPI_CXX_FOUND}" "${MPI_CXX_VERSION}")

find_path(ORACLE_DNNL_INCLUDE oneapi/dnnl/dnnl.hpp)
oracle_version_in("${ORACLE_DNNL_INCLUDE}/oneapi/dnnl/dnnl_version.h" DNNL_VERSION dnnl_version)
oracle_part(oneDNN "${ORACLE_DNNL_INCLUDE}" "${dnnl_version}")

# The ONNX reader wants the message types alone; ORACLE_ONNX=OFF leaves it out where they are there.
option(ORACLE_ONNX "Read ONNX files, where libonnx and protobuf are found" ON)
find_path(ORACLE_ONNX_INCLUDE onnx/onnx_pb.h)
find_library(ORACLE_ONNX_LIBRARY onnx_proto)
find_package(Protobuf QUIET)
set(onnx_found FALSE)
if(ORACLE_ONNX AND ORACLE_ONNX_INCLUDE AND ORACLE_ONNX_LIBRARY AND Protobuf_FOUND)
  set(onnx_found TRUE)
endif()
oracle_part(ONNX "${onnx_found}" "")
