/* A driver that is broken, or not loaded, tells of no GPU; the PCI bus does. */
#include "pci_gpus.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NVIDIA = 0x10de, DISPLAY = 0x03 }; /* vendor, and class of PCI: the first byte of three */

/* The hexadecimal number in a file of one line; 0: there is none. */
static unsigned long number_in(const char *folder, const char *device, const char *name) {
    char path[PATH_MAX], line[32] = "";
    (void)snprintf(path, sizeof path, "%s/%s/%s", folder, device, name);
    FILE *file = fopen(path, "re");
    if (!file) {
        return 0;
    }
    const char *read = fgets(line, sizeof line, file);
    (void)fclose(file);
    return read ? strtoul(line, NULL, 16) : 0;
}

size_t fx_pci_gpus_seen(const char *folder, char *first, size_t size) {
    DIR *devices = opendir(folder);
    size_t count = 0;
    for (const struct dirent *entry; devices && (entry = readdir(devices));) {
        if (entry->d_name[0] != '.' && number_in(folder, entry->d_name, "vendor") == NVIDIA &&
            number_in(folder, entry->d_name, "class") >> 16 == DISPLAY && count++ == 0) {
            (void)snprintf(first, size, "%s", entry->d_name);
        }
    }
    if (devices) {
        (void)closedir(devices);
    }
    return count;
}

bool fx_pci_gpus_hidden(const char *visible_devices) {
    return visible_devices && (!*visible_devices || *visible_devices == '-' || !strcmp(visible_devices, "NoDevFiles"));
}
