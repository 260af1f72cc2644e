/* A launch as the driver is asked for it, before it begins: modules are patched or not, and other threads wait where
 * one changes them. The state's lock is held, and let go of where the driver is called. */
#ifndef FX_RECORDER_LAUNCH_H
#define FX_RECORDER_LAUNCH_H

#include "recorder_state.h"

/* A call of the driver's begins that no module may be changed beside: a launch, or that a module goes. Waits while
 * another thread changes one. */
void fx_launch_enter(fx_context *c);
/* Before it, for a launch of a kernel: its module is patched if it may be recorded, and else is not. fx_here has its
 * function and shape. */
void fx_launch_prepare(fx_context *c, const Sanitizer_CallbackData *data, CUstream stream);
/* Before a graph is made: all modules are patched, and stay it. */
void fx_launch_patch_all(void);
/* Launches up to this one have been made: what waits for the device from now on waits for them. */
uint64_t fx_launch_made(void);
/* The same of a call that begins a capture, which a change of a module may end: from then on there is none,
 * until fx_recorder.capturing is lowered. */
void fx_launch_capture(fx_context *c);
/* It has been made, or has failed. Nothing where there is none. */
void fx_launch_leave(void);
/* The number of the module that its function is of, and whether it is recorded. */
void fx_launch_learn(const fx_context *c, uint64_t module, bool recorded);

#endif
