/* The gate before each case: a process that another one has started waits there until that one lets it on. Two pipes:
 * one byte out says "here", one byte in says "go on". */
#ifndef FX_GATE_H
#define FX_GATE_H

/* Returns at once where a descriptor is negative, and for ever after the other process has gone. */
void fx_gate_wait(int out_fd, int in_fd);

#endif
