/* What stands between FX_C_BEGIN and FX_C_END is C for sources in CUDA, too. */
#ifndef FX_LINKAGE_H
#define FX_LINKAGE_H

#ifdef __cplusplus
#define FX_C_BEGIN extern "C" {
#define FX_C_END   }
#else
#define FX_C_BEGIN
#define FX_C_END
#endif

#endif
