/* Machine code is found by name and architecture, in whatever the image is; a change of one byte of it changes its hash
 * and no other's. */
#include "../unit/unit.h"

#include <elf.h>

#include "core/random.h"
#include "gpu/code_hash.h"

enum { CODE_BYTES = 48, CUBIN_BYTES = 64 + 2 * CODE_BYTES + 64 + 4 * 64 };

/* A cubin with the kernels "add" and "added". */
static void make_cubin(unsigned char *out, unsigned abi, unsigned architecture) {
    static const char names[64] = "\0.strtab\0.text.add\0.text.added";
    const uint64_t code = 64, strings = code + 2 * CODE_BYTES, sections = strings + sizeof names;
    Elf64_Ehdr header = {.e_machine = 190,
                         .e_flags = abi >= 8 ? 0x06000004 | architecture << 8 : 0x500500 | architecture,
                         .e_shoff = sections,
                         .e_shentsize = 64,
                         .e_shnum = 4,
                         .e_shstrndx = 1};
    const Elf64_Shdr section[4] = {
        {0},
        {.sh_name = 1, .sh_offset = strings, .sh_size = sizeof names},
        {.sh_name = 9, .sh_offset = code, .sh_size = CODE_BYTES},
        {.sh_name = 19, .sh_offset = code + CODE_BYTES, .sh_size = CODE_BYTES},
    };
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_ABIVERSION] = (unsigned char)abi;
    memcpy(out, &header, sizeof header);
    for (size_t i = 0; i < (size_t)2 * CODE_BYTES; i++) {
        out[code + i] = (unsigned char)(i + architecture);
    }
    memcpy(out + strings, names, sizeof names);
    memcpy(out + sections, section, sizeof section);
}

static uint64_t hash_of(const unsigned char *image, size_t size, unsigned architecture, const char *name) {
    uint64_t hash = 0;
    return fx_code_hash(image, size, architecture, name, &hash) ? hash : 0;
}

TEST(found_by_name_and_architecture) {
    /* At an odd address, behind what looks like the beginning of one. */
    unsigned char image[7 + 2 * CUBIN_BYTES] = "\177ELF";
    make_cubin(image + 7, 8, 90);
    make_cubin(image + 7 + CUBIN_BYTES, 7, 80);
    const uint64_t add = hash_of(image, sizeof image, 90, "add"), added = hash_of(image, sizeof image, 90, "added");
    assert_true(add && added && add != added);
    assert_true(hash_of(image, sizeof image, 80, "add"));
    assert_true(hash_of(image, sizeof image, 80, "add") != add);
    assert_false(hash_of(image, sizeof image, 100, "add"));
    assert_false(hash_of(image, sizeof image, 90, "ad"));
    assert_false(hash_of(image, sizeof image, 90, "dd"));
    assert_false(hash_of(image, sizeof image, 90, ""));
    assert_false(hash_of(NULL, 0, 90, "add"));

    image[7 + 64 + CODE_BYTES - 1] ^= 1;
    assert_true(hash_of(image, sizeof image, 90, "add") != add);
    assert_int_equal(hash_of(image, sizeof image, 90, "added"), added);

    /* FNV-1a of the bytes 90, 91, ... 137. */
    uint64_t expected = 0xcbf29ce484222325u;
    for (unsigned i = 0; i < CODE_BYTES; i++) {
        expected = (expected ^ (90 + i)) * 0x100000001b3u;
    }
    assert_int_equal(add, expected);
}

/* Under the address sanitizer a byte too far is an error. */
TEST(any_image_is_survived) {
    for (size_t size = 0; size < CUBIN_BYTES; size++) {
        unsigned char whole[CUBIN_BYTES], *cut = malloc(size + 1);
        make_cubin(whole, 8, 90);
        memcpy(cut, whole, size);
        (void)hash_of(cut, size, 90, "added");
        free(cut);
    }
    for (uint64_t seed = 0; seed < 20000; seed++) {
        unsigned char *image = malloc(CUBIN_BYTES);
        uint64_t random = seed;
        make_cubin(image, 8, 90);
        for (int i = 0; i < 4; i++) {
            const uint64_t at = fx_random_below(&random, CUBIN_BYTES);
            image[at] = (unsigned char)fx_random(&random);
        }
        (void)hash_of(image, CUBIN_BYTES, 90, "added");
        free(image);
    }
}

#ifdef FX_WITH_KERNELS
#include <cuda_runtime_api.h>

#include "gpu/kernel_hash.h"
#include "kernels.h"

cudaError_t __wrap_cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *kernel);

/* In the place of a GPU. */
cudaError_t __wrap_cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *kernel) {
    *out = (struct cudaFuncAttributes){.binaryVersion = 90};
    return cudaSuccess;
}

TEST(kernels_by_their_address) {
    char one[17] = "", two[17] = "", mine[17] = "", other[17] = "", none[17] = "";
    assert_true(fx_kernel_hash(one_twice_1_2, one) && fx_kernel_hash(one_twice_3_4, two));
    assert_true(fx_kernel_hash(one_namesake, mine) && fx_kernel_hash(other_namesake, other));
    assert_false(fx_kernel_hash(none, none));
    assert_int_equal(strlen(one), 16);
    assert_int_equal(strlen(other), 16);
    assert_string_not_equal(one, two);
    assert_string_not_equal(mine, other);
    assert_string_equal(none, "");
}

/* Kernels of one name have machine code of their own in the program's file. */
TEST(fatbins_by_the_address_of_a_kernel) {
    size_t mine = 0, other = 0, bytes = 0;
    uint32_t magic;
    FILE *program = fopen("/proc/self/exe", "r");
    assert_non_null(program);
    assert_true(fx_kernel_fatbin(other_namesake, &other, &bytes) && fx_kernel_fatbin(one_namesake, &mine, &bytes));
    assert_int_not_equal(mine, other);
    assert_int_equal(fseek(program, (long)mine, SEEK_SET), 0);
    assert_int_equal(fread(&magic, sizeof magic, 1, program), 1);
    assert_int_equal(magic, 0xba55ed50);
    assert_false(fx_kernel_fatbin(NULL, &mine, &bytes));
    fclose(program);
}
#endif

UNIT_MAIN(NULL, NULL)
