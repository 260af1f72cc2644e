/* Processes that this program starts, one at a time: itself again for a part of a run, or Python. */
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "parent_record.h"

/* The signals that ask to stop. */
enum { FX_STOP_SIGNALS = 3 };
extern const int fx_stop_signals[FX_STOP_SIGNALS];

/* Has the handler called for each of them that is not ignored: a shell that starts a job in the background ignores
 * SIGINT, since Ctrl-C is then meant for somebody else, and nohup SIGHUP. */
void fx_stop_signals_catch(void (*handler)(int number));
void fx_stop_signals_set(const struct sigaction *action, struct sigaction before[FX_STOP_SIGNALS]);

/* As fork. The child ends with its parent, has the signals to stop at their
 * default unless they are ignored, and with `apart` a process group of its own, so that Ctrl-C on the terminal reaches
 * the parent alone. Where a signal has set *stop already, there is no child: -1 and EINTR. stop: NULL is fine. */
pid_t fx_child_fork(bool apart, const atomic_int *stop);

/* Hands a signal to the child, if there is one. Safe in a signal handler. */
void fx_child_signal(int number);

/* Waits for the child's end and returns its status, as waitpid has it; 0 where there is none. */
int fx_child_wait(void);

/* Starts this program again for a part of a run, with the record; `arguments` are from the verb on, `stop` is as above.
 * told: not NULL: the record's events_fd becomes the child's end of a pipe, and the caller closes *told, the other one.
 * `name` begins the sentence of an FX_IO. FX_INTERRUPTED where *stop is set. */
fx_status fx_child_start(const char *const *arguments, size_t count, const atomic_int *stop, const char *name,
                         fx_parent_record *record, FILE **told, fx_error *err);
