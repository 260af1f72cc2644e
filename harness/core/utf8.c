/* Text of others may hold anything: what a first byte promises is checked before the next one is looked at. */
#include "utf8.h"

#include <stdbool.h>

size_t fx_utf8_decode(const char *text, uint32_t *point) {
    /* What the first byte says; `least` refuses longer spellings of smaller numbers. */
    static const struct {
        unsigned char mask, lead;
        size_t length;
        uint32_t least;
    } kinds[] = {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
    const unsigned char *at = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if ((*at & kinds[i].mask) != kinds[i].lead) {
            continue;
        }
        *point = *at & (unsigned char)~kinds[i].mask;
        for (size_t k = 1; k < kinds[i].length; k++) {
            if ((at[k] & 0xc0) != 0x80) {
                return 0;
            }
            *point = *point << 6 | (at[k] & 0x3f);
        }
        const bool surrogate = *point >= 0xd800 && *point <= 0xdfff;
        return *point >= kinds[i].least && *point <= 0x10ffff && !surrogate ? kinds[i].length : 0;
    }
    return 0;
}
