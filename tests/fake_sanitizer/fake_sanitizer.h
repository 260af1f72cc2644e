/* The stand-in's state, which a test sets and reads, and its callbacks. */
#ifndef FX_FAKE_SANITIZER_H
#define FX_FAKE_SANITIZER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <sanitizer.h>

enum { FAKE_PC = 0x10000, FAKE_BYTES = 0x1000 }; /* of every function */

typedef struct fake_state {
    pthread_rwlock_t driver; /* the driver's: a launch reads, a change of a module writes */
    atomic_uint running;     /* kernels */
    atomic_bool disturbed;   /* a module was changed while there were such */
    unsigned patched, unpatched, freed;
    size_t most_bytes;     /* of an allocation */
    bool failing;          /* kernels */
    void (*on_wait)(void); /* called where a stream is waited for */
} fake_state;

typedef fake_state *fake_getter(void);
typedef const void *fake_data_getter(void); /* of this thread's last launch */
typedef void fake_player(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void *data);

fake_getter fake_get;
fake_data_getter fake_data;
fake_player fake_play;

#endif
