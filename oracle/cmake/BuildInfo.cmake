# The header "oracle/build_info.h", for whoever links oracle_build_info. All but the commit is known
# now; the commit is looked up at every build, and the header rewritten only where it changed.
include(OptionalParts)

set(ORACLE_PART_ROWS "")
set(separator "")
list(LENGTH ORACLE_PARTS ORACLE_PART_COUNT)
foreach(part IN LISTS ORACLE_PARTS)
  string(APPEND ORACLE_PART_ROWS "${separator}    {\"${part}\", \"${ORACLE_PART_${part}}\"},")
  set(separator "\n")
endforeach()

set(ORACLE_COMMIT "@ORACLE_COMMIT@")
set(build_info ${PROJECT_BINARY_DIR}/generated/oracle/build_info.h)
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_info.h.in ${build_info}.in @ONLY)

find_package(Git QUIET)
add_custom_target(oracle_commit
  COMMAND ${CMAKE_COMMAND} -DGIT=${GIT_EXECUTABLE} -DSOURCE=${PROJECT_SOURCE_DIR}
          -DHEADER=${build_info} -P ${CMAKE_CURRENT_LIST_DIR}/write_commit.cmake
  BYPRODUCTS ${build_info}
  COMMENT "Looking up the commit"
  VERBATIM)

add_library(oracle_build_info INTERFACE)
target_include_directories(oracle_build_info INTERFACE ${PROJECT_BINARY_DIR}/generated)
add_dependencies(oracle_build_info oracle_commit)
