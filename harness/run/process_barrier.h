/* The barrier before each case: a process that a rank of a fleet has started waits there until the rank lets it go on.
 * Two pipes: one byte out says "here", one byte in says "go". */
#pragma once

/* Writes to here_fd and waits for go_fd. Returns at once for ever after the other process has gone. */
void fx_process_barrier_wait(int here_fd, int go_fd);
