# Writes source_hash.h: one hash per folder of micro/, and one of the harness, over what the compiler sees of the
# sources: comments and white space left out, so that words and formatting do not make another method. Pages, figures
# and data are not part of it. Touches the file only if something changed.
cmake_minimum_required(VERSION 3.25)

function(hash_of files out)
  set(all "")
  list(REMOVE_ITEM files "")
  list(SORT files)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(REGEX REPLACE "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/" " " text "${text}")
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "[ \t\r\n]+" "" text "${text}")
    get_filename_component(name ${file} NAME)
    string(SHA256 one "${text}")
    string(APPEND all "${name} ${one}\n")
  endforeach()
  string(SHA256 hash "${all}")
  string(SUBSTRING ${hash} 0 16 hash)
  set(${out} ${hash} PARENT_SCOPE)
endfunction()

function(sources_in folder out)
  set(found "")
  foreach(kind IN ITEMS c h cu cuh)
    file(GLOB files ${folder}/*.${kind})
    list(APPEND found ${files})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

sources_in(${SOURCE}/harness/core core)
sources_in(${SOURCE}/harness/gpu gpu)
hash_of("${core};${gpu}" harness)

set(rows "")
sources_in(${SOURCE}/micro shared)
file(GLOB groups ${SOURCE}/micro/*)
foreach(group IN LISTS groups)
  sources_in(${group} of_group)
  file(GLOB effects ${group}/*)
  foreach(effect IN LISTS effects)
    sources_in(${effect} own)
    if(own)
      get_filename_component(name ${effect} NAME)
      hash_of("${own};${of_group};${shared}" hash)
      string(APPEND rows "    {\"${name}\", \"${hash}\"},\n")
    endif()
  endforeach()
endforeach()

file(WRITE ${OUTPUT}.new
"/* Written by source_hash.cmake. */
#define FX_HARNESS_HASH \"${harness}\"
static const struct {
    const char *folder, *hash;
} fx_source_hashes[] = {
${rows}};
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
