/* `fleet run`: this process is one rank of many. It finds out which, measures its GPU by a process of its own, and
 * keeps a row about it. Nothing goes between ranks but meetings (harness/ranks) and the files of the shared folder, in
 * which each rank writes what is its own alone, so that there is nothing to lock. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "archive/archive.h"
#include "call/message.h"
#include "call/parse.h"
#include "call/verb.h"
#include "core/probe.h"
#include "fleet_child.h"
#include "fleet_rows.h"
#include "overhead_meter.h"
#include "ranks.h"

enum { LOOK_NS = 200000000, HOLD_NS = 300000000, CLOSING_S = 10 };

typedef struct fleet {
    const fx_call *call;
    const char *folder;
    fx_ranks ranks;
    fx_fleet_row row;
    char own[PATH_MAX], log[PATH_MAX]; /* the folder of the rank's archives; what its process prints */
    bool nothing_to_do;                /* its row is done already */
    fx_text_list arguments;            /* of that process */
    char label[3][160], number[16];
    const char *device; /* borrowed from the options, or `number` */
    atomic_bool over;
} fleet;

static atomic_int stop_signal;

static void on_signal(int number) {
    atomic_store(&stop_signal, number);
}

/* Options that the process of the rank does not get. */
static bool is_ours(const char *argument, bool *has_value) {
    static const struct {
        const char *name;
        bool switched;
    } ours[] = {{"--out", false},    {"--limit", false},   {"--wait", false},
                {"--device", false}, {"--together", true}, {"--json", true}};
    for (size_t i = 0; i < FX_COUNT(ours); i++) {
        const size_t length = strlen(ours[i].name);
        if (!strncmp(argument, ours[i].name, length) && (argument[length] == '=' || !argument[length])) {
            *has_value = !argument[length] && !ours[i].switched;
            return true;
        }
    }
    return false;
}

/* The request as a text: a row that says "done" is done only for the same request. */
static fx_status take_arguments(fleet *f, fx_error *err) {
    const fx_call *call = f->call;
    size_t at = 0;
    f->row.asked[0] = '\0';
    for (size_t i = 1; i < call->argument_count; i++) {
        bool has_value = false;
        if (is_ours(call->arguments[i], &has_value)) {
            i += has_value;
            continue;
        }
        at += (size_t)snprintf(f->row.asked + at, sizeof f->row.asked - at, "%s%s", at ? " " : "", call->arguments[i]);
        FX_FAIL_IF(at >= sizeof f->row.asked, err, FX_BAD_INPUT,
                   "the options of a fleet run may be %zu characters long", sizeof f->row.asked - 1);
    }
    return FX_OK;
}

static fx_status add_all(fx_text_list *to, const char *const *texts, size_t count, fx_error *err) {
    for (size_t i = 0; i < count; i++) {
        FX_TRY(fx_text_list_add(to, texts[i], err));
    }
    return FX_OK;
}

/* The command line of the process that measures. */
static fx_status make_arguments(fleet *f, fx_error *err) {
    const char *const first[] = {"run",       "--out",   f->own,      "--device", f->device,  "--label",
                                 f->label[0], "--label", f->label[1], "--label",  f->label[2]};
    (void)snprintf(f->label[0], sizeof f->label[0], "host=%s", f->row.host);
    (void)snprintf(f->label[1], sizeof f->label[1], "rank=%d", f->ranks.rank);
    (void)snprintf(f->label[2], sizeof f->label[2], "together=%s", f->call->options.run.together ? "yes" : "no");
    FX_TRY(add_all(&f->arguments, first, FX_COUNT(first), err));
    for (size_t i = 1; i < f->call->argument_count; i++) {
        bool has_value = false;
        if (is_ours(f->call->arguments[i], &has_value)) {
            i += has_value;
        } else if (fx_text_list_add(&f->arguments, f->call->arguments[i], err)) {
            return err->status;
        }
    }
    return FX_OK;
}

