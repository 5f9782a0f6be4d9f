# The tests of kernels on further back ends: the GPU's code on an emulated device (emulated_gpu/), which the
# slow tier runs everywhere, and those of a GPU, labelled gpu, where there is one.

# Suites that hold for every back end.
set(ORACLE_KERNEL_SUITES "Shapes/Convolution.*:All/Kinds.MatchesReference*:All/Slabs.*:Shapes/BatchNorm.*\
:Dropout.*:Shapes/Losses.*:SoftmaxLoss.*:Weights.*:SharedWeights.*:Optimizer.*:Tensor.*\
:All/TensorFormats.*:Parts.*:BackwardGeometry.*:Kinds/InFlight.*:Memory.OfTensors*\
:Shapes/Fused.*:FusedKernels.*:All/ImportedKinds.MatchesReference*:PartsOfImported.*:Embedding.*")

function(oracle_kernel_test name program backend)
  add_test(NAME ${name} COMMAND ${program} --gtest_filter=${ORACLE_KERNEL_SUITES})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]"
                       ENVIRONMENT "ORACLE_DATA=${PROJECT_SOURCE_DIR};ORACLE_TEST_BACKEND=${backend}")
endfunction()

if(ORACLE_PART_cuDNN)
  set(device ${PROJECT_SOURCE_DIR}/microbench/kernels/gpu/device)
  file(GLOB_RECURSE device_sources CONFIGURE_DEPENDS ${device}/*.cpp ${device}/*.cu)
  list(FILTER device_sources EXCLUDE REGEX "/module\\.cpp$")
  file(GLOB emulation_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/emulated_gpu/*.cpp)
  list(FILTER emulation_sources EXCLUDE REGEX "/collectives\\.cpp$")
  # To the host's compiler a kernel is a loop.
  foreach(source IN LISTS device_sources)
    if(source MATCHES "\\.cu$")
      set_source_files_properties(${source} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS
                                  "-include;cmath;-Wno-conversion;-Wno-unused-function")
    endif()
  endforeach()
  add_library(oracle_emulated_gpu STATIC ${device_sources} ${emulation_sources})
  target_compile_features(oracle_emulated_gpu PUBLIC cxx_std_20)
  target_compile_definitions(oracle_emulated_gpu PUBLIC ORACLE_EMULATED_GPU)
  target_include_directories(oracle_emulated_gpu SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(oracle_emulated_gpu PUBLIC oracle_options oracle_kernels oracle_modules)
  # The same behind the doors of the GPU's modules, beside a driver that is empty, so that whole programs
  # run on it.
  set(modules ${PROJECT_BINARY_DIR}/tests/emulated)
  oracle_module(oracle_emulated_kernels SOURCES ${device}/runtime/module.cpp
                LIBRARIES oracle_emulated_gpu oracle_modules)
  oracle_module(oracle_emulated_collectives SOURCES emulated_gpu/collectives.cpp
                LIBRARIES oracle_modules)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/empty.cpp CONTENT "" @ONLY)
  add_library(oracle_emulated_driver SHARED ${PROJECT_BINARY_DIR}/generated/empty.cpp)
  set_target_properties(oracle_emulated_gpu PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set_target_properties(oracle_emulated_kernels PROPERTIES OUTPUT_NAME oracle-kernels-gpu
                        LIBRARY_OUTPUT_DIRECTORY ${modules})
  set_target_properties(oracle_emulated_collectives PROPERTIES OUTPUT_NAME oracle-comm-nccl
                        LIBRARY_OUTPUT_DIRECTORY ${modules})
  set_target_properties(oracle_emulated_driver PROPERTIES OUTPUT_NAME cuda SOVERSION 1
                        LIBRARY_OUTPUT_DIRECTORY ${modules})
  # What the installed cuDNN says without a device.
  add_library(oracle_convolution_graphs STATIC ${device}/products/convolution_terms.cpp
                                               ${device}/products/convolution_plans.cpp)
  target_include_directories(oracle_convolution_graphs SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(oracle_convolution_graphs PUBLIC oracle_options oracle_base
                                                         ${ORACLE_CUDNN_LIBRARY})
  # Under sanitizers a library of others has leaks of its own.
  if(NOT ORACLE_SANITIZE)
    oracle_test_program(cudnn cudnn/convolution_graph_test.cpp)
    target_link_libraries(tests_cudnn PRIVATE oracle_convolution_graphs)
    add_test(NAME cudnn COMMAND tests_cudnn --gtest_brief=1)
    oracle_slow(cudnn)
  endif()
  # The kernels' tests and whole steps on the emulated device.
  file(GLOB own CONFIGURE_DEPENDS
       ${CMAKE_CURRENT_SOURCE_DIR}/microbench/kernels/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/microbench/kernels/gpu/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/microbench/reference/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/validate/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/microbench/modules/built_modules_test.cpp)
  file(GLOB_RECURSE on_device CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/validate/*/emulated_gpu_test.cpp)
  oracle_test_program(gpu ${own} ${on_device} ${CMAKE_CURRENT_SOURCE_DIR}/microbench/comm/memory_transport.cpp)
  target_link_libraries(tests_gpu PRIVATE ${microbench_libraries} ${validate_libraries} oracle_plain_kernels
                                          oracle_emulated_gpu)
  foreach(module oracle-kernels-gpu oracle-comm-nccl)
    if(TARGET ${module})
      add_dependencies(tests_gpu ${module})
    endif()
  endforeach()
  add_test(NAME emulated_gpu/device COMMAND tests_gpu --gtest_brief=1 --gtest_filter=-${ORACLE_KERNEL_SUITES})
  set_tests_properties(emulated_gpu/device PROPERTIES TIMEOUT 600 LABELS slow
                       ENVIRONMENT "ORACLE_DATA=${PROJECT_SOURCE_DIR}")
  foreach(precision fp32 bf16 fp16)
    oracle_kernel_test(emulated_gpu/kernels_${precision} tests_gpu emulated-${precision})
    oracle_slow(emulated_gpu/kernels_${precision})
  endforeach()
