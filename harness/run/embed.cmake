# Writes a text file as C: OUTPUT defines NAME, its bytes and a terminating zero.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
string(REGEX REPLACE "((\\\\x..){20})" "\\1\"\n\"" bytes "${bytes}")
file(WRITE ${OUTPUT} "static const char ${NAME}[] =\n\"${bytes}\";\n")
