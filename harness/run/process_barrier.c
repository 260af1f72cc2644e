#include "process_barrier.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

void fx_gate_wait(int out_fd, int in_fd) {
    static bool open = true;
    char byte = 'c';
    ssize_t done;
    if (out_fd < 0 || in_fd < 0 || !open) {
        return;
    }
    do {
        done = write(out_fd, &byte, 1);
    } while (done < 0 && errno == EINTR);
    if (done == 1) {
        do {
            done = read(in_fd, &byte, 1);
        } while (done < 0 && errno == EINTR);
    }
    open = done == 1;
}
