#include "recorder_elf.h"

#include <elf.h>
#include <string.h>

enum { KERNEL = 0x10 }; /* NVIDIA's STO_CUDA_ENTRY */

static bool inside(size_t size, uint64_t at, uint64_t bytes) {
    return at <= size && bytes <= size - at;
}

static void of_table(const char *file, size_t size, const Elf64_Shdr *symbols, const Elf64_Shdr *names,
                     void (*found)(void *to, const char *name, bool is_kernel), void *to) {
    if (!inside(size, symbols->sh_offset, symbols->sh_size) || !inside(size, names->sh_offset, names->sh_size) ||
        names->sh_size == 0 || file[names->sh_offset + names->sh_size - 1] != '\0') {
        return;
    }
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, file + symbols->sh_offset + at, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_name < names->sh_size) {
            found(to, file + names->sh_offset + symbol.st_name, symbol.st_other & KERNEL);
        }
    }
}

void fx_elf_functions(const void *cubin, size_t size, void (*found)(void *to, const char *name, bool is_kernel),
                      void *to) {
    const char *file = cubin;
    Elf64_Ehdr head;
    if (size < sizeof head) {
        return;
    }
    memcpy(&head, file, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_shentsize != sizeof(Elf64_Shdr) ||
        !inside(size, head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr))) {
        return;
    }
    for (size_t i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr symbols, names;
        memcpy(&symbols, file + head.e_shoff + i * sizeof symbols, sizeof symbols);
        if (symbols.sh_type == SHT_SYMTAB && symbols.sh_link < head.e_shnum) {
            memcpy(&names, file + head.e_shoff + symbols.sh_link * sizeof names, sizeof names);
            of_table(file, size, &symbols, &names, found, to);
        }
    }
}
