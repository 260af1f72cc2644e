#include "recorder_drain.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

enum {
    MOST_RINGS = 256,
    IDLE_NS = 500000,
    PAUSE_NS = 50000,
    FLUSH_NS = 100000000,
    GATE_NS = 20000000,
    STEP_WORDS = 1 << 14, /* after so many the device may go on */
    LATE_S = 10,          /* of a kernel, after which the user is told */
    MOST_WAIT_S = 5,      /* of the program, for what it has waited for itself */
    MOST_TRIES = 200,
    QUIET_S = 2,
    MOST_OF_LAUNCH = 1 << 24,
    STOP_S = 30,
};

typedef struct frame {
    struct frame *next;
    char *text;
} frame;

static struct {
    _Atomic(fx_ring *) rings[MOST_RINGS]; /* NULL: free */
    _Atomic(fx_launch *) launches[FX_EPOCHS];
    atomic_uint epochs;
    _Atomic(frame *) frames;   /* the last one first */
    atomic_ullong asked, done; /* fx_drain_wait */
    atomic_bool dirty, stop, quiet, ended;
    _Atomic(const char *) watched;
    atomic_llong watched_ns;
    const char *last;
    frame *kept;
    _Atomic(volatile uint64_t *) gate;
    atomic_llong gate_ns;
    atomic_ullong gates;
    sem_t wake;
    pthread_t thread;
    /* the thread's own */
    fx_trace_writer *to;
    fx_book *book;
    fx_error failed;
    uint64_t stalled[MOST_RINGS]; /* tail + 1 at which nothing came */
    uint64_t records, unknown, endless, refused;
    bool told;
} drain;

