# One target per folder of the engine. A folder lists the folders it may include; the linker and
# tests/rules hold it to that. Installed, the targets are those of find_package(oracle).

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

# Is there something to link? Libraries of headers alone stay in our .cpp files, so the installed engine
# does not ask for them.
function(oracle_is_linked library result)
  set(${result} TRUE PARENT_SCOPE)
  if(TARGET ${library})
    get_target_property(type ${library} TYPE)
    get_target_property(behind ${library} INTERFACE_LINK_LIBRARIES)
    if(type STREQUAL INTERFACE_LIBRARY AND NOT behind)
      set(${result} FALSE PARENT_SCOPE)
    endif()
  endif()
endfunction()

# oracle_unity(<target> [<files in a batch>]): its sources in batches, where ORACLE_UNITY asks for it.
function(oracle_unity target)
  set(batch 12)
  if(ARGC GREATER 1)
    set(batch ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ORACLE_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
  # To g++ a source of a batch is a header, and what is inlined across sources may be uninitialized.
  if(ORACLE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-maybe-uninitialized)
  endif()
endfunction()

# oracle_folder(<folder> [ONCE] [STANDS_ON <folder>...] [USES <library>...])
# Every .cpp below <folder> becomes part of the static library oracle_<folder>; a folder of headers
# alone passes on what it stands on. What runs ONCE an answer is compiled for a short build. The global
# property ORACLE_FOLDERS lists the targets.
function(oracle_folder folder)
  cmake_parse_arguments(ARG "ONCE" "" "STANDS_ON;USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(TRANSFORM ARG_STANDS_ON PREPEND oracle_)
  set(uses)
  foreach(library IN LISTS ARG_USES)
    oracle_is_linked(${library} linked)
    if(linked)
      list(APPEND uses ${library})
    else()
      list(APPEND uses $<BUILD_INTERFACE:${library}>)
    endif()
  endforeach()
  # Our warnings and sanitizers are not those of who uses the installed engine.
  set(options $<BUILD_INTERFACE:oracle_options>)
  if(sources)
    add_library(oracle_${folder} STATIC ${sources})
    target_compile_features(oracle_${folder} PUBLIC cxx_std_20)
    target_link_libraries(oracle_${folder} PUBLIC ${options} ${ARG_STANDS_ON} PRIVATE ${uses})
    oracle_unity(oracle_${folder})
    if(ARG_ONCE)
      target_compile_options(oracle_${folder} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
    # Rows of a table have the same names inside, each in its own file.
    set(rows ${sources})
    list(FILTER rows INCLUDE REGEX "/(kinds|commands)/")
    set_source_files_properties(${rows} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  else()
    add_library(oracle_${folder} INTERFACE)
    target_compile_features(oracle_${folder} INTERFACE cxx_std_20)
    target_link_libraries(oracle_${folder} INTERFACE ${options} ${ARG_STANDS_ON} ${uses})
  endif()
  set_property(GLOBAL APPEND PROPERTY ORACLE_FOLDERS oracle_${folder})
endfunction()
