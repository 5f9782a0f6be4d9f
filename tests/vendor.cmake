# A module whose libraries lie where only a Python environment's would: it needs outer, which needs inner,
# each in a folder of its own that no loader searches (tests/microbench/modules/vendor_libraries_test.cpp).
set(environment ${PROJECT_BINARY_DIR}/tests/vendor_environment)
set(packages ${environment}/lib/python3.11/site-packages/nvidia)

# oracle_vendor_library(<target> SHARED|MODULE <folder> <library>...): whose function calls theirs.
function(oracle_vendor_library target type folder)
  set(declarations "")
  set(sum "1")
  foreach(library IN LISTS ARGN)
    string(APPEND declarations "extern \"C\" int ${library}();\n")
    string(APPEND sum " + ${library}()")
  endforeach()
  set(source ${PROJECT_BINARY_DIR}/generated/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
       "${declarations}extern \"C\" int ${target}();\nint ${target}() { return ${sum}; }\n" @ONLY)
  add_library(${target} ${type} ${source})
  target_link_libraries(${target} PRIVATE ${ARGN})
  set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON LIBRARY_OUTPUT_DIRECTORY ${folder})
endfunction()

oracle_vendor_library(oracle_test_vendor_inner SHARED ${packages}/inner/lib)
oracle_vendor_library(oracle_test_vendor SHARED ${packages}/outer/lib oracle_test_vendor_inner)
oracle_vendor_library(oracle_test_vendor_module MODULE ${PROJECT_BINARY_DIR}/tests/lib
                      oracle_test_vendor)
add_dependencies(tests_microbench oracle_test_vendor_module)
target_compile_definitions(tests_microbench PRIVATE
                           ORACLE_VENDOR_MODULE="$<TARGET_FILE:oracle_test_vendor_module>"
                           ORACLE_VENDOR_ENVIRONMENT="${environment}")
