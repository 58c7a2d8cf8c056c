#include "hotspot/method.h"

#include <string.h>

#include "hotspot/code.h"

static int signed5(const struct ch_vm *vm, uint64_t *at)
{
	uint32_t v = ch_unsigned5(vm, at);

	return (int)(v >> 1) ^ -(int)(v & 1);
}

unsigned ch_method_line(const struct ch_vm *vm, const void *lines, size_t n, unsigned bci)
{
	uint64_t at = (uintptr_t)lines, end = at + n;
	int at_bci = 0, line = 0, best = 0, best_bci = -1;

	if (bci == 0xffff)
		bci = 0;
	while (at < end) {
		uint8_t b = *(const uint8_t *)at++;

		if (b == 0xff) {
			at_bci += signed5(vm, &at);
			line += signed5(vm, &at);
		} else {
			at_bci += b >> 3;
			line += b & 7;
		}
		/* Entries need not be in order: the nearest one before the index counts. */
		if (at_bci <= (int)bci && at_bci >= best_bci) {
			best_bci = at_bci;
			best = line;
		}
	}
	return best > 0 ? (unsigned)best : 0;
}

/* How arrays of bytes lie in memory: with and without compressed class pointers and headers. */
static const struct {
	uint32_t length, data;
} arrays[] = { { 12, 16 }, { 16, 24 }, { 16, 20 }, { 8, 12 } };

void ch_names_check(const struct ch_vm *vm, struct ch_names *names, uint64_t thread,
                    const char *name)
{
	char text[256];
	size_t len = strlen(name);

	names->known = false;
	if (vm->moves_concurrently || vm->thread_obj < 0 || !*name || len > sizeof(text) - 8)
		return;
	for (size_t i = 0; i < CH_LEN(arrays); i++) {
		names->array_length = arrays[i].length;
		names->array_data = arrays[i].data;
		names->known = true;
		if (ch_thread_name_sig(vm, names, thread, text, sizeof(text)) == (int)len &&
		    !memcmp(text, name, len))
			return;
	}
	names->known = false;
}
