/* replay FOLDER...: hands every file of the folders to a fuzz target, so that what fuzzing once found stays mended
 * where there is no libFuzzer. A folder that is missing or empty is an error: it would prove nothing. */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { MOST_BYTES = 1 << 20 };

static int replay(const char *path) {
    static uint8_t bytes[MOST_BYTES];
    FILE *file = fopen(path, "re");
    if (!file) {
        fprintf(stderr, "replay: cannot read '%s': %s\n", path, strerror(errno));
        return 2;
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    /* The target gets its own memory, of just this size, so that a sanitizer sees a read past the end. */
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy);
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 0;
}

int main(int argc, char **argv) {
    size_t files = 0;
    int status = argc < 2 ? 2 : 0;
    for (int i = 1; i < argc && !status; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) {
            fprintf(stderr, "replay: cannot read the folder '%s': %s\n", argv[i], strerror(errno));
            return 2;
        }
        for (struct dirent *entry; (entry = readdir(folder)) && !status;) {
            char path[4096];
            if (entry->d_name[0] == '.') {
                continue;
            }
            (void)snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            fprintf(stderr, "%s\n", path); /* the last one printed is the one that failed */
            status = replay(path);
            files++;
        }
        closedir(folder);
    }
    if (!status && !files) {
        fprintf(stderr, "replay: there is no file to replay; name a folder of tests/fuzz/corpus\n");
        status = 2;
    }
    printf("%zu inputs replayed\n", files);
    return status;
}
