# Writes wire_build.h: cmake -DSOURCE=DIR -DOUT=FILE -P this
# CUL_WIRE_BUILD is a digest of all that two processes of one build share: the
# headers, where the structs and tables of messages stand, and the files that
# pack and unpack messages.
file(GLOB_RECURSE files RELATIVE ${SOURCE}
     ${SOURCE}/base/*.h ${SOURCE}/oracles/*.h ${SOURCE}/pipeline/*.h
     ${SOURCE}/probe/*.h ${SOURCE}/reducer/*.h ${SOURCE}/runners/*.h)
list(APPEND files base/files/wire.c runners/preload/live_body.c)
list(SORT files)
set(digests "")
foreach(file ${files})
  file(SHA256 ${SOURCE}/${file} digest)
  string(APPEND digests "${file} ${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUT} "#define CUL_WIRE_BUILD UINT64_C(0x${digest})\n")
