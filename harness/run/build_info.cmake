# Writes build_info.h with the commit of this moment; touches it only if something changed, so that an unchanged tree
# recompiles nothing. Called at every build.
set(commit "")
set(dirty 0)
find_program(git_program git)
if(git_program)
  # A source package unpacked inside another project's repository has no commit of its own.
  execute_process(COMMAND ${git_program} -C ${SOURCE} rev-parse --show-prefix
                  OUTPUT_VARIABLE above OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${git_program} -C ${SOURCE} rev-parse --verify HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR above)
    set(commit "")
  else()
    # What is measured depends on these; an archive added under results/ does not make the program another one.
    execute_process(COMMAND ${git_program} --no-optional-locks -C ${SOURCE} status --porcelain -- CMakeLists.txt harness micro
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(dirty 1)
    endif()
  endif()
endif()
file(WRITE ${OUTPUT}.new
"/* Written by build_info.cmake at each build. */
#define FX_BUILD_VERSION \"${VERSION}\"
#define FX_BUILD_COMMIT \"${commit}\"
#define FX_BUILD_DIRTY ${dirty}
#define FX_BUILD_TYPE \"${TYPE}\"
#define FX_BUILD_C_COMPILER \"${C_COMPILER}\"
#define FX_BUILD_CUDA_COMPILER \"${CUDA_COMPILER}\"
#define FX_BUILD_CUDA_ARCHITECTURES \"${CUDA_ARCHITECTURES}\"
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
