/* Any bytes as an ELF file: all that is read of one must lie within it. */
#include "sys/elf.h"
#include "sys/unwind.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_symbols(const struct ch_elf *e, enum ch_elf_table which)
{
	struct ch_elf_symtab t;
	struct ch_elf_sym s;

	if (!ch_elf_symtab(e, which, &t))
		return;
	for (size_t i = 0; i < t.n; i++)
		if (ch_elf_sym(&t, i, &s) && strlen(s.name) >= e->size)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ch_unwind_table *table;
	struct ch_elf_section s;
	struct ch_elf e;
	uint8_t id[20];
	uint64_t addr;

	if (ch_elf_from(data, size, &e, NULL) < 0)
		return 0;
	read_symbols(&e, CH_ELF_DYNSYM);
	read_symbols(&e, CH_ELF_SYMTAB);
	ch_elf_build_id(&e, id, sizeof(id));
	ch_elf_first_addr(&e, &addr);
	ch_elf_addr(&e, size / 2, &addr);
	if (ch_elf_find(&e, ".eh_frame", &s) && s.size > size)
		abort();
	if (ch_unwind_build_elf(&e, 1 << 20, &table, NULL) >= 0)
		ch_unwind_table_free(table);
	return 0;
}