endif()

# oracle_listed_gpu_test(<name> <word>...): also a line of the list that gpu_tests.sh runs without ctest.
function(oracle_listed_gpu_test)
  list(JOIN ARGN " " line)
  set_property(GLOBAL APPEND_STRING PROPERTY ORACLE_GPU_TESTS "${line}\n")
endfunction()

# One process for each back end, since starting on a GPU takes a second.
if(TARGET tests_microbench AND ORACLE_PART_cuDNN)
  foreach(backend gpu gpu-tf32 gpu-bf16 gpu-fp16)
    oracle_listed_gpu_test(kernels_${backend} kernels ${backend} ${ORACLE_KERNEL_SUITES})
    if(ORACLE_GPU_HERE)
      oracle_kernel_test(gpu/kernels_${backend} tests_microbench ${backend})
      set_tests_properties(gpu/kernels_${backend} PROPERTIES LABELS "slow;gpu" RESOURCE_LOCK gpu)
    endif()
  endforeach()
endif()

# oracle_gpu_ranks_test(<name> <ranks> <target> <word>...): ranks on GPUs, sharing one where there are fewer.
function(oracle_gpu_ranks_test name ranks target)
  oracle_listed_gpu_test(${name} ranks ${ranks} ${target} ${ARGN})
  if(NOT ORACLE_GPU_HERE)
    return()
  endif()
  add_test(NAME gpu/${name}
           COMMAND ${PROJECT_SOURCE_DIR}/tests/ranks/gpu.sh ${MPIEXEC_EXECUTABLE} ${ranks} $<TARGET_FILE:${target}>
                   ${ARGN}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/validate/models)
  set_tests_properties(gpu/${name} PROPERTIES LABELS "slow;gpu" TIMEOUT 300 RESOURCE_LOCK gpu SKIP_RETURN_CODE 77
                       ENVIRONMENT "${ORACLE_RANKS_ENVIRONMENT}")
endfunction()

# oracle_gpu_collectives_tests(): NCCL between GPUs, as ranks/collectives_* are over MPI.
function(oracle_gpu_collectives_tests)
  foreach(ranks 1 2 4)
    oracle_gpu_ranks_test(collectives_${ranks} ${ranks} ranks_collectives gpu)
  endforeach()
endfunction()

# oracle_gpu_train_tests(): equivalence of strategies on GPUs.
function(oracle_gpu_train_tests)
  set(runs "")
  foreach(run "1 residual serial" "1 volume serial" "2 residual data:2" "2 residual filter:2"
              "2 residual tensor:2" "2 residual height:2" "2 residual pipeline:2" "2 uneven channel:2"
              "4 residual data:2,filter:2" "4 residual data:2,height:2" "4 volume depth:2,height:2"
              "4 residual data:2,pipeline:2" "1 attention serial" "2 attention tensor:2"
              "4 attention data:2,width:2" "1 text serial" "2 text data:2")
    list(APPEND runs "${run} fp32")
  endforeach()
  # Those whose serial run is stable to a rounding of two bytes.
  foreach(run "1 residual serial" "1 volume serial" "2 residual data:2" "2 uneven filter:2"
              "2 uneven channel:2" "2 uneven height:2" "2 uneven pipeline:2" "4 uneven data:2,tensor:2"
              "4 volume depth:2,height:2" "1 attention serial" "2 attention tensor:2" "2 text data:2")
    list(APPEND runs "${run} bf16" "${run} fp16")
  endforeach()
  foreach(run IN LISTS runs)
    separate_arguments(words UNIX_COMMAND ${run})
    list(GET words 0 ranks)
    list(GET words 1 model)
    list(GET words 2 strategy)
    list(GET words 3 precision)
    set(name train_${ranks}_${model}_${strategy})
    if(NOT precision STREQUAL fp32)
      string(APPEND name _${precision})
    endif()
    oracle_gpu_ranks_test(${name} ${ranks} oracle-train ${model}.json --device gpu --strategy ${strategy}
                          --precision ${precision} --batch 8 --steps 12 --check)
  endforeach()
endfunction()

# oracle_install_gpu_tests(): into the bundle, once all of them are known.
function(oracle_install_gpu_tests)
  get_property(lines GLOBAL PROPERTY ORACLE_GPU_TESTS)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/generated/gpu_tests.txt CONTENT "${lines}")
  set(destination DESTINATION ${CMAKE_INSTALL_DATADIR}/oracle/tests COMPONENT bundle EXCLUDE_FROM_ALL)
  install(FILES ${PROJECT_BINARY_DIR}/generated/gpu_tests.txt ${destination})
  install(PROGRAMS gpu_tests.sh ${destination})
  install(PROGRAMS ranks/gpu.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/oracle/tests/ranks
          COMPONENT bundle EXCLUDE_FROM_ALL)
  install(DIRECTORY validate/models DESTINATION ${CMAKE_INSTALL_DATADIR}/oracle/tests/validate
          COMPONENT bundle EXCLUDE_FROM_ALL)
  foreach(program tests_microbench ranks_collectives)
    if(TARGET ${program})
      oracle_install_program(${program} bundle EXCLUDE_FROM_ALL)
      add_dependencies(bundle ${program})
    endif()
  endforeach()
endfunction()