/* If the launcher makes only its own GPU visible to each rank, that is number 0. */
static void choose_device(fleet *f) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const bool one = visible && *visible && !strchr(visible, ',');
    if (f->call->options.device) {
        f->device = f->call->options.device;
    } else {
        (void)snprintf(f->number, sizeof f->number, "%d", one ? 0 : f->ranks.local);
        f->device = f->number;
    }
    (void)snprintf(f->row.device, sizeof f->row.device, "%s", f->device);
}

static fx_status make_folder(const char *path, fx_error *err) {
    return mkdir(path, 0777) && errno != EEXIST ? fx_fail_io(err, "make", path, errno) : FX_OK;
}

static fx_status make_folders(fleet *f, fx_error *err) {
    static const char *const names[] = {"archives", "logs", "ranks"};
    char path[PATH_MAX];
    FX_TRY(make_folder(f->folder, err));
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        FX_FAIL_IF(snprintf(path, sizeof path, "%s/%s", f->folder, names[i]) >= (int)sizeof path ||
                       snprintf(f->own, sizeof f->own, "%s/archives/%s", f->folder, f->row.name) >=
                           (int)sizeof f->own ||
                       snprintf(f->log, sizeof f->log, "%s/logs/%s.txt", f->folder, f->row.name) >= (int)sizeof f->log,
                   err, FX_BAD_INPUT, "the path %.100s... is too long; choose a shorter one", f->folder);
        FX_TRY(make_folder(path, err));
    }
    return FX_OK;
}

/* A row says "done" as long as the archives are there: somebody may have moved them since. */
static bool has_archives(const char *folder) {
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;
    while (entries && (entry = readdir(entries)) && !fx_archive_is_named(entry->d_name)) {
    }
    if (entries) {
        (void)closedir(entries);
    }
    return entry != NULL;
}

static fx_status taken(const fleet *f, fx_error *err) {
    return fx_fail(err, FX_BAD_INPUT,
                   "%s is being measured by another fleet run into %s; wait for it, or choose another --out",
                   f->row.name, f->folder);
}

/* Of two runs that begin at one time the row is that of the last one; the other goes. */
static fx_status hold(const fleet *f, fx_error *err) {
    const struct timespec pause = {.tv_nsec = HOLD_NS};
    fx_fleet_row now = {.rank = 0};
    bool found = false;
    (void)nanosleep(&pause, NULL);
    FX_TRY(fx_fleet_row_read(f->folder, f->row.name, &now, &found, err));
    return found && strcmp(now.job, f->row.job) != 0 ? taken(f, err) : FX_OK;
}

/* Identify this rank, and read its row of an earlier start. */
static fx_status prepare(fleet *f, fx_error *err) {
    fx_fleet_row before = {.rank = 0};
    bool found = false;
    FX_FAIL_IF(!f->folder, err, FX_BAD_INPUT, "--out is missing; name a folder that all ranks can write to");
    FX_FAIL_IF(f->call->options.run.together && f->call->options.run.by_need, err, FX_BAD_INPUT,
               "--together needs the same cases on all ranks, which --processes auto does not give; name a "
               "number of processes");
    FX_TRY(fx_ranks_read(&f->ranks, err));
    FX_TRY(take_arguments(f, err));
    if (f->ranks.rank == 0 && !f->ranks.job[0]) {
        fx_warn("%s does not number its starts, so rows of an earlier start in this folder would count as new; give "
                "all ranks the same new GPUFX_JOB, such as the date",
                f->ranks.launcher);
    }
    FX_FAIL_IF(gethostname(f->row.host, sizeof f->row.host) || !f->row.host[0] || strchr(f->row.host, '/'), err, FX_IO,
               "the host name can't be used as a file name; set another with hostname");
    f->row.rank = f->ranks.rank;
    f->row.size = f->ranks.size;
    f->row.limit_s = f->call->options.fleet.limit_s;
    (void)snprintf(f->row.job, sizeof f->row.job, "%s", f->ranks.job);
    (void)snprintf(f->row.name, sizeof f->row.name, "%.120s.%d", f->row.host, f->ranks.local);
    choose_device(f);
    FX_TRY(make_folders(f, err));
    FX_TRY(fx_fleet_row_read(f->folder, f->row.name, &before, &found, err));
    if (found && before.state == FX_ROW_MEASURING) {
        return taken(f, err);
    }
    /* Together means all of them. */
    f->nothing_to_do = found && before.state == FX_ROW_DONE && !strcmp(before.asked, f->row.asked) &&
                       !f->call->options.run.together && has_archives(f->own);
    if (f->nothing_to_do) {
        (void)snprintf(before.job, sizeof before.job, "%s", f->row.job);
        before.rank = f->row.rank;
        before.size = f->row.size;
        f->row = before;
    }
    return make_arguments(f, err);
}

