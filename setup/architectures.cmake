# What each toolkit compiles this project for: all GPUs that both know. CMAKE_CUDA_ARCHITECTURES=every stands for it.
#
# fx_architectures(OUT VERSION): the list for nvcc of this version, oldest first.
set(GPUFX_FIRST_NVCC 12.0)

function(fx_architectures out version)
  set(list 75 80 86 89 90)
  if(version VERSION_LESS 13.0)
    list(PREPEND list 60 70)
  endif()
  if(NOT version VERSION_LESS 12.8)
    list(APPEND list 100 120)
  endif()
  set(${out} ${list} PARENT_SCOPE)
endfunction()

# The same as one program's: machine code for each, and for what comes later the newest's PTX.
function(fx_one_program out version)
  fx_architectures(list ${version})
  list(POP_BACK list newest)
  list(TRANSFORM list APPEND -real)
  set(${out} ${list} ${newest} PARENT_SCOPE)
endfunction()

# fx_take_own_features(TARGET): sm_90a in place of sm_90, which runs on the same chips and no others. wgmma is there
# alone. What is compiled as PTX, for later chips, stays sm_90.
function(fx_take_own_features target)
  get_target_property(list ${target} CUDA_ARCHITECTURES)
  list(TRANSFORM list REPLACE "^90-real$" "90a-real")
  list(TRANSFORM list REPLACE "^90$" "90a-real;90-virtual")
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${list}")
endfunction()
