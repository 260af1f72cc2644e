/* GPUs on the PCI bus, as Linux lists them; the folder is invented. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "run/pci_gpus.h"

static void put(const char *folder, const char *device, const char *vendor, const char *class) {
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, device);
    assert_int_equal(mkdir(path, 0700), 0);
    const char *const files[][2] = {{"vendor", vendor}, {"class", class}};
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/%s/%s", folder, device, files[i][0]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%s\n", files[i][1]);
        assert_int_equal(fclose(file), 0);
    }
}

TEST(test_controllers_of_one_vendor_count) {
    char folder[] = "/tmp/gpu_seen_XXXXXX", first[64] = "", command[64];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(fx_pci_gpus_seen(folder, first, sizeof first), 0);
    put(folder, "0000:00:1f.3", "0x8086", "0x030000"); /* somebody else's display */
    put(folder, "0000:3b:00.1", "0x10de", "0x040300"); /* the sound of a card */
    assert_int_equal(fx_pci_gpus_seen(folder, first, sizeof first), 0);
    put(folder, "0000:3b:00.0", "0x10de", "0x030200");
    assert_int_equal(fx_pci_gpus_seen(folder, first, sizeof first), 1);
    assert_string_equal(first, "0000:3b:00.0");
    put(folder, "0000:86:00.0", "0x10de", "0x030000");
    assert_int_equal(fx_pci_gpus_seen(folder, first, sizeof first), 2);
    assert_int_equal(fx_pci_gpus_seen("/nowhere", first, sizeof first), 0);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

TEST(test_hidden_on_purpose) {
    assert_false(fx_pci_gpus_hidden(NULL));
    assert_false(fx_pci_gpus_hidden("0,1"));
    assert_true(fx_pci_gpus_hidden(""));
    assert_true(fx_pci_gpus_hidden("-1"));
}

UNIT_MAIN(NULL, NULL)
