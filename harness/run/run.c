/* A run, from the selection to the archive's last line. */
#include "run.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <unistd.h>

#include "archive/archive.h"
#include "call/child.h"
#include "call/message.h"
#include "call/places.h"
#include "call/verb.h"
#include "children.h"
#include "core/case_list.h"
#include "core/clock.h"
#include "core/random.h"
#include "core/text.h"
#include "devices.h"
#include "gbench/gbench_c.h"
#include "plan.h"
#include "process.h"
#include "progress.h"
#include "provenance.h"
#include "run_fits.h"
#include "select.h"

/* The state of a run, in the order in which it is acquired. */
typedef struct run {
    fx_options options; /* the user's, settled */
    fx_plan plan;
    const char *const *arguments;
    size_t argument_count;
    fx_run_outcome *outcome;
    char root[PATH_MAX];
    bool child, listing;
    bool of_one;   /* what Google Benchmark writes is of one process */
    bool goes_on;  /* the caller says the closing words */
    FILE *results; /* where result lines go */
    FILE *nowhere; /* with --quiet they go there */
    const fx_probe **probes;
    size_t probe_count;
    fx_device *device;
    fx_facts facts; /* the device's, also when that is closed */
    fx_process *process;
    fx_archive *archive;
    double started_s;
    const char *reason; /* why the run is incomplete; NULL: it is not */
} run;

/* --profiled: what a kernel does outside its timed loop can be some per cent of its accesses; so long, hardly any. */
enum { PROFILED_STRETCH = 16 };

static atomic_int stop_signal;

static uint64_t random_seed(void) {
    uint64_t word = 0;
    return getrandom(&word, sizeof word, 0) == sizeof word ? word : (uint64_t)(1e9 * fx_now_s());
}

/* During set-up there is nothing to save. */
static void on_early_signal(int number) {
    static const char text[] = "gpufx: interrupted before anything was measured; nothing was kept\n";
    const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(written < 0 ? FX_EXIT_USE : 128 + number);
}

/* First signal: stop after this sample. Second: exit at once. */
static void on_signal(int number) {
    const bool again = atomic_exchange(&stop_signal, number);
    fx_child_signal(number);
    if (again) {
        _exit(128 + number);
    }
}

static fx_status initialize_benchmark(run *r, fx_error *err) {
    const fx_text_list *flags = &r->options.run.benchmark;
    FX_FAIL_IF(gb_initialize("gpufx", (const char *const *)flags->text, flags->count), err, FX_BAD_INPUT,
               "Google Benchmark: %s", gb_last_error());
    const size_t repetitions = strtoul(gb_flag("benchmark_repetitions"), NULL, 10);
    r->plan.repetitions = repetitions ? repetitions : 1;
    r->listing = !strcmp(gb_flag("benchmark_list_tests"), "true");
    r->of_one = *gb_flag("benchmark_out");
    FX_FAIL_IF(r->of_one && r->options.run.processes > 1 && !r->child, err, FX_BAD_INPUT,
               "--benchmark_out covers one process; leave out --processes, or read the archive");
    return FX_OK;
}

static fx_status keep_matching(fx_case_list *cases, fx_error *err) {
    const size_t all = cases->count;
    FX_FREED char *chosen = fx_new(all, 1);
    for (size_t i = 0; i < all; i++) {
        chosen[i] = gb_matches(cases->cases[i].name) ? '1' : '0';
    }
    fx_case_list_keep(cases, chosen);
    FX_FAIL_IF(!cases->count, err, FX_BAD_INPUT,
               "--benchmark_filter matches none of %zu case names; its names end in /iterations:1/manual_time "
               "(--benchmark_list_tests prints them), and --filter uses the plain ones",
               all);
    return FX_OK;
}

/* Says so before anything is measured; the cases are flagged. */
static void warn_of_others(fx_device *device) {
    fx_clocks now = {0};
    device->clocks(device, true, &now);
    if (now.known && now.other_programs > 0) {
        fx_warn("%d other program%s a context on this GPU (nvidia-smi lists them): %s and the measurement slow each "
                "other down; cases are flagged gpu_shared",
                now.other_programs, now.other_programs == 1 ? " has" : "s have",
                now.other_programs == 1 ? "it runs" : "they run");
    }
}

