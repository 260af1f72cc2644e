# -DGPUFX_BUNDLED=ON: Google Benchmark and jansson are built from their releases, whose hashes stand here, into the
# build folder and linked in, so that the program runs on machines without them. MISSING does so only for a library that
# this machine lacks. Where there is no network, -DGPUFX_DOWNLOADS=FOLDER, or the variable of that name, says where the
# files are, as NAME-VERSION.tar.gz.
set(GPUFX_DOWNLOADS "$ENV{GPUFX_DOWNLOADS}" CACHE PATH "Folder with the releases that GPUFX_BUNDLED builds; empty: they are fetched")
set(bundled ${CMAKE_BINARY_DIR}/bundled)

# Builds a release into ${bundled}, once.
function(fx_release name version url hash)
  set(archive ${bundled}/${name}-${version}.tar.gz)
  if(EXISTS ${bundled}/${name}-${version}.done)
    return()
  endif()
  if(NOT GPUFX_DOWNLOADS)
    message(STATUS "Fetching ${name} ${version}")
    file(DOWNLOAD ${url} ${archive} STATUS status)
  elseif(EXISTS ${GPUFX_DOWNLOADS}/${name}-${version}.tar.gz)
    file(COPY ${GPUFX_DOWNLOADS}/${name}-${version}.tar.gz DESTINATION ${bundled})
    set(status 0)
  else()
    message(FATAL_ERROR "${GPUFX_DOWNLOADS}/${name}-${version}.tar.gz is missing; fetch it from ${url}")
  endif()
  list(POP_FRONT status code)
  if(code)
    message(FATAL_ERROR "${url} can't be fetched: ${status}; "
      "fetch it elsewhere and name its folder with -DGPUFX_DOWNLOADS")
  endif()
  file(SHA256 ${archive} found)
  if(NOT found STREQUAL hash)
    file(REMOVE ${archive})
    message(FATAL_ERROR "${name}-${version}.tar.gz is not the release: its SHA-256 is ${found}, not ${hash}")
  endif()
  message(STATUS "Building ${name} ${version}")
  set(sources ${bundled}/src-${name})
  file(REMOVE_RECURSE ${sources})
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${sources})
  file(GLOB top ${sources}/*) # the one folder in it
  foreach(step "-S;${top};-B;${sources}/build;-G;${CMAKE_GENERATOR};${ARGN}" "--build;${sources}/build"
      "--install;${sources}/build")
    execute_process(COMMAND ${CMAKE_COMMAND} ${step} RESULT_VARIABLE failed OUTPUT_FILE ${bundled}/${name}.log
      ERROR_FILE ${bundled}/${name}.log)
    if(failed)
      message(FATAL_ERROR "${name} can't be built; ${bundled}/${name}.log says why")
    endif()
  endforeach()
  file(REMOVE_RECURSE ${sources})
  file(TOUCH ${bundled}/${name}-${version}.done)
endfunction()

set(usual -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=${bundled} -DCMAKE_INSTALL_LIBDIR=lib
  -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
  -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_POLICY_VERSION_MINIMUM=3.5)
if(GPUFX_BUNDLED STREQUAL MISSING)
  find_package(benchmark 1.7.1 QUIET)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(JANSSON QUIET IMPORTED_TARGET GLOBAL jansson>=2.13)
  endif()
endif()
list(PREPEND CMAKE_PREFIX_PATH ${bundled})
if(NOT benchmark_FOUND)
  fx_release(benchmark 1.7.1 https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz
    6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7
    ${usual} -DBENCHMARK_ENABLE_TESTING=OFF -DBENCHMARK_ENABLE_WERROR=OFF)
endif()
if(NOT JANSSON_FOUND)
  fx_release(jansson 2.14 https://github.com/akheron/jansson/archive/refs/tags/v2.14.tar.gz
    c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b
    ${usual} -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON)
  find_package(jansson CONFIG REQUIRED GLOBAL)
  add_library(PkgConfig::JANSSON ALIAS jansson::jansson)
endif()
find_library(GPUFX_STATIC_ZLIB libz.a)
if(GPUFX_STATIC_ZLIB AND NOT GPUFX_BUNDLED STREQUAL MISSING)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()
