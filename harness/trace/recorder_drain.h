/* The rings of all contexts (recorder_words.h), and the thread that reads them and writes the trace. It calls no CUDA
 * and takes no lock, so nothing that the program does can stop it, and a GPU that waits for it goes on. */
#pragma once

#include <stdatomic.h>

#include "recorder_book.h"
#include "recorder_module.h"
#include "recorder_words.h"

/* A kernel of a launch: the only one, or one of a graph's. Other fields than `next` and `ready` stay as they are once
 * it is in its launch. */
typedef struct fx_node {
    _Atomic(struct fx_node *) next;
    uint32_t kernel, launch; /* ids in the trace; launch UINT32_MAX: it is not asked for */
    uint32_t shape_hash;
    uint64_t start, bytes;         /* of its code */
    const fx_functions *functions; /* that it may call */
} fx_node;

/* What one epoch of the rings stands for. */
typedef struct fx_launch {
    _Atomic(fx_node *) nodes;
    atomic_bool ready; /* its frames are queued */
    uint64_t records;  /* the thread's own: a kernel that waits for others accesses memory without end */
} fx_launch;

/* Since a moment of its own; a sleep of less than a second. */
int64_t fx_drain_now_ns(void);
void fx_drain_pause_ns(long ns);

/* Starts the thread, which owns the writer from now on. */
fx_status fx_drain_start(fx_trace_writer *to, fx_error *err);

/* Reads a ring from now on. The memory is the context's and stays until fx_drain_forget. */
void fx_drain_add(fx_ring *ring);

/* Reads what the ring has, and lets the device's writes to it go nowhere from then on. */
void fx_drain_forget(fx_ring *ring);

/* A new epoch, from 1 on; 0: no memory. */
uint32_t fx_drain_epoch(fx_launch **out);
void fx_launch_add(fx_launch *launch, fx_node *node);

/* A frame to be written: text of JSON, which is taken over; NULL is fine (no memory). Records that the device makes
 * from now on come behind it. */
void fx_drain_frame_take(char *frame);

/* Whether there is anything that the file does not have yet. */
bool fx_drain_pending(void);

/* Waits until the file has what was there when it was called, for a few seconds at most. */
void fx_drain_wait(void);

/* The kernel that the GPU is busy with now, or NULL: if it still is after ten seconds, the user is told. */
void fx_drain_watch(const char *kernel);

/* A value that a stream may wait for in the word, until fx_drain_open writes it, or the thread does so a little later;
 * 0: not while another one is waited for. */
uint64_t fx_drain_gate(volatile uint64_t *word);
void fx_drain_open(volatile uint64_t *word, uint64_t value);

/* The last frame, which stays as it is, and the end of the file; the rings are closed. Waits for it, for some seconds
 * at most. `quiet`: waits for more records first, as kernels may still run, and says so. Allocates nothing. */
void fx_drain_stop(const char *last, bool quiet);
