/* Which archives of a folder are nearest to a device, as tests/vectors/nearest_archive.json says. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "archive/archive_folder.h"
#include "vectors.h"

enum { MOST = 16 };

static const char *text_at(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static void write_archive(const char *folder, const json_t *one, char path[PATH_MAX]) {
    (void)snprintf(path, PATH_MAX, "%s/%s.jsonl", folder, text_at(one, "id"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    const bool synthetic = json_is_true(json_object_get(one, "synthetic"));
    json_t *run =
        json_pack("{ss si ss ss ss s{ss ss ss} s{s{ss}} sb sb}", "type", "run", "schema", 2, "id", text_at(one, "id"),
                  "started_utc", text_at(one, "utc"), "provenance", synthetic ? "synthetic" : "measured", "device",
                  "name", "?", "slug", text_at(one, "slug"), "arch", text_at(one, "arch"), "probes", "p", "question",
                  "\"}]\\", "quick", 0, "profiled", 0);
    assert_non_null(run);
    char *text = json_dumps(run, JSON_COMPACT);
    assert_non_null(text);
    (void)fprintf(file, "%s\n", text);
    if (json_is_true(json_object_get(one, "complete"))) {
        const uLong sum = crc32(crc32(0, (const Bytef *)text, (uInt)strlen(text)), (const Bytef *)"\n", 1);
        (void)fprintf(file, "{\"type\":\"end\",\"complete\":true,\"crc32\":\"%08lx\"}\n", sum);
    }
    assert_int_equal(fclose(file), 0);
    free(text);
    json_decref(run);
}

static void assert_nearest(const json_t *one, const fx_archives *archives) {
    const char *what = text_at(one, "what"), *slug = text_at(one, "slug"), *arch = text_at(one, "arch");
    const fx_archive_query query = {
        .slug = *slug ? slug : NULL, .arch = *arch ? arch : NULL, .farthest = FX_ANY_DEVICE};
    const json_t *nearest = json_object_get(one, "nearest"), *name;
    size_t at = 0, i;
    fx_archive_match match;
    json_array_foreach(nearest, i, name) {
        const fx_archive_entry *found = fx_archives_next(archives, &query, &at, &match);
        if (!found || strcmp(found->id, json_string_value(name)) != 0) {
            fail_msg("%s: number %zu is %s", what, i, found ? found->id : "missing");
        }
    }
    if (fx_archives_next(archives, &query, &at, &match)) {
        fail_msg("%s: there are more", what);
    }
}

TEST(the_cases_of_the_file) {
    json_t *file = vectors("nearest_archive.json");
    const json_t *cases = json_object_get(file, "cases"), *one, *archive;
    size_t index, i;
    assert_true(json_array_size(cases) > 5);
    json_array_foreach(cases, index, one) {
        char folder[] = "/tmp/gpufx-nearest-XXXXXX", paths[MOST][PATH_MAX];
        fx_archives *archives = NULL;
        size_t count = 0;
        assert_non_null(mkdtemp(folder));
        json_array_foreach(json_object_get(one, "archives"), i, archive) {
            assert_true(count < MOST);
            write_archive(folder, archive, paths[count++]);
        }
        assert_ok(fx_archives_of_places((const char *const[]){folder}, 1, true, &archives, &err));
        assert_int_equal(archives->count, count);
        assert_nearest(one, archives);
        fx_archives_close(archives);
        for (i = 0; i < count; i++) {
            assert_int_equal(unlink(paths[i]), 0);
        }
        assert_int_equal(rmdir(folder), 0);
    }
    json_decref(file);
}

TEST(folders_of_others_hold_none) {
    json_t *file = vectors("nearest_archive.json");
    const json_t *names = json_object_get(file, "folders_of_others"), *name;
    const json_t *archive =
        json_array_get(json_object_get(json_array_get(json_object_get(file, "cases"), 0), "archives"), 0);
    char folder[] = "/tmp/gpufx-nearest-XXXXXX", inner[64], path[PATH_MAX];
    size_t i;
    assert_true(json_array_size(names) > 0);
    assert_non_null(mkdtemp(folder));
    json_array_foreach(names, i, name) {
        fx_archives *archives = NULL;
        (void)snprintf(inner, sizeof inner, "%s/%s", folder, json_string_value(name));
        assert_int_equal(mkdir(inner, 0700), 0);
        write_archive(inner, archive, path);
        assert_ok(fx_archives_of_places((const char *const[]){folder}, 1, true, &archives, &err));
        assert_int_equal(archives->count, 0);
        fx_archives_close(archives);
        assert_int_equal(unlink(path) | rmdir(inner), 0);
    }
    assert_int_equal(rmdir(folder), 0);
    json_decref(file);
}

UNIT_MAIN(NULL, NULL)