static void *keep_touching(void *context) {
    fleet *f = context;
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    for (double last_s = fx_now_s(); !atomic_load(&f->over); (void)nanosleep(&pause, NULL)) {
        if (fx_now_s() - last_s > FX_ROW_BEAT_S) {
            last_s = fx_now_s();
            fx_fleet_row_touch(f->folder, &f->row);
        }
    }
    return NULL;
}

static void pass(void *context) {
    fleet *f = context;
    f->row.cases++;
    f->row.met += fx_ranks_meet(&f->ranks, f->call->options.fleet.wait_s);
}

/* The last line that the process printed, for the row. */
static void take_last_line(const char *log, char *text, size_t size) {
    FILE *file = fopen(log, "re");
    char line[512];
    text[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        if (line[0] != '\n') {
            (void)snprintf(text, size, "%.*s", (int)strcspn(line, "\n"), line);
        }
    }
    if (file) {
        (void)fclose(file);
    }
}

static bool is_full(const char *folder) {
    struct statvfs disk;
    return !statvfs(folder, &disk) && disk.f_blocks && !disk.f_bavail;
}

/* Put the outcome into the row. */
static void judge(fleet *f, const fx_fleet_child *child) {
    fx_fleet_row *row = &f->row;
    char last[400];
    const int code = WIFEXITED(child->status) ? WEXITSTATUS(child->status) : -1;
    take_last_line(f->log, last, sizeof last);
    row->elapsed_s = child->elapsed_s;
    if (child->timed_out || child->gone) {
        row->state = FX_ROW_TIMED_OUT;
        (void)snprintf(row->reason, sizeof row->reason, "not finished after %g s%s", child->limit_s,
                       child->gone ? ", and could not be killed: the driver does not let it go"
                                   : "; its results are kept");
    } else if (atomic_load(&stop_signal)) {
        row->state = FX_ROW_INTERRUPTED;
        (void)snprintf(row->reason, sizeof row->reason, "by signal %d", atomic_load(&stop_signal));
    } else if (code == FX_EXIT_OK) {
        row->state = FX_ROW_DONE;
        row->reason[0] = '\0';
    } else {
        row->state = code == FX_EXIT_NOTHING ? FX_ROW_NO_GPU : FX_ROW_FAILED;
        if (WIFSIGNALED(child->status)) {
            (void)snprintf(row->reason, sizeof row->reason, "killed by signal %d (%s)", WTERMSIG(child->status),
                           strsignal(WTERMSIG(child->status)));
        } else if (is_full(f->folder)) { /* and the log may lack its end */
            (void)snprintf(row->reason, sizeof row->reason, "no space left on the disk; free some and start again");
        } else {
            (void)snprintf(row->reason, sizeof row->reason, "%s", last);
        }
    }
}

