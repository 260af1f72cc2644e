/* Finds the archive that a name means: reads the first lines of the archives at rest and keeps those that match, in the
 * order of `enum` below. */
#include "archive_name.h"

#include <sys/stat.h>

#include "archive.h"
#include "archive_folder.h"
#include "call/message.h"
#include "call/option_table.h"
#include "call/parse.h"
#include "call/places.h"
#include "core/probe.h"
#include "core/text.h"

enum { LEAST_ID = 4 };

/* Some archives, newest first. */
typedef struct some {
    fx_archive_entry **past; /* owned array, borrowed archives */
    size_t count;
} some;

/* Those that can be named. */
static some nameable(const fx_archives *history) {
    some out = {.past = fx_new(history->count, sizeof *out.past)};
    for (size_t i = 0; i < history->count; i++) {
        out.past[out.count] = &history->past[i];
        out.count += !out.past[out.count]->profiled;
    }
    return out;
}

/* Match order: whole slug, whole part of it, prefix of a part, prefix of an id. */
enum { WHOLE, PART, BEGINNING_OF_PART, BEGINNING_OF_ID, MEANINGS };

/* True if a part of the slug, between the "-" that stand for blanks and signs of a name, is or begins with the word. */
static bool has_part(const char *slug, const char *word, bool whole) {
    const size_t length = strlen(word);
    for (const char *at = slug; (at = strcasestr(at, word)); at++) {
        const bool begins = at == slug || at[-1] == '-', ends = !at[length] || at[length] == '-';
        if (begins && (ends || !whole)) {
            return true;
        }
    }
    return false;
}

static bool means(const fx_archive_entry *past, const char *word, int meaning) {
    if (!*word) {
        return false;
    }
    switch (meaning) {
    case WHOLE:
        return !strcasecmp(word, past->arch) || !strcasecmp(word, past->slug) || !strcasecmp(word, past->id);
    case PART:
    case BEGINNING_OF_PART:
        return has_part(past->slug, word, meaning == PART);
    default:
        return strlen(word) >= LEAST_ID && !strncasecmp(word, past->id, strlen(word));
    }
}

/* Keep the matches of the word; prefer measured archives over synthetic ones, and for `latest` both over what accept
 * has measured, which is no run to compare the next one with. */
static void keep_meant(some *all, const char *word) {
    const bool latest = !strcmp(word, "latest");
    size_t kept = 0;
    for (int meaning = 0; meaning < MEANINGS && !kept; meaning++) {
        for (int rank = 0; rank < 4 && !kept; rank++) {
            for (size_t i = 0; i < all->count; i++) {
                const int mine = 2 * all->past[i]->synthetic + (latest && all->past[i]->listed);
                if (mine == rank && (latest || means(all->past[i], word, meaning))) {
                    all->past[kept++] = all->past[i];
                }
            }
        }
    }
    all->count = kept;
}

/* How many of synthetic devices are later than all that was measured; 0 where nothing was. */
static size_t later_invented(const some *all) {
    size_t count = 0;
    while (count < all->count && all->past[count]->synthetic) {
        count++;
    }
    return count < all->count ? count : 0;
}

static fx_status unknown(const char *word, fx_error *err) {
    FX_FAIL_IF(fx_probe_find(word), err, FX_BAD_INPUT,
               "'%s' is a probe, not an archive; name an archive, and add --probe %s", word, word);
    return fx_fail(err, FX_BAD_INPUT,
                   "no archive is named '%.60s': `gpufx archive list` lists them; `gpufx characterize` measures a GPU",
                   word);
}

/* Place of the index-th: the complete ones come first. *passed: cut-off ones that are later than what was picked. */
static size_t pick(const some *found, size_t index, size_t *passed) {
    size_t complete = 0, cut = 0;
    *passed = 0;
    if (found->count == 1) { /* to read it through takes a tenth of a second */
        return 0;
    }
    for (size_t i = 0; i < found->count; i++) {
        if (fx_archive_entry_complete(found->past[i]) && complete++ == index) {
            *passed = i - index;
            return i;
        }
    }
    for (size_t i = 0; i < found->count; i++) {
        if (!fx_archive_entry_complete(found->past[i]) && complete + cut++ == index) {
            return i;
        }
    }
    return 0;
}

