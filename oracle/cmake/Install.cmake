# What `cmake --install` lays down, what find_package(oracle) and pkg-config find there, and the Debian
# package that cpack -G DEB makes of it. Wants a finished build (`cmake --build`). Components: programs,
# modules (back ends of GPUs), data, manual, engine; and bundle, which is laid down when it is asked for.
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

# oracle_install_program(<target> <component>...): in bin/. Libraries and modules of its own lie in
# lib/oracle beside, wherever else libraries lie; old dtags, because those hold for what a library
# needs too, and against LD_LIBRARY_PATH.
function(oracle_install_program target)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "\$ORIGIN/../lib/oracle")
    target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
    install(TARGETS ${target} RUNTIME COMPONENT ${ARGN})
  endif()
endfunction()
# oracle itself, what it becomes and starts, and what trains; each where its libraries were found.
foreach(program IN ITEMS oracle oracle-train oracle-bench oracle-bench-input oracle-bench-links)
  oracle_install_program(${program} programs)
endforeach()
oracle_install_program(oracle-bench-step bundle EXCLUDE_FROM_ALL)
foreach(module IN ITEMS oracle-kernels-gpu oracle-comm-nccl)
  if(TARGET ${module})
    set_target_properties(${module} PROPERTIES INSTALL_RPATH "\$ORIGIN")
    install(TARGETS ${module} LIBRARY DESTINATION lib/oracle COMPONENT modules)
  endif()
endforeach()
install(TARGETS oracle_all ${engine} EXPORT oracle ARCHIVE COMPONENT engine
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY oracle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT engine
        FILES_MATCHING PATTERN *.h PATTERN cli EXCLUDE PATTERN cmake EXCLUDE)
install(DIRECTORY models data DESTINATION ${CMAKE_INSTALL_DATADIR}/oracle COMPONENT data
        PATTERN __pycache__ EXCLUDE)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT manual)

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
install(EXPORT oracle NAMESPACE oracle:: DESTINATION ${package_folder} FILE oracleTargets.cmake
        COMPONENT engine)
install(FILES ${PROJECT_BINARY_DIR}/generated/oracleConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/oracleConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT engine)

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
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT engine)

# What the program writes about itself.
function(oracle_written_by_itself file folder)
  set(path ${PROJECT_BINARY_DIR}/generated/${file})
  add_custom_command(OUTPUT ${path} COMMAND oracle ${ARGN} > ${path} DEPENDS oracle VERBATIM)
  set_property(GLOBAL APPEND PROPERTY ORACLE_WRITTEN ${path})
  cmake_path(GET file FILENAME name)
  install(FILES ${path} DESTINATION ${folder} RENAME ${name} COMPONENT manual)
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
# Modules stay out: their libraries are in no package of Debian.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENTS_ALL programs data manual engine)
set(CPACK_VERBATIM_VARIABLES TRUE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
