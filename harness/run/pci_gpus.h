/* Whether a GPU is in the machine, whatever the driver says. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Where Linux lists what is on the PCI bus. */
#define FX_PCI_DEVICES "/sys/bus/pci/devices"

/* Number of NVIDIA's display and compute controllers in a folder like FX_PCI_DEVICES; `first` receives the address of
 * one of them. 0 where the folder can't be read. */
size_t fx_pci_gpus_seen(const char *folder, char *first, size_t size);

/* Whether CUDA_VISIBLE_DEVICES, as given (NULL: not set), hides all of them on purpose. */
bool fx_pci_gpus_hidden(const char *visible_devices);
