# `cmake --build BUILD --target bundle` writes BUILD/oracle-VERSION-linux-x86_64.tar.gz: what is installed, with
# its libraries and an MPI runtime, but for NVIDIA's, to be unpacked and run anywhere (bundle/README.md).
set(name oracle-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(ORACLE_BUNDLE ${PROJECT_BINARY_DIR}/${name}.tar.gz)

install(FILES ${CMAKE_CURRENT_LIST_DIR}/bundle/README.md DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL)
install(FILES LICENSE DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL)
install(PROGRAMS validate/campaign.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/oracle/validate
        COMPONENT bundle EXCLUDE_FROM_ALL)
install(DIRECTORY validate/campaign DESTINATION ${CMAKE_INSTALL_DATADIR}/oracle/validate
        USE_SOURCE_PERMISSIONS COMPONENT bundle EXCLUDE_FROM_ALL)
install(PROGRAMS validate/bench/torch_train.py validate/bench/torch_networks.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/oracle/validate/bench COMPONENT bundle EXCLUDE_FROM_ALL)

set(programs "")
foreach(target IN ITEMS oracle oracle-train oracle-bench oracle-bench-input oracle-bench-links
        oracle-bench-step oracle-kernels-gpu oracle-comm-nccl)
  if(TARGET ${target})
    list(APPEND programs ${target})
  endif()
endforeach()
set(ORACLE_BUNDLE_COMMAND ${CMAKE_CURRENT_LIST_DIR}/bundle/bundle.sh ${CMAKE_COMMAND}
    ${PROJECT_BINARY_DIR} ${name} ${MPIEXEC_EXECUTABLE})
add_custom_target(bundle
  COMMAND ${ORACLE_BUNDLE_COMMAND}
  BYPRODUCTS ${ORACLE_BUNDLE}
  DEPENDS ${programs} oracle_manual
  COMMENT "Writing ${ORACLE_BUNDLE}"
  VERBATIM)
