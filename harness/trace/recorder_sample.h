/* How many blocks of a grid are recorded; recorder_words.h has which. */
#pragma once

#include <stdint.h>

uint32_t fx_sample_count(uint32_t sampled, uint32_t total);
