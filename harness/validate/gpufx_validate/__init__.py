"""Checks the instrument itself: `gpufx validate`. It knows the tools of CUDA's toolkit (cuobjdump, ncu) and asks gpufx
for everything else; archives it finds through gpufx_plot.

A check is a module with run(context), which returns a results.Report. Its name stands in CHECKS."""

# In the order of the table; each is also an option, --NAME.
CHECKS = ("patterns", "sass", "counters")
