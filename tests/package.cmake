# The installed program finds the installed catalogue: an entry that exists only there is listed.
# usage: cmake -DSTAGE=... -P package.cmake
file(WRITE ${STAGE}/share/lockstep/platforms/models/Stage.Marker.toml
  "kind = \"Workload\"\nname = \"marker\"\nparameters = 1e6\n[source]\nreference = \"test\"\n")
execute_process(COMMAND ${STAGE}/bin/lockstep list models OUTPUT_VARIABLE listed RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT listed MATCHES "Stage.Marker")
  message(FATAL_ERROR "the installed program does not read the installed catalogue (exit ${status})")
endif()
if(NOT listed MATCHES "Language.GPT3")
  message(FATAL_ERROR "the catalogue was not installed")
endif()
