/* The device half's machine code, as the build has made it. */
#ifndef FX_PATCH
#error "FX_PATCH is the file of recorder_patch.cu's machine code"
#endif

__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        ".globl fx_patch\n"
        ".hidden fx_patch\n"
        "fx_patch:\n"
        ".incbin \"" FX_PATCH "\"\n"
        ".popsection\n");
