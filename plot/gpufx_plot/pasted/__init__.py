"""Lines of CUDA as they stand in a program, turned into the accesses of their first warp: `gpufx pattern --code`."""
