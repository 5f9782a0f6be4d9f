# Shared libraries that a program opens when it is asked for what they bring, and starts without: a back
# end of a device whose driver and libraries most machines lack (microbench/modules/module.h).

# Of the architectures that are asked for, those that nvcc still knows; for the newest of them also PTX,
# which drivers translate for what comes later. CUDA 13 dropped 70 (Volta).
set(ORACLE_CUDA_ARCHITECTURES 70 80 90 CACHE STRING "GPU architectures to compile for")
function(oracle_architectures result)
  execute_process(COMMAND ${ORACLE_NVCC} --list-gpu-arch OUTPUT_VARIABLE known)
  set(list "")
  foreach(architecture IN LISTS ORACLE_CUDA_ARCHITECTURES)
    if(known MATCHES "compute_${architecture}\n")
      list(APPEND list ${architecture}-real)
      set(newest ${architecture})
    endif()
  endforeach()
  if(NOT list)
    message(FATAL_ERROR "${ORACLE_NVCC} compiles for none of ${ORACLE_CUDA_ARCHITECTURES}; see "
            "nvcc --list-gpu-arch, and set ORACLE_CUDA_ARCHITECTURES")
  endif()
  list(APPEND list ${newest}-virtual)
  set(${result} ${list} PARENT_SCOPE)
endfunction()

# Here and not in a function: a language is enabled for the folder that asks.
if(ORACLE_PART_cuDNN)
  set(CMAKE_CUDA_COMPILER ${ORACLE_NVCC})
  oracle_architectures(architectures)
  set(CMAKE_CUDA_ARCHITECTURES ${architectures})
  enable_language(CUDA)
  # CMake 3.25 does not know which standards a newer nvcc has.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
endif()

# oracle_device_code(<target> <source.cu>...): what nvcc compiles, as a static library.
function(oracle_device_code target)
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${ORACLE_CUDNN_INCLUDE})
  target_compile_options(${target} PRIVATE --extended-lambda -Xcompiler=-Wall,-Wextra)
  if(ORACLE_WERROR)
    target_compile_options(${target} PRIVATE --Werror=all-warnings -Xcompiler=-Werror)
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
                        CUDA_RUNTIME_LIBRARY Static)
endfunction()

# oracle_module(<target> SOURCES <source>... LIBRARIES <library>...): <target>.so in lib/ of the build
# folder. It brings its own copy of oracle_base and shows nothing but its door.
function(oracle_module target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(${target} MODULE ${ARG_SOURCES})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(${target} PRIVATE oracle_options oracle_base ${ARG_LIBRARIES}
                                          CUDA::cudart_static)
  target_link_options(${target} PRIVATE LINKER:--exclude-libs,ALL)
  if(NOT ORACLE_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
  set_target_properties(${target} PROPERTIES PREFIX "" POSITION_INDEPENDENT_CODE ON
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                        LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set_target_properties(oracle_base oracle_elements oracle_modules PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