static bool same_device(const fx_archive_entry *past, const fx_archive_entry *head) {
    return !strcmp(past->slug, head->slug);
}

/* A card without a UUID is taken for the same one. */
static bool same_card(const fx_archive_entry *past, const fx_archive_entry *head) {
    const char *card = fx_json_text(json_object_get(past->run, "device"), "uuid"),
               *other = fx_json_text(json_object_get(head->run, "device"), "uuid");
    return same_device(past, head) && (!strcmp(card, other) || !*card || !*other);
}

static void keep_like(some *found, const fx_archive_entry *head,
                      bool (*alike)(const fx_archive_entry *, const fx_archive_entry *)) {
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (alike(found->past[i], head)) {
            found->past[kept++] = found->past[i];
        }
    }
    found->count = kept;
}

/* Of a device's archives by its name those from its reference on: how many newer ones were left out. */
static size_t from_reference(some *found, const char *word) {
    size_t newer = 0;
    while (newer < found->count && !found->past[newer]->reference) {
        newer++;
    }
    if (newer == found->count || means(found->past[newer], word, BEGINNING_OF_ID)) {
        return 0;
    }
    found->count -= newer;
    memmove(found->past, found->past + newer, found->count * sizeof *found->past);
    return newer;
}

static char *notes[8]; /* said at the end, so that the first line is the answer's */
static size_t note_count;

static void say_notes(void) {
    for (size_t i = 0; i < note_count; i++) {
        fx_print_line(stderr, "%s", notes[i]);
    }
}

/* invented: how many later ones are of synthetic devices; newer: how many are newer than the reference, if taken. */
static void say_taken(const char *root, const char *name, const fx_archive_entry *taken, size_t passed, size_t invented,
                      size_t newer) {
    char over[64] = "", unlike[96] = "";
    if (passed) {
        (void)snprintf(over, sizeof over, ", skipping %zu newer that %s truncated", passed,
                       passed == 1 ? "was" : "were");
    }
    if (newer) {
        (void)snprintf(unlike, sizeof unlike, ", the reference; %zu newer: name one by its id, or latest", newer);
    }
    if (invented) {
        (void)snprintf(unlike, sizeof unlike, "; skipped %zu newer synthetic (name the device or the id to use one)",
                       invented);
    }
    if (!fx_is_quiet() && note_count < sizeof notes / sizeof *notes && (note_count || !atexit(say_notes))) {
        notes[note_count++] = fx_printed("note: %.100s: taking %s (%s, %s)%s%s", name, fx_short_path(root, taken->path),
                                         taken->slug, taken->utc, over, unlike);
    }
}

/* The N of NAME~N, and how long NAME is; 0 and the whole length where there is none. */
static size_t steps_back(const char *name, size_t *length) {
    const char *tilde = strrchr(name, '~');
    const size_t digits = tilde ? strspn(tilde + 1, "0123456789") : 0;
    const bool counted = digits > 0 && digits < 5 && !tilde[1 + digits];
    *length = counted ? (size_t)(tilde - name) : strlen(name);
    return counted ? strtoul(tilde + 1, NULL, 10) : 0;
}

/* For a gate, which passes on runs of this machine alone: what `latest` was taken for, a line each, and the newest run
 * if that is synthetic. */
static void hand_over(const char *root, const char *path, const fx_archive_entry *newest) {
    const char *before = getenv(FX_LATEST);
    FX_FREED char *lines = fx_printed("%s%s%s", before ? before : "", before ? "\n" : "", path);
    (void)setenv(FX_LATEST, lines, 1);
    if (newest->synthetic) {
        (void)setenv(FX_INVENTED, fx_short_path(root, newest->path), 1);
    }
}

bool fx_archive_is_a_name(const char *text) {
    struct stat info;
    return *text && stat(text, &info) != 0 && !strchr(text, '/') && !fx_ends_in(text, ".jsonl") &&
           !fx_ends_in(text, ".gz");
}

