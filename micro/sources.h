/* Where claims come from: titles that more than one claim cites, each with its version or year; the section follows
 * them. All were looked up, some old slides where others quote them. A sentence that everybody repeats and nobody could
 * be found to have written is common advice. */
#ifndef FX_SOURCES_H
#define FX_SOURCES_H

#define BEST_PRACTICES          "CUDA C++ Best Practices Guide 13, "
#define PROGRAMMING_GUIDE       "CUDA C++ Programming Guide 12.6, "
#define PROGRAMMING_GUIDE_13    "CUDA Programming Guide 13, "
#define STREAMS_AND_CONCURRENCY "Rennich, CUDA C/C++ Streams and Concurrency, 2011"
#define VECTOR_LOADS            "Luitjens and Devaramani, CUDA Pro Tip: Increase Performance with Vectorized Memory Access, 2025"
#define HISTOGRAMS              "Sakharnykh, GPU Pro Tip: Fast Histograms Using Shared Atomics on Maxwell, 2015"
#define COMMON_ADVICE           "common advice"

#endif
