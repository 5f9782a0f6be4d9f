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

# CUDA, its compiler and its libraries: AUTO takes what is there, OFF hides it, ON insists.
set(ORACLE_CUDA AUTO CACHE STRING "GPU back ends: AUTO, ON or OFF")
set_property(CACHE ORACLE_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT ORACLE_CUDA STREQUAL OFF)
  find_package(CUDAToolkit QUIET)
  find_program(ORACLE_NVCC nvcc HINTS ${CUDAToolkit_BIN_DIR})
  find_path(ORACLE_CUDNN_INCLUDE cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_path(ORACLE_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(ORACLE_CUDNN_LIBRARY cudnn HINTS ${CUDAToolkit_LIBRARY_DIR})
  find_library(ORACLE_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
endif()
# Where no GPU is, the GPU's code is compiled by the slow tests and for the bundle alone.
set(ORACLE_GPU_HERE FALSE)
if(EXISTS /dev/nvidiactl OR DEFINED ENV{ORACLE_EXPECT_GPU})
  set(ORACLE_GPU_HERE TRUE)
endif()

set(found FALSE)
if(NOT ORACLE_CUDA STREQUAL OFF AND CUDAToolkit_FOUND AND ORACLE_NVCC)
  set(found TRUE)
endif()
oracle_part(CUDA "${found}" "${CUDAToolkit_VERSION}")

set(found FALSE)
if(ORACLE_PART_CUDA AND ORACLE_CUDNN_INCLUDE AND ORACLE_CUDNN_LIBRARY)
  set(found TRUE)
endif()
oracle_version_in("${ORACLE_CUDNN_INCLUDE}/cudnn_version.h" CUDNN cudnn_version)
oracle_part(cuDNN "${found}" "${cudnn_version}")

set(found FALSE)
if(ORACLE_PART_CUDA AND ORACLE_NCCL_INCLUDE AND ORACLE_NCCL_LIBRARY)
  set(found TRUE)
endif()
oracle_version_in("${ORACLE_NCCL_INCLUDE}/nccl.h" NCCL nccl_version)
oracle_part(NCCL "${found}" "${nccl_version}")

if(ORACLE_CUDA STREQUAL ON AND NOT (ORACLE_PART_CUDA AND ORACLE_PART_cuDNN AND ORACLE_PART_NCCL))
  message(FATAL_ERROR "ORACLE_CUDA=ON, and of CUDA with nvcc \"${ORACLE_PART_CUDA}\", cuDNN "
          "\"${ORACLE_PART_cuDNN}\" and NCCL \"${ORACLE_PART_NCCL}\" was found; install what is "
          "missing, name its place in CMAKE_PREFIX_PATH, or leave ORACLE_CUDA at AUTO")
endif()

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

# The XML that NCCL writes of a machine; ORACLE_XML=OFF leaves its reader out where tinyxml2 is there.
option(ORACLE_XML "Read NCCL's topology files, where tinyxml2 is found" ON)
find_path(ORACLE_TINYXML2_INCLUDE tinyxml2.h)
find_library(ORACLE_TINYXML2_LIBRARY tinyxml2)
set(tinyxml2_found FALSE)
if(ORACLE_XML AND ORACLE_TINYXML2_INCLUDE AND ORACLE_TINYXML2_LIBRARY)
  set(tinyxml2_found TRUE)
endif()
oracle_part(tinyxml2 "${tinyxml2_found}" "")

# What images are decoded by: libjpeg-turbo's own interface, and libpng.
find_path(ORACLE_JPEG_INCLUDE turbojpeg.h)
find_library(ORACLE_JPEG_LIBRARY turbojpeg)
find_path(ORACLE_PNG_INCLUDE png.h)
find_library(ORACLE_PNG_LIBRARY png)
foreach(format IN ITEMS JPEG PNG)
  set(found FALSE)
  if(ORACLE_${format}_INCLUDE AND ORACLE_${format}_LIBRARY)
    set(found TRUE)
  endif()
  oracle_part(${format} "${found}" "")
endforeach()