fx_status fx_archives_meant(const fx_archives *archives, const char *name, fx_archive_entry ***meant, size_t *count,
                            fx_error *err) {
    some found = nameable(archives);
    keep_meant(&found, name);
    if (!found.count) {
        free(found.past);
        return unknown(name, err);
    }
    *meant = found.past;
    *count = found.count;
    return FX_OK;
}

static bool is_folder(const char *name) {
    struct stat info;
    return !stat(name, &info) && S_ISDIR(info.st_mode);
}

/* What was asked for: NAME or NAME~N. */
typedef struct request {
    const char *root, *name; /* as it was typed */
    char word[PATH_MAX];     /* NAME: a word, or */
    bool folder;             /* a folder, whose archives are all meant */
    size_t index;            /* N */
} request;

/* all: what there is, newest first; those that are meant come back in it. */
static fx_status take(const request *r, some *all, char path[PATH_MAX], fx_error *err) {
    const bool latest = !r->folder && !strcmp(r->word, "latest");
    const fx_archive_entry *newest = all->past[0];
    const size_t invented = latest ? later_invented(all) : 0;
    size_t passed = 0, newer = 0, same = 0, others = 0; /* others: archives of devices that have the name, too */
    if (!r->folder) {
        keep_meant(all, r->word);
        if (!all->count) {
            return unknown(r->word, err);
        }
    }
    if (!r->folder && !latest) {
        others = all->count;
        while (same < others && same_device(all->past[same], all->past[0])) {
            same++;
        }
        keep_like(all, all->past[same == others ? 0 : pick(all, 0, &passed)], same_device);
        others -= all->count;
        newer = from_reference(all, r->word);
    }
    if (r->index) { /* NAME~N: the N-th before the newest of the same card */
        const fx_archive_entry *head = all->past[pick(all, 0, &passed)];
        char besides[64] = "";
        if (invented) {
            (void)snprintf(besides, sizeof besides, "; %zu newer %s synthetic", invented, invented == 1 ? "is" : "are");
        }
        keep_like(all, head, same_card);
        FX_FAIL_IF(r->index >= all->count, err, FX_BAD_INPUT,
                   "'%.60s': %.60s is %s, whose card has %zu archive%s%s; name one by its id (`gpufx archive list`)",
                   r->name, r->word, fx_short_path(r->root, head->path), all->count, all->count == 1 ? "" : "s",
                   besides);
    }
    const fx_archive_entry *taken = all->past[pick(all, r->index, &passed)];
    (void)snprintf(path, PATH_MAX, "%s", taken->path);
    if (latest || passed || newer || others || (r->folder && all->count > 1)) {
        say_taken(r->root, r->folder ? r->word : r->name, taken, passed, invented, newer);
    }
    if (latest) {
        hand_over(r->root, path, newest);
    }
    return FX_OK;
}

static fx_status find(const request *r, char path[PATH_MAX], fx_error *err) {
    const char *place = r->word;
    FX_OWNED(fx_archives_close_at) fx_archives *history = NULL;
    FX_TRY(r->folder ? fx_archives_of_places(&place, 1, true, &history, err)
                     : fx_archives_of_project(r->root, false, &history, err));
    some all = nameable(history);
    FX_FREED void *owned = all.past;
    FX_FAIL_IF(!all.count && r->folder, err, FX_BAD_INPUT, "'%.200s': there is no archive in this folder", r->word);
    FX_FAIL_IF(!all.count, err, FX_BAD_INPUT,
               "'%.60s': there is no archive under results/ or out/ yet; run `gpufx characterize` first", r->name);
    return take(r, &all, path, err);
}

