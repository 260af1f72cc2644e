/* A cubin is an ELF file of machine 190 with one section .text.NAME for each kernel. The architecture is in its
 * flags: from ABI version 8 on, which CUDA 13 writes, in bits 8 to 15, before in bits 0 to 7. */
#include "gpu/code_hash.h"

#include <elf.h>
#include <string.h>

enum { MACHINE_CUDA = 190, NEW_ABI = 8 };

/* A part of the image; all zero where it would reach beyond. */
typedef struct part {
    const unsigned char *at;
    size_t size;
} part;

static part part_of(part whole, uint64_t offset, uint64_t size) {
    if (offset > whole.size || size > whole.size - offset) {
        return (part){0};
    }
    return (part){whole.at + offset, (size_t)size};
}

/* Copies a header, which may lie at an odd address. */
static bool take(part whole, uint64_t offset, void *out, size_t size) {
    const part found = part_of(whole, offset, size);
    if (found.at) {
        memcpy(out, found.at, size);
    }
    return found.at != NULL;
}

static bool is_cubin(part whole, unsigned architecture, Elf64_Ehdr *header) {
    if (!take(whole, 0, header, sizeof *header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != MACHINE_CUDA ||
        header->e_shentsize != sizeof(Elf64_Shdr)) {
        return false;
    }
    const bool is_new = header->e_ident[EI_ABIVERSION] >= NEW_ABI;
    return (header->e_flags >> (is_new ? 8 : 0) & 0xff) == architecture;
}

/* The section .text.NAME of a cubin that begins where `whole` does. */
static part find_code(part whole, const Elf64_Ehdr *header, const char *mangled) {
    static const char prefix[] = ".text.";
    Elf64_Shdr names, section;
    const size_t length = sizeof prefix - 1 + strlen(mangled) + 1;
    if (!take(whole, header->e_shoff + (uint64_t)header->e_shstrndx * sizeof names, &names, sizeof names)) {
        return (part){0};
    }
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (!take(whole, header->e_shoff + (uint64_t)i * sizeof section, &section, sizeof section)) {
            return (part){0};
        }
        const part name = part_of(whole, names.sh_offset + section.sh_name, length);
        if (name.at && memcmp(name.at, prefix, sizeof prefix - 1) == 0 &&
            memcmp(name.at + sizeof prefix - 1, mangled, strlen(mangled) + 1) == 0) {
            return part_of(whole, section.sh_offset, section.sh_size);
        }
    }
    return (part){0};
}

bool fx_code_hash(const void *image, size_t size, unsigned architecture, const char *mangled, uint64_t *hash) {
    const unsigned char *at = image;
    Elf64_Ehdr header;
    for (size_t left = size; left > 0 && (at = memmem(at, left, ELFMAG, SELFMAG)) != NULL;) {
        left = size - (size_t)(at - (const unsigned char *)image);
        const part whole = {at, left};
        const part code = is_cubin(whole, architecture, &header) ? find_code(whole, &header, mangled) : (part){0};
        if (code.size > 0) {
            *hash = 0xcbf29ce484222325u;
            for (size_t i = 0; i < code.size; i++) {
                *hash = (*hash ^ code.at[i]) * 0x100000001b3u;
            }
            return true;
        }
        at += SELFMAG;
        left -= SELFMAG;
    }
    return false;
}
