/* `gpufx pattern` for a browser: the program's own parser, laws, fits, cures and drawings, compiled to WebAssembly by
 * `make`. The page calls main once per answer with the words that a person types after `gpufx pattern`. A GPU, packed
 * files, traces and Python are absent; the linker lets calls of them abort, and the page offers nothing that needs
 * them. */
#include <zlib.h>

#include "call/message.h"
#include "call/parse.h"
#include "call/verb.h"

/* What the page's C library lacks. */
void *reallocarray(void *old, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, count * size);
}

/* Only an end line has a sum to check; the page's archives are the fits alone. */
uLong crc32(uLong crc, const Bytef *bytes, uInt size) {
    (void)bytes, (void)size;
    return crc;
}

uLong crc32_z(uLong crc, const Bytef *bytes, z_size_t size) {
    (void)bytes, (void)size;
    return crc;
}

/* Of plain files alone. */
gzFile gzdopen(int descriptor, const char *mode) {
    return (gzFile)(void *)fdopen(descriptor, mode);
}

int gzread(gzFile file, void *to, unsigned size) {
    return (int)fread(to, 1, size, (FILE *)(void *)file);
}

const char *gzerror(gzFile file, int *code) {
    *code = ferror((FILE *)(void *)file) ? Z_ERRNO : Z_OK;
    return "";
}

int gzclose(gzFile file) {
    return fclose((FILE *)(void *)file) ? Z_ERRNO : Z_OK;
}

int main(int argc, char **argv) {
    fx_error err = {0};
    fx_call call = {0};
    (void)setenv("GPUFX_ROOT", "/", 1);
    (void)setenv("COLUMNS", "80", 1);
    const int status = fx_options_parse("pattern", argc - 1, argv + 1, &call.options, &err) ? fx_exit_for(&err)
                                                                                            : fx_verb_pattern(&call);
    fx_options_free(&call.options);
    return status;
}
