/* The project's folder comes from the environment (the front door sets it) or from the program's own place, so that
 * your own build folder needs no setting. */
#include "places.h"

#include <glob.h>
#include <unistd.h>

static fx_status join(char out[PATH_MAX], const char *a, const char *b, fx_error *err) {
    int length = snprintf(out, PATH_MAX, "%s/%s", a, b);
    FX_FAIL_IF(length < 0 || length >= PATH_MAX, err, FX_BAD_INPUT,
               "the path %.100s... is too long; choose a shorter one", a);
    return FX_OK;
}

static bool exists_under(const char *folder, const char *name) {
    char path[PATH_MAX];
    return !join(path, folder, name, NULL) && !access(path, F_OK);
}

fx_status fx_root(char root[PATH_MAX], fx_error *err) {
    const char *given = getenv("GPUFX_ROOT");
    if (given && *given) {
        FX_FAIL_IF(!realpath(given, root), err, FX_BAD_INPUT,
                   "GPUFX_ROOT=%s: %s; unset it, or name the project's folder", given, strerror(errno));
        return FX_OK;
    }
    FX_FAIL_IF(!realpath("/proc/self/exe", root), err, FX_IO,
               "the location of the program can't be read: %s; set GPUFX_ROOT to the project's folder",
               strerror(errno));
    for (char *slash = strrchr(root, '/'); slash && slash != root; slash = strrchr(root, '/')) {
        *slash = '\0';
        if (exists_under(root, "results/schema")) {
            return FX_OK;
        }
        if (exists_under(root, "share/gpufx/results/schema")) {
            char installed[PATH_MAX];
            const fx_status status = join(installed, root, "share/gpufx", err);
            memcpy(root, installed, sizeof installed);
            return status;
        }
    }
    return fx_fail(err, FX_BAD_INPUT,
                   "the project's folder is not above the program; set GPUFX_ROOT to it, or call ./gpufx there");
}

fx_status fx_home(const char *root, char home[PATH_MAX], fx_error *err) {
    const char *given = getenv("GPUFX_HOME"), *data = getenv("XDG_DATA_HOME"), *user = getenv("HOME");
    if (given && *given) {
        return snprintf(home, PATH_MAX, "%s", given) < PATH_MAX
                   ? FX_OK
                   : fx_fail(err, FX_BAD_INPUT, "GPUFX_HOME is too long; name a shorter path");
    }
    if (exists_under(root, "CMakeLists.txt")) {
        (void)snprintf(home, PATH_MAX, "%s", root);
        return FX_OK;
    }
    if (data && data[0] == '/') {
        return join(home, data, "gpufx", err);
    }
    return user && *user ? join(home, user, ".local/share/gpufx", err)
                         : fx_fail(err, FX_BAD_INPUT, "HOME is not set; name a folder for archives with GPUFX_HOME");
}

void fx_python(const char *root, char python[PATH_MAX]) {
    const char *given = getenv("GPUFX_PYTHON");
    if (given && *given) {
        (void)snprintf(python, PATH_MAX, "%s", given);
    } else if (!exists_under(root, ".venv/bin/python") || join(python, root, ".venv/bin/python", NULL)) {
        (void)snprintf(python, PATH_MAX, "python3");
    }
}

fx_status fx_synthetic_folder(const char *root, char folder[PATH_MAX], fx_error *err) {
    return join(folder, root, "harness/core/synthetic", err);
}

json_t *fx_synthetic_names(const char *root) {
    char pattern[PATH_MAX];
    glob_t files = {0};
    json_t *names = json_array();
    const bool found = !join(pattern, root, "harness/core/synthetic/*.json", NULL) && !glob(pattern, 0, NULL, &files);
    for (size_t i = 0; found && i < files.gl_pathc; i++) {
        const char *name = strrchr(files.gl_pathv[i], '/') + 1;
        (void)json_array_append_new(names, json_stringn(name, strlen(name) - strlen(".json")));
    }
    globfree(&files);
    return names;
}

/* realpath of a path whose last parts may not exist yet: the existing part is resolved, the rest appended. */
static fx_status resolve(const char *path, char out[PATH_MAX], fx_error *err) {
    char full[PATH_MAX], head[PATH_MAX], real[PATH_MAX];
    FX_FAIL_IF(path[0] != '/' && !getcwd(head, sizeof head), err, FX_BAD_INPUT,
               "%.200s: the current folder no longer exists; change to one that does, or give --out an absolute path",
               path);
    FX_TRY(path[0] == '/' ? join(full, "", path + 1, err) : join(full, head, path, err));
    memcpy(head, full, sizeof head);
    while (!realpath(head, real)) {
        FX_FAIL_IF(errno != ENOENT, err, FX_BAD_INPUT, "%s: %s; choose another folder with --out", path,
                   strerror(errno));
        char *slash = strrchr(head, '/');
        if (!slash || slash == head) {
            (void)snprintf(real, sizeof real, "/");
            head[0] = '\0';
            break;
        }
        *slash = '\0';
    }
    const char *rest = full + strlen(head);
    FX_FAIL_IF(strstr(rest, "/.."), err, FX_BAD_INPUT, "%s leaves a folder that does not exist; write it without '..'",
               path);
    FX_FAIL_IF(snprintf(out, PATH_MAX, "%s%s", real, rest) >= PATH_MAX, err, FX_BAD_INPUT,
               "the path %.100s... is too long; choose a shorter one", path);
    return FX_OK;
}

fx_status fx_archive_folder(const char *root, const char *out, const fx_device *device, char folder[PATH_MAX],
                            fx_error *err) {
    char measured[PATH_MAX], home[PATH_MAX], own[300];
    (void)snprintf(own, sizeof own, "%s/%s/%s", device->synthetic ? "out" : "results", device->arch, device->slug);
    if (out ? resolve(out, folder, err) : (fx_home(root, home, err) || join(folder, home, own, err))) {
        return err->status;
    }
    if (!device->synthetic || join(measured, root, "results", err) || resolve(measured, measured, err)) {
        return err->status;
    }
    size_t length = strlen(measured);
    FX_FAIL_IF(!strncmp(folder, measured, length) && (folder[length] == '/' || !folder[length]), err, FX_BAD_INPUT,
               "--out %s: an archive of a synthetic device can't be kept under results/, which only holds "
               "measured numbers; choose another folder",
               out ? out : folder);
    return FX_OK;
}

const char *fx_short_path(const char *root, const char *path) {
    size_t length = strlen(root);
    return !strncmp(path, root, length) && path[length] == '/' ? path + length + 1 : path;
}

const char *fx_path_from_here(const char *root, const char *path) {
    char here[PATH_MAX];
    return getcwd(here, sizeof here) && !strcmp(here, root) ? fx_short_path(root, path) : path;
}