/* Everything that can be wrong with the command line is found here, before anything is measured or written. */
static fx_status prepare(run *r, fx_error *err) {
    const fx_options *options = &r->options;
    r->child = options->parent.child;
    if (options->parent.seed >= 0) {
        r->options.seed = options->parent.seed;
    }
    if (options->parent.device) {
        r->options.device = options->parent.device;
        fx_message_device(options->parent.device);
    }
    FX_FAIL_IO_IF(!(r->nowhere = fopen("/dev/null", "we")), err, "write", "/dev/null");
    FX_TRY(fx_root(r->root, err));
    FX_TRY(fx_select_probes(options, &r->probes, &r->probe_count, err));
    FX_TRY(initialize_benchmark(r, err));
    FX_FAIL_IF(options->json && r->listing && !r->child, err, FX_BAD_INPUT,
               "--json and --benchmark_list_tests both print to standard output; leave out one");
    /* options->json, output: the caller prints an answer for programs, or into a file. */
    const bool apart = r->listing || options->json || options->output;
    r->results = fx_is_quiet() ? r->nowhere : apart ? stderr : stdout;
    const uint64_t seed = options->seed < 0 ? FX_SYNTHETIC_SEED : (uint64_t)options->seed;
    FX_TRY(fx_select_device(options, r->root, fx_random_at(seed, (uint64_t)options->parent.process), &r->device,
                            r->outcome->notice, err));
    const bool look = r->listing || r->of_one || r->child;
    (void)snprintf(r->outcome->slug, sizeof r->outcome->slug, "%s", r->device->slug);
    fx_plan_settle(&r->plan, &r->options, r->device->synthetic, look, random_seed);
    FX_TRY(fx_select_cases(options, r->probes, r->probe_count, &r->device->facts, &r->plan.cases, err));
    FX_TRY(keep_matching(&r->plan.cases, err));
    FX_TRY(fx_plan_narrow(&r->plan, options, &r->device->facts, err));
    FX_TRY(fx_process_new(options, r->device, &r->plan.cases, !r->listing, &stop_signal, &r->process, err));
    const size_t count = r->plan.cases.count;
    r->facts = r->device->facts;
    r->device->stretch = options->run.profiled ? PROFILED_STRETCH : 0;
    if (r->listing) {
        return FX_OK;
    }
    if (r->outcome->notice[0]) {
        fx_note("%s", r->outcome->notice);
    }
    if (!r->child) {
        warn_of_others(r->device);
    }
    if (r->goes_on) {
        const size_t most = r->plan.processes;
        fx_print_line(r->results, "%s (%s)", r->device->name, r->device->arch);
        fx_print_line(r->results, "measuring %zu case%s of %zu probe%s in %s%zu process%s%s", count,
                      count == 1 ? "" : "s", r->probe_count, r->probe_count == 1 ? "" : "s",
                      options->run.by_need ? "up to " : "", most, most == 1 ? "" : "es",
                      most == 1 ? "" : ", each in an order of its own");
        (void)fflush(r->results);
    }
    fx_stop_signals_catch(on_signal);
    fx_progress_begin(count * r->plan.repetitions, r->child ? 1 : r->plan.first,
                      fx_plan_once(&r->plan) * r->plan.repetitions, r->results, (int)options->parent.events_fd);
    return FX_OK;
}

static fx_status open_archive(run *r, fx_error *err) {
    char folder[PATH_MAX];
    json_auto_t *json = NULL;
    if (r->options.parent.append) {
        return fx_archive_append_to(r->options.parent.append, &r->archive, err);
    }
    if (r->options.run.no_archive) {
        return FX_OK;
    }
    FX_TRY(fx_archive_folder(r->root, r->options.out, r->device, folder, err));
    FX_TRY(fx_run_json(r->device, &r->options, r->arguments, r->argument_count, &r->plan.cases, &json, err));
    FX_TRY(fx_archive_create(folder, json, &r->archive, err));
    (void)snprintf(r->outcome->archive, sizeof r->outcome->archive, "%s", fx_archive_path(r->archive));
    return FX_OK;
}

