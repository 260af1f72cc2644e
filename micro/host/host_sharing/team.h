/* A team of the host's cores that streams through memory until it is told to stop: each thread copies its slice, piece
 * by piece, over and over, and counts the bytes that it read and wrote by its own clock. What it copied is compared
 * with where it came from before a rate is believed. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "gpu/numa.h"

static const double TEAM_WARM_S = 0.02;
enum { TEAM_MOST_THREADS = 64, TEAM_PIECE_BYTES = 256 << 10, TEAM_SLICE_BYTES = 16 << 20 };

typedef struct team_member {
    struct team *team;
    pthread_t thread;
    int cpu;
    char *from, *to; /* TEAM_SLICE_BYTES each */
    double bytes, seconds;
    int wrong;
} team_member;

/* Zero it, then team_open. */
typedef struct team {
    int count;
    char *memory;
    size_t bytes;
    int filled, running, stop; /* running, stop: atomic */
    team_member member[TEAM_MOST_THREADS];
} team;

/* CPUs that the process may use, TEAM_MOST_THREADS at the most; 1 where that is not known. */
static inline int team_cpus(int cpu[TEAM_MOST_THREADS]) {
    cpu_set_t set;
    int count = 0;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int i = 0; i < CPU_SETSIZE && count < TEAM_MOST_THREADS; i++) {
            if (CPU_ISSET((size_t)i, &set)) {
                cpu[count++] = i;
            }
        }
    }
    if (count == 0) {
        cpu[count++] = 0;
    }
    return count;
}

static inline double team_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* `threads` of them, spread over the CPUs; the memory prefers `node` (-1: none). */
static inline fx_status team_open(team *t, int threads, int node, fx_error *err) {
    int cpu[TEAM_MOST_THREADS];
    void *memory = NULL;
    const int cpus = team_cpus(cpu);
    memset(t, 0, sizeof *t);
    t->count = threads < 1 ? 1 : threads < TEAM_MOST_THREADS ? threads : (int)TEAM_MOST_THREADS;
    t->bytes = (size_t)t->count * 2 * TEAM_SLICE_BYTES;
    FX_TRY(fx_numa_alloc(t->bytes, node, &memory, err));
    t->memory = (char *)memory;
    for (int i = 0; i < t->count; i++) {
        t->member[i].team = t;
        t->member[i].cpu = cpu[i * cpus / t->count % cpus];
        t->member[i].from = t->memory + (size_t)i * 2 * TEAM_SLICE_BYTES;
        t->member[i].to = t->member[i].from + TEAM_SLICE_BYTES;
    }
    return FX_OK;
}

static inline void team_close(team *t) {
    fx_numa_free(t->memory, t->bytes);
    memset(t, 0, sizeof *t);
}

static inline void *team_stream(void *argument) {
    team_member *m = (team_member *)argument;
    cpu_set_t set;
    size_t at = 0, most = 0;
    CPU_ZERO(&set);
    CPU_SET((size_t)m->cpu, &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set); /* where it can't, it runs where it is put */
    if (!m->team->filled) {
        fx_host_fill(m->from, TEAM_SLICE_BYTES, (unsigned long long)m->cpu + 1);
    }
    memset(m->to, 0, TEAM_SLICE_BYTES);
    for (const double end = team_now_s() + TEAM_WARM_S; team_now_s() < end;) {
        memcpy(m->to, m->from, TEAM_SLICE_BYTES); /* a core that wakes up is slower */
    }
    memset(m->to, 0, TEAM_SLICE_BYTES);
    __atomic_add_fetch(&m->team->running, 1, __ATOMIC_SEQ_CST);
    m->bytes = 0;
    const double begin = team_now_s();
    do {
        memcpy(m->to + at, m->from + at, TEAM_PIECE_BYTES);
        m->bytes += 2 * TEAM_PIECE_BYTES;
        at += TEAM_PIECE_BYTES;
        most = at > most ? at : most;
        at = at < TEAM_SLICE_BYTES ? at : 0;
    } while (!__atomic_load_n(&m->team->stop, __ATOMIC_SEQ_CST));
    m->seconds = team_now_s() - begin;
    m->wrong = memcmp(m->to, m->from, most) != 0;
    return NULL;
}

/* The rates of the first `count` threads, added up. */
static inline fx_status team_sum(const team *t, int count, double *GBps, fx_error *err) {
    int wrong = 0;
    *GBps = 0;
    for (int i = 0; i < count; i++) {
        const team_member *m = &t->member[i];
        wrong += m->wrong;
        *GBps += m->seconds > 0 ? m->bytes / m->seconds / 1e9 : 0;
    }
    FX_FAIL_IF(wrong, err, FX_WRONG_RESULT, "%d of %d threads found wrong data in their copies", wrong, count);
    return FX_OK;
}

static inline void team_stop(team *t, int started) {
    __atomic_store_n(&t->stop, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < started; i++) {
        pthread_join(t->member[i].thread, NULL);
    }
}

/* Starts the team, and returns when all of it streams. End it with team_end. */
static inline fx_status team_begin(team *t, fx_error *err) {
    t->stop = t->running = 0;
    for (int i = 0; i < t->count; i++) {
        if (pthread_create(&t->member[i].thread, NULL, team_stream, &t->member[i]) != 0) {
            team_stop(t, i);
            return fx_fail(err, FX_NO_MEMORY, "no thread %d of %d to stream with", i + 1, t->count);
        }
    }
    while (__atomic_load_n(&t->running, __ATOMIC_SEQ_CST) < t->count) {
        sched_yield();
    }
    t->filled = 1;
    return FX_OK;
}

/* Bytes read and written per ns. */
static inline fx_status team_end(team *t, double *GBps, fx_error *err) {
    team_stop(t, t->count);
    return team_sum(t, t->count, GBps, err);
}

/* What it streams when nothing else runs. */
static inline fx_status team_alone(team *t, double seconds, double *GBps, fx_error *err) {
    const struct timespec pause = {.tv_sec = (time_t)seconds,
                                   .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    FX_TRY(team_begin(t, err));
    nanosleep(&pause, NULL);
    return team_end(t, GBps, err);
}
