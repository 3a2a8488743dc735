# Copies INPUT to OUTPUT with FROM, which must occur in it once, replaced by TO.
file(READ ${INPUT} text)
string(FIND "${text}" "${FROM}" first)
string(FIND "${text}" "${FROM}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "'${FROM}' should stand once in ${INPUT}: say in tests/fuzz/planted.cmake what to replace now")
endif()
string(REPLACE "${FROM}" "${TO}" text "${text}")
file(WRITE ${OUTPUT} "${text}")