/* Google Benchmark prints it as it stands. */
static void add_context(const char *key, const char *text) {
    char safe[PATH_MAX];
    (void)snprintf(safe, sizeof safe, "%s", text);
    (void)gb_add_context(key, fx_text_safe(safe));
}

static fx_status run_here(run *r, fx_error *err) {
    add_context("gpufx_device", r->device->name);
    if (r->outcome->archive[0]) {
        add_context("gpufx_archive", r->outcome->archive);
    }
    fx_status status = fx_process_run(r->process, r->archive, (unsigned)r->options.parent.process,
                                      r->child ? r->options.parent.began_s : r->started_s, err);
    if (status == FX_DEVICE_LOST) {
        r->reason = "device_lost";
        fx_progress_ended(r->reason);
        /* Lost in a case: that has been reported. */
        if (!fx_progress_tally().failed) {
            fx_warn("%s", err->text);
        }
        if (!r->child) {
            fx_warn("the device is lost to this process; earlier results are kept; run again for the rest");
        }
        return FX_OK;
    }
    return status;
}

static fx_status choose(void *context, size_t process, fx_children *children, fx_error *err) {
    run *r = context;
    const char *path = r->archive ? fx_archive_path(r->archive) : NULL;
    ptrdiff_t unexpected;
    free(children->record.chosen);
    FX_TRY(
        fx_plan_next(&r->plan, &r->facts, path, process, &children->record.chosen, &children->cases, &unexpected, err));
    if (unexpected) {
        fx_progress_more(unexpected);
    }
    return FX_OK;
}

static fx_status run_children(run *r, fx_error *err) {
    static char stand_in[] = "synthetic:" FX_DEFAULT_SYNTHETIC;
    fx_children children = {
        .arguments = r->arguments,
        .argument_count = r->argument_count,
        .archive = r->archive,
        .stop = &stop_signal,
        .processes = r->plan.processes,
        .cases = r->plan.cases.count,
        .choose = choose,
        .context = r,
        .record = {.child = true,
                   .events_fd = -1,
                   .began_s = r->started_s,
                   .seed = r->plan.new_seed,
                   .usual = r->plan.usual,
                   .device = r->outcome->notice[0] ? stand_in : r->options.parent.device,
                   .append = r->archive ? (char *)(uintptr_t)fx_archive_path(r->archive) : NULL},
    };
    /* An idle context of the parent would sit on the device next to the children's. */
    fx_process_free(r->process);
    r->process = NULL;
    fx_device_destroy(r->device);
    r->device = NULL;
    fx_status status = fx_children_run(&children, err);
    free(children.record.chosen);
    r->reason = children.crashed ? "process_failed" : children.device_lost ? "device_lost" : r->reason;
    return status;
}

/* Fits over all processes, the last line, and the archive at rest. */
static fx_status end_archive(run *r, fx_status status, fx_counts *tally, double elapsed_s, fx_error *err) {
    fx_counts counts = *tally;
    fx_error problem = {0}, unfitted = {0};
    if (status != FX_IO && !fx_plan_add_searched(&r->plan, &r->facts, fx_archive_path(r->archive), &unfitted)) {
        (void)fx_fits_pool(&r->plan.cases, r->archive, &unfitted);
    }
    if (fx_archive_end(r->archive, r->reason, &counts, elapsed_s, &problem)) {
        if (!status) {
            *err = problem;
        }
        return status ? status : problem.status;
    }
    /* A process that died between its line and its event has written what it never told: the archive knows better. */
    *tally = counts;
    if (unfitted.status) {
        fx_warn("no fits over all processes: %s", unfitted.text);
    }
    if (status != FX_IO && fx_archive_compress(r->archive, &problem)) {
        if (problem.status == FX_BAD_INPUT && !status) {
            *err = problem;
            return problem.status;
        }
        fx_warn("the archive stays uncompressed: %s", problem.text);
    }
    (void)snprintf(r->outcome->archive, sizeof r->outcome->archive, "%s", fx_archive_path(r->archive));
    return status;
}

