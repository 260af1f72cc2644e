/* Processes that this program starts: itself again for a part of a run, or Python. */
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "parent_record.h"

/* The signals that ask to stop. */
enum { FX_STOP_SIGNALS = 3 };
extern const int fx_stop_signals[FX_STOP_SIGNALS];

/* Has the handler called for each of them that is not ignored: a shell that starts a job in the background ignores
 * SIGINT, since Ctrl-C is then meant for somebody else, and nohup SIGHUP. */
void fx_stop_signals_catch(void (*handler)(int number));

/* As fork. The child ends with its parent, has the signals to stop at their
 * default unless they are ignored, and with `apart` a process group of its own, so that Ctrl-C on the terminal reaches
 * the parent alone. *pid is the child's, 0 on failure, before a signal can reach this process again. Where one has
 * set *stop already, there is no child: -1 and EINTR. stop: NULL is fine. */
pid_t fx_child_fork(bool apart, const atomic_int *stop, volatile sig_atomic_t *pid);

/* The program's name and the arguments, which begin with the verb. The caller frees the array; NULL: no memory. */
char **fx_child_command(const char *const *arguments, size_t count);

/* In the child: becomes this program, with the record in its environment. argv begins with its name. */
_Noreturn void fx_child_become(char **argv, fx_parent_handover *handover);
