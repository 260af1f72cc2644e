/* The archives of a folder, as their first lines describe them, and the one rule by which one of them is the nearest.
 *
 * Those of the same device come first, then those of the same architecture, then any; of each, complete ones before
 * those that were cut off, and of these the latest, of another device behind a reference. Archives that were taken
 * under a profiler, and invented ones, are never near. Of one second, the file that was written to last is the later.
 */
#pragma once

#include <limits.h>
#include <time.h>

#include <jansson.h>

#include "core/error.h"

typedef enum fx_archive_match { FX_SAME_DEVICE, FX_SAME_ARCH, FX_ANY_DEVICE } fx_archive_match;

typedef struct fx_archive_entry {
    char *path;
    char utc[32]; /* when it began, "2026-11-20T19:05:33Z" */
    bool dated;   /* false: that is still to come, so it says nothing, and the archive goes last */
    struct timespec written;
    const char *id, *device, *slug, *arch; /* borrowed from run; "" where it does not say */
    bool quick, profiled, synthetic;
    bool listed;    /* of cases of a list (--only), as accept measures them */
    bool reference; /* of its chip, by root/results/reference.json */
    json_t *run;    /* the first line */
    int complete;   /* -1: not looked at */
} fx_archive_entry;

/* Newest first. */
typedef struct fx_archives {
    fx_archive_entry *past;
    size_t count, looked;
    char tomorrow[32];
} fx_archives;

/* All archives of files and folders, newest first; where somebody `named` them, one that is not there, or no archive,
 * is an error. What cannot be read within a folder is left out. Only first lines are read. */
fx_status fx_archives_of_places(const char *const *places, size_t count, bool named, fx_archives **out, fx_error *err);

/* The same of root/results, and unless `kept_only` of root/out. */
fx_status fx_archives_of_project(const char *root, bool kept_only, fx_archives **out, fx_error *err);
void fx_archives_close(fx_archives *history); /* NULL is fine */
FX_OWNER(fx_archives_close, fx_archives)

/* Whether the archive's last line says that the run is complete. Reads the file. */
bool fx_archive_entry_complete(fx_archive_entry *past);

/* True if the run was meant to have cases of the probe. */
bool fx_archive_entry_has(const fx_archive_entry *past, const char *probe);

/* What is asked of an archive. */
typedef struct fx_archive_query {
    const char *slug, *arch; /* of the device at hand; NULL: not known */
    fx_archive_match farthest;
    bool quick; /* one taken with --quick, or else a full one, which has nearly all of its cases; false: a full one */
    const json_t *probes; /* an object whose keys are names of probes, and it must have all of them */
    const char *except;   /* a path that realpath made; NULL: none */
} fx_archive_query;

/* The archives that the wish allows, nearest first: start with *at = 0, NULL ends it. *reach says how near. */
fx_archive_entry *fx_archives_next(const fx_archives *history, const fx_archive_query *wish, size_t *at,
                                   fx_archive_match *reach);

/* "NVIDIA H200, the same model", "NVIDIA H100, the same architecture"; with ", cut off" where it is not complete. uuid:
 * of the card at hand, which tells cards of one model apart; "": unknown. */
const char *fx_archive_match_words(fx_archive_match reach, const fx_archive_entry *past, const char *uuid, char *text,
                                   size_t size);

/* The archive to compare `self` with: the nearest under root/results that was meant to have cases of every probe of
 * `self`; where `self` is --quick, one that is, too, before a full one. Never `self`, and of an invented device none of
 * a device with another name. False, with `path` as it was, if there is none. `words` says how near it is, *whole
 * whether it is a full one beside a quick one. */
bool fx_nearest_archive(const char *root, const char *self, char path[PATH_MAX], char *words, size_t size, bool *whole);