/* Writes the last line, says what came out, and decides the exit status. */
static int finish(run *r, fx_status status, fx_error *err) {
    fx_counts tally = fx_progress_tally();
    double elapsed_s = fx_now_s() - r->started_s;
    int signal_number = atomic_load(&stop_signal);
    fx_progress_end();
    if (status == FX_INTERRUPTED) {
        r->reason = "interrupted";
    } else if (status) {
        r->reason = fx_status_name(status);
    }
    if (r->archive && !r->child) {
        status = end_archive(r, status, &tally, elapsed_s, err);
    }
    if (!r->child) {
        char took[FX_TOOK];
        fx_print_line(r->results, "%zu measured, %zu waived, %zu failed in %s", tally.cases, tally.waived, tally.failed,
                      fx_progress_took(took, elapsed_s));
        if (r->outcome->archive[0]) {
            fx_print_line(r->results, "archive: %s", fx_path_from_here(r->root, r->outcome->archive));
        }
        (void)fflush(r->results);
    }
    r->outcome->counts = tally;
    r->outcome->elapsed_s = elapsed_s;
    r->outcome->incomplete = r->reason;
    if (status == FX_INTERRUPTED) {
        r->outcome->signal = signal_number;
        if (!r->child) {
            fx_warn("interrupted; %s", !r->archive   ? "no archive was written (--no-archive)"
                                       : tally.cases ? "the archive has the results so far and is marked incomplete"
                                                     : "the archive has no case and is marked incomplete");
        }
        return 128 + signal_number;
    }
    if (status) {
        return fx_exit_for(err);
    }
    if (tally.failed || r->reason) {
        return FX_EXIT_NO;
    }
    return tally.cases ? FX_EXIT_OK : FX_EXIT_NOTHING;
}

int fx_run(const fx_options *options, const char *const *arguments, size_t argument_count, bool characterize,
           fx_run_outcome *outcome) {
    fx_error err = {0};
    run r = {.options = *options,
             .arguments = arguments,
             .argument_count = argument_count,
             .outcome = outcome,
             .goes_on = characterize};
    int exit_status;
    *outcome = (fx_run_outcome){0};
    r.started_s = fx_now_s();
    if (!options->parent.child) {
        fx_stop_signals_catch(on_early_signal);
    }
    if (prepare(&r, &err)) {
        exit_status = fx_exit_for(&err);
    } else if (r.listing) {
        exit_status = gb_run_benchmarks() ? FX_EXIT_USE : FX_EXIT_OK;
    } else if (open_archive(&r, &err)) {
        exit_status = fx_exit_for(&err);
    } else {
        fx_status status = r.options.run.processes > 1 && !r.child ? run_children(&r, &err) : run_here(&r, &err);
        exit_status = finish(&r, status, &err);
    }
    fx_archive_close(r.archive);
    fx_process_free(r.process);
    fx_case_list_free(&r.plan.cases);
    fx_device_destroy(r.device);
    free(r.probes);
    if (r.nowhere) {
        (void)fclose(r.nowhere);
    }
    (void)gb_shutdown();
    if (!r.child) {
        /* Nothing is left to save. One that came too late to interrupt the run ends the program: it is not lost. */
        fx_stop_signals_catch(SIG_DFL);
        if (atomic_load(&stop_signal) && !outcome->signal) {
            (void)raise(atomic_load(&stop_signal));
        }
    }
    return exit_status;
}

json_t *fx_run_outcome_json(const fx_run_outcome *outcome) {
    const char *archive = outcome->archive[0] ? outcome->archive : NULL;
    return json_pack("{ss? ss sI sI sI sf ss?}", "archive", archive, "device", outcome->slug, "measured",
                     (json_int_t)outcome->counts.cases, "waived", (json_int_t)outcome->counts.waived, "failed",
                     (json_int_t)outcome->counts.failed, "elapsed_s", outcome->elapsed_s, "incomplete",
                     outcome->incomplete);
}

int fx_verb_run(fx_call *call) {
    fx_run_outcome outcome;
    if (!call->options.parent.device && fx_devices_several(call->options.device)) {
        return fx_devices_run(call);
    }
    const int status = fx_run(&call->options, call->arguments, call->argument_count, false, &outcome);
    if (call->options.json && outcome.elapsed_s > 0 && !call->options.parent.child) {
        json_auto_t *answer = fx_run_outcome_json(&outcome);
        (void)fx_text_print_json(stdout, answer, 0);
    }
    return status;
}
