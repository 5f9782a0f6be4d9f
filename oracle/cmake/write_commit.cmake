# Run at build time: puts the commit that GIT finds in SOURCE, "-dirty" appended where the tree differs
# from it, into HEADER.
set(ORACLE_COMMIT "")
if(GIT)
  execute_process(COMMAND ${GIT} describe --always --dirty --abbrev=12 --exclude=*
                  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE ORACLE_COMMIT
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT ORACLE_COMMIT)
  set(ORACLE_COMMIT "unknown")
endif()
configure_file(${HEADER}.in ${HEADER} @ONLY)
