/* What a person types, and the archive that it means: decided here for every verb, in C or Python.
 *
 * A name is a file or pipe, a folder (its newest archive), `latest`, an architecture, part of a device's slug, or the
 * beginning of an id. NAME~N is the N-th before the newest of the same card (UUID). Where a name fits several devices,
 * the device that was measured last is meant; a device with a reference archive means that one, which pages show, and
 * ~N those before it. Those that are complete go before those that were cut off. Names are looked up under results/ and
 * out/; what was taken under a profiler has none, and invented archives only where no measured one has it, `latest`
 * included, which passes over what accept has measured where there is another. What was taken is said on stderr where
 * the name leaves it open. */
#pragma once

#include "call/options.h"
#include "core/error.h"

struct fx_archives;
struct fx_archive_entry;

/* True for what can only be a name: no such file, and it is not written as a path. */
bool fx_archive_is_a_name(const char *text);

/* All archives that a name means, newest first, through *meant, which the caller frees; NAME~N means none. FX_BAD_INPUT
 * names the closest valid name. */
fx_status fx_archives_meant(const struct fx_archives *archives, const char *name, struct fx_archive_entry ***meant,
                            size_t *count, fx_error *err);

/* Puts the path of the archive that is meant in the place of every option of that kind, and of the words that are names
 * of archives: those after the first `from` - 1; 0: none is. apart: the others are compared with the first, so none of
 * them may be the same file. */
fx_status fx_options_name_archives(const char *verb, size_t from, bool apart, fx_options *options, fx_error *err);
