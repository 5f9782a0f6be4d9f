# oracle-train against its serial self: kernels and messages as they are, for every way to cut. The
# same strategies run on threads and plain kernels in tests/validate.
set(models ${PROJECT_SOURCE_DIR}/tests/validate/models)

# oracle_train_test(<ranks> <model> <strategy> <argument>...)
function(oracle_train_test ranks model strategy)
  string(REGEX REPLACE "[^a-z0-9_:,=]+" "-" name "${strategy}")
  oracle_ranks_test(ranks/train_${model}_${name} ${ranks} $<TARGET_FILE:oracle-train>
                    ${models}/${model}.json --strategy "${strategy}" --steps 2 --check ${ARGN})
endfunction()

foreach(strategy data:2 filter:2 channel:2 tensor:2 height:2 pipeline:2
                 "data:2\\; batch_norm=synchronized")
  oracle_train_test(2 residual "${strategy}" --batch 4)
endforeach()
foreach(strategy data:4 data:2,filter:2 data:2,height:2 height:2,width:2 tensor:2,pipeline:2
                 "pipeline:4\\; micro_batches=4\\; schedule=gpipe")
  oracle_train_test(4 residual "${strategy}" --batch 8)
endforeach()
foreach(strategy data:2 filter:2 channel:2 height:2 "conv*=data:2\\; fc*=filter:2")
  oracle_train_test(2 uneven "${strategy}" --batch 7)
endforeach()
foreach(strategy depth:2,height:2 filter:2,channel:2)
  oracle_train_test(4 volume "${strategy}" --batch 2)
endforeach()
foreach(strategy data:2 filter:2 tensor:2 width:2 pipeline:2)
  oracle_train_test(2 attention "${strategy}" --batch 4)
endforeach()
foreach(strategy data:2,width:2 tensor:2,pipeline:2)
  oracle_train_test(4 attention "${strategy}" --batch 4)
endforeach()
foreach(strategy data:2 filter:2 width:2)
  oracle_train_test(2 text "${strategy}" --batch 6)
endforeach()
oracle_train_test(4 text data:2,tensor:2 --batch 6)
