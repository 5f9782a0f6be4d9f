# One target per folder of the engine. A folder lists the folders it may include; the linker and
# tests/rules hold it to that.

add_library(oracle_options INTERFACE)
target_include_directories(oracle_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(oracle_options INTERFACE -Wall -Wextra -Wconversion -Wshadow)
# g++ 12 sees an overlap in every "text" + std::string of optimized code (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(oracle_options INTERFACE -Wno-restrict)
endif()
if(ORACLE_WERROR)
  target_compile_options(oracle_options INTERFACE -Werror)
endif()
if(ORACLE_SANITIZE)
  target_compile_options(oracle_options INTERFACE -fsanitize=${ORACLE_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(oracle_options INTERFACE -fsanitize=${ORACLE_SANITIZE})
endif()

# oracle_folder(<folder> [STANDS_ON <folder>...] [USES <library>...])
# Every .cpp below <folder> becomes part of the static library oracle_<folder>; a folder of headers
# alone passes on what it stands on. The global property ORACLE_FOLDERS lists the targets.
function(oracle_folder folder)
  cmake_parse_arguments(ARG "" "" "STANDS_ON;USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(TRANSFORM ARG_STANDS_ON PREPEND oracle_)
  if(sources)
    add_library(oracle_${folder} STATIC ${sources})
    target_link_libraries(oracle_${folder} PUBLIC oracle_options ${ARG_STANDS_ON}
                          PRIVATE ${ARG_USES})
  else()
    add_library(oracle_${folder} INTERFACE)
    target_link_libraries(oracle_${folder} INTERFACE oracle_options ${ARG_STANDS_ON} ${ARG_USES})
  endif()
  set_property(GLOBAL APPEND PROPERTY ORACLE_FOLDERS oracle_${folder})
endfunction()