static fx_status archive_named(const char *root, const char *name, char path[PATH_MAX], fx_error *err) {
    struct stat info;
    request r = {.root = root, .name = name};
    size_t length;
    FX_FAIL_IF(!*name, err, FX_BAD_INPUT, "an empty name means no archive; give a file, or a name such as latest");
    FX_FAIL_IF(strlen(name) >= PATH_MAX, err, FX_BAD_INPUT, "the name of an archive is too long: '%.60s...'", name);
    (void)snprintf(r.word, sizeof r.word, "%s", name);
    r.folder = is_folder(name);
    if (!r.folder && !stat(name, &info)) {
        (void)snprintf(path, PATH_MAX, "%s", name);
        return S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode)
                   ? FX_OK
                   : fx_fail(err, FX_BAD_INPUT, "'%.200s': neither a file nor a pipe, so not an archive", name);
    }
    if (!r.folder) {
        r.index = steps_back(name, &length);
        r.word[length] = '\0';
        r.folder = is_folder(r.word);
    }
    FX_FAIL_IF(!r.folder && !fx_archive_is_a_name(name), err, FX_BAD_INPUT, "'%.200s': no such file or folder", name);
    return find(&r, path, err);
}

/* The path of a named archive in its place; the options own it. */
static fx_status name_archive(const char *root, fx_options *options, const char **text, fx_error *err) {
    char path[PATH_MAX];
    FX_TRY(archive_named(root, *text, path, err));
    fx_detail("'%s' is %s", *text, path);
    *text = fx_given(strdup(path));
    fx_text_list_add(&options->owned, *text);
    fx_text_list_add(&options->archives, *text);
    return FX_OK;
}

static fx_status name_several(const char *root, fx_options *options, const char **text, fx_error *err) {
    FX_FREED char *typed = fx_given(strdup(*text));
    char *rest = NULL;
    *text = "";
    for (char *next = strtok_r(typed, ",", &rest); next; next = strtok_r(NULL, ",", &rest)) {
        const char *path = next;
        FX_TRY(name_archive(root, options, &path, err));
        *text = fx_printed("%s%s%s", *text, **text ? "," : "", path);
        fx_text_list_add(&options->owned, *text);
    }
    FX_FAIL_IF(!**text, err, FX_BAD_INPUT, "--archive , names no archive; write one, or A,B");
    return FX_OK;
}

/* By name or through links. */
static bool same_file(const char *one, const char *other) {
    struct stat a, b;
    return !strcmp(one, other) || (!stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static fx_status name_words(size_t from, bool apart, bool folders, const char *root, fx_options *options,
                            fx_error *err) {
    const size_t count = options->words.count;
    FX_FREED const char **typed = fx_new(count, sizeof *typed);
    for (size_t i = from; i <= count; i++) {
        typed[i - 1] = options->words.text[i - 1];
        if (folders && is_folder(typed[i - 1])) {
            fx_text_list_add(&options->archives, typed[i - 1]);
        } else {
            FX_TRY(name_archive(root, options, &options->words.text[i - 1], err));
        }
    }
    const char *const *paths = options->words.text;
    for (size_t i = from; apart && i < count; i++) {
        FX_FAIL_IF(same_file(paths[from - 1], paths[i]), err, FX_BAD_INPUT,
                   "'%.60s' and '%.60s' are the same archive, %s; name another one, such as the one before, latest~1",
                   typed[from - 1], typed[i], fx_short_path(root, paths[i]));
    }
    return FX_OK;
}

fx_status fx_options_name_archives(const char *verb, size_t from, bool apart, fx_options *options, fx_error *err) {
    char root[PATH_MAX];
    FX_TRY(fx_root(root, err));
    if (from > 0) {
        /* `export --format parquet` takes all archives of a folder, and no other verb does. */
        const char *format = fx_options_given(options, verb, "--format");
        FX_TRY(name_words(from, apart, format && !strcmp(format, "parquet"), root, options, err));
    }
    for (size_t i = 0; i < fx_option_count; i++) {
        if (options->given[i] && fx_option_of(&fx_option_table[i], verb)) {
            if (fx_option_table[i].kind == ARCHIVE) {
                FX_TRY(name_archive(root, options, &options->given[i], err));
                *(const char **)((char *)options + fx_option_table[i].field) = options->given[i];
            } else if (fx_option_table[i].kind == ARCHIVES) {
                FX_TRY(name_several(root, options, &options->given[i], err));
            }
        }
    }
    return FX_OK;
}
