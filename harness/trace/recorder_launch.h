/* A launch as the driver is asked for it, before it begins: modules are patched or not, and other threads wait where
 * one changes them. The state's lock is held, and let go of where the driver is called. */
#ifndef FX_RECORDER_LAUNCH_H
#define FX_RECORDER_LAUNCH_H

#include "recorder_state.h"

/* This thread's launch begins in the context, once no other changes its modules; fx_here has its function and shape. */
void fx_launch_enter(fx_context *c, const Sanitizer_CallbackData *data, CUstream stream);
/* It has been made, or has failed. */
void fx_launch_leave(void);
/* The number of the module that its function is of, and whether it is recorded. */
void fx_launch_learn(const fx_context *c, uint64_t module, bool recorded);

#endif
