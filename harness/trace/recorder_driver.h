/* The driver's calls that the recorder sees: launches as the program asks for them, captures, unloads, waits. */
#pragma once

#include "recorder_state.h"

/* Asks the API to tell of those calls. */
fx_status fx_driver_subscribe(Sanitizer_SubscriberHandle handle, fx_error *err);
/* One begins or has returned. The state's lock is not held. */
void fx_driver_called(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data);

/* The lock is held: an event; a stream is no longer captured, as it is destroyed. */
void fx_driver_event(Sanitizer_CallbackId id, const Sanitizer_EventData *data);
void fx_driver_capture_ends(CUstream stream);