int64_t fx_drain_now_ns(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void fx_drain_pause_ns(long ns) {
    const struct timespec t = {.tv_nsec = ns};
    (void)nanosleep(&t, NULL);
}

void fx_drain_frame_take(char *text) {
    frame *fresh = text ? malloc(sizeof *fresh) : NULL;
    if (!fresh) {
        free(text);
        return;
    }
    *fresh = (frame){.next = atomic_load(&drain.frames), .text = text};
    while (!atomic_compare_exchange_weak(&drain.frames, &fresh->next, fresh)) {
    }
}

static void write_frames(void) {
    frame *last = atomic_exchange(&drain.frames, NULL), *first = NULL;
    while (last) { /* they came newest first */
        frame *next = last->next;
        last->next = first;
        first = last;
        last = next;
    }
    while (first) {
        frame *next = first->next;
        (void)fx_trace_frame(drain.to, &drain.failed, "%s", first->text);
        atomic_store(&drain.dirty, true);
        if (atomic_load(&drain.stop)) { /* who took this memory may have been interrupted in malloc, which is locked */
            first->next = drain.kept;
            drain.kept = first;
        } else {
            free(first->text);
            free(first);
        }
        first = next;
    }
}

uint32_t fx_drain_epoch(fx_launch **out) {
    fx_launch *fresh = calloc(1, sizeof *fresh);
    uint32_t epoch = 0;
    *out = fresh;
    while (fresh && epoch == 0) { /* not the number under which nothing is recorded */
        epoch = (atomic_fetch_add(&drain.epochs, 1) + 1) % FX_EPOCHS;
    }
    if (fresh) {
        atomic_store(&drain.launches[epoch], fresh); /* what was there may still be read, and is kept */
    }
    return epoch;
}

void fx_launch_add(fx_launch *launch, fx_node *node) {
    fx_node *next = atomic_load(&launch->nodes);
    do {
        atomic_store(&node->next, next);
    } while (!atomic_compare_exchange_weak(&launch->nodes, &next, node));
}

/* Whose an access is: of the kernel itself, or of a function that a kernel of this shape calls. */
static bool find(fx_launch *launch, uint64_t pc, uint32_t hash, fx_book_place *out) {
    for (fx_node *n = launch ? atomic_load(&launch->nodes) : NULL; n; n = atomic_load(&n->next)) {
        if (n->shape_hash == hash && pc - n->start < n->bytes) {
            *out = (fx_book_place){.kernel = n->kernel, .launch = n->launch, .pc = pc - n->start};
            return true;
        }
    }
    for (fx_node *n = launch ? atomic_load(&launch->nodes) : NULL; n; n = atomic_load(&n->next)) {
        const struct fx_function *f = n->shape_hash == hash ? fx_functions_at(n->functions, pc) : NULL;
        if (f) {
            *out = (fx_book_place){.kernel = n->kernel, .launch = n->launch, .pc = pc - f->start, .function = f->name};
            return !f->is_runtime;
        }
    }
    return false;
}

/* Memory that the device, or another thread, reads and writes meanwhile. */
static uint64_t load(const volatile uint64_t *from) {
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static void store(volatile uint64_t *to, uint64_t value) {
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

/* Copies the record at `at`. Its words; 0: not all of them are there yet. */
static uint64_t copy(const volatile uint64_t *at, uint64_t words[FX_RECORD_WORDS]) {
    words[1] = load(at + 1);
    const uint64_t count = FX_HEAD_WORDS + (uint64_t)__builtin_popcount((uint32_t)words[1]);
    for (uint64_t i = 0; i < count; i++) {
        words[i] = load(at + i);
        if (!words[i]) {
            return 0;
        }
    }
    return (uint32_t)words[1] ? count : 0;
}

static void take(const uint64_t *words) {
    fx_book_place place;
    const uint32_t low = (uint32_t)words[2];
    fx_launch *launch = atomic_load(&drain.launches[low >> FX_EPOCH_SHIFT & (FX_EPOCHS - 1)]);
    const uint64_t pc = words[0] & (((uint64_t)1 << FX_KIND_SHIFT) - 1);
    if (!find(launch, pc, low >> FX_SHAPE_SHIFT, &place)) {
        drain.unknown++;
    } else if (++launch->records > MOST_OF_LAUNCH) {
        drain.endless++;
    } else if (place.launch != UINT32_MAX) {
        const bool added = fx_book_add(drain.book, &place, words, &drain.failed) == FX_OK;
        drain.records += added;
        drain.refused += !added;
    }
    atomic_store(&drain.dirty, true);
}

/* Of the launch of a record: its kernel's frame goes before it where it comes soon. */
static bool is_early(const fx_ring *ring, uint64_t waiting, const uint64_t *words, unsigned tries) {
    fx_launch *launch = atomic_load(&drain.launches[(uint32_t)words[2] >> FX_EPOCH_SHIFT & (FX_EPOCHS - 1)]);
    if (launch && (tries == MOST_TRIES - 1 || waiting > ring->words / 2)) {
        atomic_store(&launch->ready, true);
    }
    return launch && !atomic_load(&launch->ready);
}

/* Reads what was in the ring when this began. A place that was taken and is not yet written ends it after a while: a
 * kernel that fails leaves such ones. */
static bool read_ring(size_t number, fx_ring *ring) {
    const uint64_t head = load(&ring->head), begun = load(&ring->tail);
    uint64_t tail = begun, words[FX_RECORD_WORDS];
    unsigned tries = drain.stalled[number] == tail + 1 ? MOST_TRIES - 1 : 0;
    while (tail < head && tries < MOST_TRIES) {
        volatile uint64_t *at = ring->word + (tail & (ring->words - 1));
        const uint64_t count = copy(at, words);
        if (count == 0 || is_early(ring, head - tail, words, tries)) {
            store(&ring->tail, tail);
            write_frames();
            tries++;
            fx_drain_pause_ns(PAUSE_NS);
            continue;
        }
        for (uint64_t i = 0; i < count; i++) {
            store(at + i, 0);
        }
        take(words);
        tail += count;
        tries = 0;
        if ((tail & STEP_WORDS) != ((tail - count) & STEP_WORDS)) {
            store(&ring->tail, tail);
        }
    }
    store(&ring->tail, tail);
    drain.stalled[number] = tail < head ? tail + 1 : 0;
    return tail != begun;
}

static bool read_all(void) {
    bool any = false;
    write_frames();
    for (size_t i = 0; i < MOST_RINGS; i++) {
        fx_ring *ring = atomic_load(&drain.rings[i]);
        any = (ring && read_ring(i, ring)) || any;
    }
    return any;
}

static void flush(void) {
    if (atomic_exchange(&drain.dirty, false)) {
        (void)fx_book_flush(drain.book, &drain.failed);
        (void)fx_trace_flush(drain.to, false, &drain.failed);
    }
}

static void tell_late(void) {
    const char *name = atomic_load(&drain.watched);
    if (name && !drain.told && fx_drain_now_ns() - atomic_load(&drain.watched_ns) > (int64_t)LATE_S * 1000000000) {
        drain.told = true;
        (void)fprintf(
            stderr,
            "gpufx explain: kernel %.200s has been running for %d s, with %llu accesses recorded so far; a kernel "
            "that is recorded is 10 to 500 times slower. Ctrl-C keeps what there is; --blocks 4 records less, "
            "--kernel NAME another kernel\n",
            name, LATE_S, (unsigned long long)drain.records);
    }
}

/* A call of the driver's that waits for the stream itself must not wait for ever. */
static void open_late(void) {
    volatile uint64_t *gate = atomic_load(&drain.gate);
    if (gate && fx_drain_now_ns() - atomic_load(&drain.gate_ns) > GATE_NS) {
        store(gate, atomic_load(&drain.gates));
    }
}

/* Of accesses that are not in the trace. */
static void note(const char *code, uint64_t count, const char *text) {
    if (count) {
        (void)fx_trace_frame(drain.to, &drain.failed,
                             "{\"note\":{\"code\":\"%s\",\"text\":\"%llu accesses are left out, %s\"}}", code,
                             (unsigned long long)count, text);
    }
}

static void end(void) {
    const int64_t begun = fx_drain_now_ns();
    int64_t heard = begun;
    while (atomic_load(&drain.quiet) && fx_drain_now_ns() - heard < 100000000 &&
           fx_drain_now_ns() - begun < (int64_t)QUIET_S * 1000000000) {
        heard = read_all() ? fx_drain_now_ns() : heard;
        fx_drain_pause_ns(IDLE_NS);
    }
    while (read_all()) {
    }
    for (size_t i = 0; i < MOST_RINGS; i++) {
        fx_ring *ring = atomic_load(&drain.rings[i]);
        if (ring) {
            store(&ring->tail, FX_RING_CLOSED);
        }
    }
    flush();
    note("unannounced", drain.unknown,
         "of kernels that the device launched and of what launches them, or of a conditional node of a graph");
    note("endless", drain.endless, "of launches that had made sixteen million before");
    note("failed", drain.refused, "which could not be written");
    if (drain.last && atomic_load(&drain.quiet)) {
        (void)fx_trace_frame(drain.to, &drain.failed,
                             "{\"note\":{\"code\":\"unfinished\",\"text\":\"the program ended before "
                             "it had waited for all its launches: what they accessed then is missing\"}}");
    }
    if ((drain.last && fx_trace_frame(drain.to, &drain.failed, "%s", drain.last)) ||
        fx_trace_flush(drain.to, true, &drain.failed)) {
        (void)fprintf(stderr, "gpufx: %s\n", drain.failed.text);
    }
}

static void *run(void *nothing) {
    (void)nothing;
    for (int64_t flushed = 0; !atomic_load(&drain.stop);) {
        const unsigned long long asked = atomic_load(&drain.asked);
        if (!read_all() || asked != atomic_load(&drain.done) || fx_drain_now_ns() - flushed > FLUSH_NS) {
            flush();
            flushed = fx_drain_now_ns();
        }
        atomic_store(&drain.done, asked);
        tell_late();
        open_late();
        if (asked == atomic_load(&drain.asked)) {
            struct timespec until;
            (void)clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += IDLE_NS;
            until.tv_sec += until.tv_nsec / 1000000000;
            until.tv_nsec %= 1000000000;
            (void)sem_timedwait(&drain.wake, &until);
        }
    }
    end();
    atomic_store(&drain.ended, true);
    return NULL;
}

fx_status fx_drain_start(fx_trace_writer *to, fx_error *err) {
    sigset_t all, before;
    drain.to = to;
    drain.book = fx_book_create(to);
    FX_FAIL_IF(!drain.book || sem_init(&drain.wake, 0, 0) != 0, err, FX_NO_MEMORY, "out of memory for the trace");
    (void)sigfillset(&all); /* the program's handlers are not run by this thread */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(&drain.thread, NULL, run, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    FX_FAIL_IF(code != 0, err, FX_NO_MEMORY, "no thread can be started for the trace");
    (void)pthread_detach(drain.thread);
    return FX_OK;
}

void fx_drain_add(fx_ring *ring) {
    for (size_t i = 0; i < MOST_RINGS; i++) {
        fx_ring *none = NULL;
        if (atomic_compare_exchange_strong(&drain.rings[i], &none, ring)) {
            return;
        }
    }
    store(&ring->tail, FX_RING_CLOSED);
}

void fx_drain_forget(fx_ring *ring) {
    for (size_t i = 0; i < MOST_RINGS; i++) {
        if (atomic_load(&drain.rings[i]) == ring) {
            fx_drain_wait();
            atomic_store(&drain.rings[i], NULL);
            fx_drain_wait(); /* the thread has let go of it */
            store(&ring->tail, FX_RING_CLOSED);
        }
    }
}

bool fx_drain_pending(void) {
    bool pending = atomic_load(&drain.frames) || atomic_load(&drain.dirty);
    for (size_t i = 0; i < MOST_RINGS && !pending; i++) {
        const fx_ring *ring = atomic_load(&drain.rings[i]);
        pending = ring && load(&ring->head) != load(&ring->tail);
    }
    return pending;
}

void fx_drain_wait(void) {
    const int64_t begun = fx_drain_now_ns();
    const unsigned long long asked = atomic_fetch_add(&drain.asked, 1) + 1;
    while (atomic_load(&drain.done) < asked && !atomic_load(&drain.ended) &&
           fx_drain_now_ns() - begun < (int64_t)MOST_WAIT_S * 1000000000) {
        (void)sem_post(&drain.wake);
        fx_drain_pause_ns(PAUSE_NS);
    }
}

void fx_drain_watch(const char *kernel) {
    atomic_store(&drain.watched_ns, fx_drain_now_ns());
    atomic_store(&drain.watched, kernel);
}

uint64_t fx_drain_gate(volatile uint64_t *word) {
    volatile uint64_t *none = NULL;
    if (!atomic_compare_exchange_strong(&drain.gate, &none, word)) {
        return 0;
    }
    atomic_store(&drain.gate_ns, fx_drain_now_ns());
    return atomic_fetch_add(&drain.gates, 1) + 1;
}

void fx_drain_open(volatile uint64_t *word, uint64_t value) {
    store(word, value);
    atomic_store(&drain.gate, NULL);
}

void fx_drain_stop(const char *last, bool quiet) {
    const int64_t begun = fx_drain_now_ns();
    drain.last = last;
    atomic_store(&drain.quiet, quiet);
    atomic_store(&drain.stop, true);
    while (!atomic_load(&drain.ended) && fx_drain_now_ns() - begun < (int64_t)STOP_S * 1000000000) {
        (void)sem_post(&drain.wake);
        fx_drain_pause_ns(200000);
    }
}
