-- A module file for Lmod: copy it to modulefiles/gpufx/0.1.0.lua, and set where `cmake --install` put the tree.
local base = "/apps/gpufx"
help([[gpufx measures what the hardware effects of a GPU cost: gpufx help]])
whatis("Name: gpufx")
whatis("Description: microbenchmarks of GPU hardware effects")
prepend_path("PATH", pathJoin(base, "bin"))
-- A Python with the packages of share/gpufx/plot/requirements.txt, unless python3 has them.
setenv("GPUFX_PYTHON", pathJoin(base, "python/bin/python3"))
