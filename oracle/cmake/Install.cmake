# What `cmake --install` lays down, what find_package(oracle) and pkg-config find there, and the Debian
# package that cpack -G DEB makes of it. Wants a finished build (`cmake --build`).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Folders of the engine; the command line is the program's alone.
get_property(engine GLOBAL PROPERTY ORACLE_FOLDERS)
list(REMOVE_ITEM engine oracle_cli)

# The one target that brings all.
add_library(oracle_all INTERFACE)
target_link_libraries(oracle_all INTERFACE ${engine})
set_target_properties(oracle_all PROPERTIES EXPORT_NAME oracle)
foreach(target IN LISTS engine)
  string(REPLACE oracle_ "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
endforeach()

install(TARGETS oracle)
# Programs that oracle becomes, and those that train; each where its libraries were found.
foreach(program IN ITEMS oracle-pack oracle-train oracle-validate)
  if(TARGET ${program})
    install(TARGETS ${program})
  endif()
endforeach()
install(TARGETS oracle_all ${engine} EXPORT oracle
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY oracle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h
        PATTERN cli EXCLUDE PATTERN cmake EXCLUDE)
install(DIRECTORY models data DESTINATION ${CMAKE_INSTALL_DATADIR}/oracle)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# find_package(oracle) → oracle::oracle
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/oracle)
# What it links from outside: packages for CMake, files for pkg-config.
set(ORACLE_PACKAGES)
set(ORACLE_PC_OUTSIDE)
foreach(target IN LISTS engine)
  get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
  list(FILTER linked INCLUDE REGEX "^(\\$<LINK_ONLY:[^$>]+>|/.*)$")
  list(TRANSFORM linked REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1")
  foreach(library IN LISTS linked)
    if(TARGET ${library})
      string(REGEX REPLACE "::.*" "" package ${library})
      string(REPLACE protobuf Protobuf package ${package})  # as CMake's module is spelt
      list(APPEND ORACLE_PACKAGES ${package})
      list(APPEND ORACLE_PC_OUTSIDE $<TARGET_LINKER_FILE:${library}>)
    else()
      list(APPEND ORACLE_PC_OUTSIDE ${library})
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES ORACLE_PACKAGES)
list(JOIN ORACLE_PC_OUTSIDE " " ORACLE_PC_OUTSIDE)
configure_package_config_file(oracle/cmake/oracleConfig.cmake.in generated/oracleConfig.cmake
                              INSTALL_DESTINATION ${package_folder}
                              PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/oracleConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(EXPORT oracle NAMESPACE oracle:: DESTINATION ${package_folder} FILE oracleTargets.cmake)
install(FILES ${PROJECT_BINARY_DIR}/generated/oracleConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/oracleConfigVersion.cmake
        DESTINATION ${package_folder})

# pkg-config: static libraries, each before those it stands on.
set(ORACLE_PC_LIBRARIES "")
foreach(target IN LISTS engine)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    set(ORACLE_PC_LIBRARIES "-l${target} ${ORACLE_PC_LIBRARIES}")
  endif()
endforeach()
# The way from the .pc file up to the prefix, so that the tree can be moved.
string(REGEX REPLACE "[^/]+" ".." ORACLE_PC_UP ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_file(oracle/cmake/oracle.pc.in generated/oracle.pc.in @ONLY)
file(GENERATE OUTPUT generated/oracle.pc INPUT ${PROJECT_BINARY_DIR}/generated/oracle.pc.in)
install(FILES ${PROJECT_BINARY_DIR}/generated/oracle.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# What the program writes about itself.
function(oracle_written_by_itself file folder)
  set(path ${PROJECT_BINARY_DIR}/generated/${file})
  add_custom_command(OUTPUT ${path} COMMAND oracle ${ARGN} > ${path} DEPENDS oracle VERBATIM)
  set_property(GLOBAL APPEND PROPERTY ORACLE_WRITTEN ${path})
  cmake_path(GET file FILENAME name)
  install(FILES ${path} DESTINATION ${folder} RENAME ${name})
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/bash ${PROJECT_BINARY_DIR}/generated/zsh)
oracle_written_by_itself(oracle.1 ${CMAKE_INSTALL_MANDIR}/man1 help --man)
oracle_written_by_itself(bash/oracle ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
                         completion bash)
oracle_written_by_itself(zsh/_oracle ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions completion zsh)
get_property(written GLOBAL PROPERTY ORACLE_WRITTEN)
add_custom_target(oracle_manual ALL DEPENDS ${written})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME oracle-dnn)
set(CPACK_PACKAGE_CONTACT "the oracle project")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_VERBATIM_VARIABLES TRUE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
