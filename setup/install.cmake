# `cmake --install`: the program in bin/, and what it reads in share/gpufx/, which it finds from its own place: the tree
# can be moved. Archives and charts of an installed program go to the user's own folder (GPUFX_HOME).
include(GNUInstallDirs)
set(share ${CMAKE_INSTALL_DATAROOTDIR}/gpufx)
install(TARGETS gpufx COMPONENT gpufx)
install(DIRECTORY plot/gpufx_plot DESTINATION ${share}/plot COMPONENT gpufx PATTERN "__pycache__" EXCLUDE)
install(FILES plot/requirements.txt DESTINATION ${share}/plot COMPONENT gpufx)
install(DIRECTORY harness/validate/gpufx_validate DESTINATION ${share}/harness/validate COMPONENT gpufx PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY results docs DESTINATION ${share} COMPONENT gpufx)
install(DIRECTORY micro DESTINATION ${share} COMPONENT gpufx
  FILES_MATCHING PATTERN "*.py" PATTERN "*.json" PATTERN "*.md" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY harness/core/synthetic DESTINATION ${share}/harness/core COMPONENT gpufx)
install(FILES README.md LICENSE CHANGELOG.md CONTRIBUTING.md DESTINATION ${share} COMPONENT gpufx)
install(FILES ${CMAKE_BINARY_DIR}/pattern.html DESTINATION ${share} COMPONENT gpufx OPTIONAL) # target page