static fx_status measure(fleet *f, fx_error *err) {
    pthread_t toucher;
    fx_fleet_child child = {.arguments = f->arguments.text,
                            .argument_count = f->arguments.count,
                            .log = f->log,
                            .limit_s = f->call->options.fleet.limit_s,
                            .stop = &stop_signal,
                            .gated = f->ranks.meeting,
                            .missing_from = f->call->options.run.together ? NULL : f->own,
                            .pass = pass,
                            .context = f};
    f->row.state = FX_ROW_MEASURING;
    (void)snprintf(f->row.archive, sizeof f->row.archive, "archives/%s", f->row.name);
    FX_TRY(fx_fleet_row_write(f->folder, &f->row, err));
    FX_TRY(hold(f, err));
    const bool touched = !pthread_create(&toucher, NULL, keep_touching, f);
    fx_status status = fx_fleet_child_run(&child, err);
    atomic_store(&f->over, true);
    if (touched) {
        (void)pthread_join(toucher, NULL);
    }
    if (status == FX_OK) {
        judge(f, &child);
    } else {
        f->row.state = FX_ROW_FAILED;
        (void)snprintf(f->row.reason, sizeof f->row.reason, "%s", err->text);
    }
    return fx_fleet_row_write(f->folder, &f->row, err);
}

/* Rank 0: once every rank of this start has ended, or is lost. A rank that has not begun has until the others end. */
static int wait_for_others(const fleet *f) {
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    const double from_s = fx_now_s();
    for (;; (void)nanosleep(&pause, NULL)) {
        fx_error err = {0};
        fx_fleet_row *rows = NULL;
        size_t count = 0, open = 0, absent = 0;
        if (fx_rows_read(f->folder, f->ranks.job, f->ranks.size, &rows, &count, &err)) {
            free(rows);
            return fx_exit_for(&err);
        }
        for (size_t i = 0; i < count; i++) {
            open += rows[i].state == FX_ROW_MEASURING;
            absent += rows[i].state == FX_ROW_ABSENT;
        }
        if ((!open && (!absent || fx_now_s() - from_s > CLOSING_S)) || atomic_load(&stop_signal)) {
            const size_t missing = fx_rows_print(stdout, rows, count, f->call->options.json);
            free(rows);
            return missing ? FX_EXIT_NO : FX_EXIT_OK;
        }
        free(rows);
    }
}

int fx_verb_fleet_run(fx_call *call) {
    const struct sigaction action = {.sa_handler = on_signal};
    fx_error err = {0};
    fleet f = {.call = call, .folder = call->options.out};
    fx_status status = prepare(&f, &err);
    if (status == FX_OK && call->options.run.together) {
        status = fx_ranks_begin(&f.ranks, call->options.fleet.wait_s, &err);
    }
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    if (status == FX_OK) {
        status = f.nothing_to_do ? fx_fleet_row_write(f.folder, &f.row, &err) : measure(&f, &err);
    }
    int exit_status = status == FX_OK ? FX_EXIT_OK : fx_exit_for(&err);
    if (f.ranks.rank > 0) {
        exit_status = FX_EXIT_OK; /* launchers end all ranks when one of them fails */
    } else if (status == FX_OK) {
        exit_status = wait_for_others(&f);
    }
    if (atomic_load(&stop_signal)) {
        exit_status = 128 + atomic_load(&stop_signal);
    }
    fx_ranks_end(&f.ranks, exit_status);
    free(f.arguments.text);
    return exit_status;
}

int fx_verb_fleet_status(fx_call *call) {
    fx_error err = {0};
    fx_fleet_row *rows = NULL;
    size_t count = 0;
    if (fx_rows_read(call->options.words.text[0], NULL, 0, &rows, &count, &err)) {
        free(rows);
        return fx_exit_for(&err);
    }
    const size_t missing = fx_rows_print(stdout, rows, count, call->options.json);
    free(rows);
    return missing ? FX_EXIT_NO : FX_EXIT_OK;
}
