#include "recorder_kinds.h"

#include <stddef.h>

static const fx_kind_names names[FX_KINDS] = {
    [FX_GLOBAL_LOAD] = {"global", "load", false},
    [FX_GLOBAL_STORE] = {"global", "store", false},
    [FX_GLOBAL_ATOMIC] = {"global", "atomic", false},
    [FX_SHARED_LOAD] = {"shared", "load", false},
    [FX_SHARED_STORE] = {"shared", "store", false},
    [FX_SHARED_ATOMIC] = {"shared", "atomic", false},
    [FX_LOCAL_LOAD] = {"local", "load", false},
    [FX_LOCAL_STORE] = {"local", "store", false},
    [FX_REMOTE_LOAD] = {"remote", "load", false},
    [FX_REMOTE_STORE] = {"remote", "store", false},
    [FX_REMOTE_ATOMIC] = {"remote", "atomic", false},
    [FX_MATRIX_LOAD] = {"shared", "matrix_load", false},
    [FX_MATRIX_STORE] = {"shared", "matrix_store", false},
    [FX_ASYNC_LOAD] = {"global", "async_load", false},
    [FX_ASYNC_STORE] = {"shared", "async_store", false},
    [FX_ASYNC_REMOTE] = {"remote", "async_store", false},
    [FX_ASYNC_REMOTE_ADD] = {"remote", "atomic", false},
    [FX_BULK_GLOBAL_LOAD] = {"global", "bulk_load", true},
    [FX_BULK_SHARED_STORE] = {"shared", "bulk_store", true},
    [FX_BULK_SHARED_LOAD] = {"shared", "bulk_load", true},
    [FX_BULK_GLOBAL_STORE] = {"global", "bulk_store", true},
    [FX_BULK_GLOBAL_REDUCE] = {"global", "bulk_reduce", true},
    [FX_BULK_REMOTE_STORE] = {"remote", "bulk_store", true},
    [FX_BULK_REMOTE_REDUCE] = {"remote", "bulk_reduce", true},
    [FX_WGMMA_A] = {"shared", "wgmma", true},
    [FX_WGMMA_B] = {"shared", "wgmma", true},
    [FX_GLOBAL_PREFETCH] = {"global", "prefetch", false},
};

const fx_kind_names *fx_kind_named(unsigned kind) {
    return kind < FX_KINDS ? &names[kind] : NULL;
}
