/* Every registered probe, on a synthetic device. */
#pragma once

#include "core/case_list.h"
#include "core/device.h"

/* A path below the project's folder. */
void of_the_project(const char *path, char *out, size_t size);

/* The synthetic device of that name, or the test fails. */
fx_device *load(const char *name);

/* Before and after all tests: *state is the generic one. */
int open_generic(void **state);
int close_generic(void **state);

/* Hands over the cases of every probe, once from its full sweeps and once from its quick ones. */
typedef void visit(fx_device *device, const fx_case_list *list, bool quick);
void for_each_probe(fx_device *device, visit *check);
