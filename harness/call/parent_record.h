/* What a process of gpufx tells a process of gpufx that it starts: one record, in a file without a name whose
 * descriptor one environment variable names. It never passes through the users' options. The record carries the pid of
 * its writer and is taken only from the parent, so it can't be given by hand, nor inherited by a later program. */
#pragma once

#include "core/error.h"

#define FX_PARENT_RECORD "GPUFX_PARENT_RECORD"

/* Zero, or as noted, where the parent says nothing. Texts are owned; "" is as good as NULL. */
typedef struct fx_parent_record {
    /* Of a run to each of its processes (children.h); of a call for several devices `device` alone (devices.h). */
    bool child;        /* this process is one of them */
    int64_t process;   /* its number, from 0 */
    int64_t events_fd; /* where it reports what it has done; -1: nowhere */
    double began_s;    /* when the run began, by fx_now_s of the parent */
    bool usual;        /* the user gave no number of processes */
    int64_t seed;      /* of the run, in place of one that the user did not give; -1: none */
    char *device;      /* in place of --device; NULL: none */
    char *append;      /* the archive to append to; NULL: none */
    char *chosen;      /* per case of the selection '1', measured, or '0'; NULL: all are measured */
} fx_parent_record;

/* No parent: every field has its default. */
fx_parent_record fx_parent_record_none(void);

/* Writes the record for processes that this one is about to start by fork and exec; it refers to this process as their
 * parent. FX_IO if there is no file for it. Close *fd in the parent, also on error; -1: none. */
fx_status fx_parent_record_write(const fx_parent_record *record, int *fd, fx_error *err);
int fx_parent_record_give(int fd); /* in the child, before exec; 0: done */

/* Takes the record of the parent and removes its variable from the environment; without one, fx_parent_record_none.
 * FX_BAD_INPUT if the variable names anything but a record that the parent of this process wrote. Free with
 * fx_parent_record_free, also on error. */
fx_status fx_parent_record_take(fx_parent_record *out, fx_error *err);
void fx_parent_record_free(fx_parent_record *record);
