# Writes data files as one C table:
# cmake -DOUT=FILE -DDIR=DIR -DHEADER=H -DTABLE=NAME -DCOUNT=NAME -P this
# where HEADER declares TABLE[], of struct cul_embedded (embedded.h), and COUNT
file(GLOB files ${DIR}/*.rules ${DIR}/*.frames ${DIR}/*.norm ${DIR}/*.lines
     ${DIR}/*.axes ${DIR}/*.sh ${DIR}/*.py)
list(SORT files)
set(arrays "")
set(table "")
set(i 0)
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const unsigned char file_${i}[] = {\n${bytes}0};\n")
  string(APPEND table "    {\"${name}\", file_${i}, sizeof file_${i} - 1},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUT} "/* Made from data files by embed.cmake. */
#include \"${HEADER}\"

${arrays}
const struct cul_embedded ${TABLE}[] = {
${table}};
const size_t ${COUNT} = ${i};
")
