#include "sys/elf.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "sys/kernel.h"
#include "sys/mapped.h"

/* What .gnu_debugdata may grow to: symbols of the largest libraries stay far below. */
#define DEBUGDATA_MAX ((size_t)64 << 20)

/* --- the file ---------------------------------------------------------------------------------- */

/* n bytes at an offset that the file claims, or NULL. */
static const void *bytes_at(const struct ch_elf *e, uint64_t offset, uint64_t n)
{
	return offset <= e->size && n <= e->size - offset ? e->data + offset : NULL;
}

static Elf64_Ehdr header(const struct ch_elf *e)
{
	Elf64_Ehdr h = { 0 };

	if (e->data && e->size >= sizeof(h)) /* not so in one that is all zero, which has nothing */
		memcpy(&h, e->data, sizeof(h));
	return h;
}

int ch_elf_from(const void *data, size_t size, struct ch_elf *ret, struct ch_error *err)
{
	Elf64_Ehdr h;

	if (size < sizeof(h) || memcmp(data, ELFMAG, SELFMAG) != 0)
		return ch_fail(err, -ENOEXEC, "not an ELF file");
	memcpy(&h, data, sizeof(h));
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB)
		return ch_fail(err, -ENOEXEC, "an ELF file of another kind of machine");
	*ret = (struct ch_elf){ .data = data, .size = size };
	return 0;
}

/* With a page of zeros behind: a name that loses its end after it was checked ends there. */
static size_t mapped_bytes(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return ((size + page - 1) & ~(page - 1)) + page;
}

static int map_file(int fd, size_t size, struct ch_elf *ret)
{
	size_t whole = mapped_bytes(size);
	void *p = mmap(NULL, whole, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r, slot;

	if (p == MAP_FAILED)
		return -errno;
	slot = ch_mapped_add(p, whole);
	if (slot < 0)
		r = slot;
	else if (mmap(p, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
		r = -errno;
	else
		r = ch_elf_from(p, size, ret, NULL);
	if (r < 0) {
		if (slot >= 0)
			ch_mapped_remove(slot);
		munmap(p, whole);
		return r;
	}
	ret->owner = CH_ELF_FILE;
	ret->slot = slot;
	return 0;
}

int ch_elf_open(const char *path, struct ch_elf *ret, struct ch_error *err)
{
	/* A name in a list of mappings may be of anything: a pipe must not make us wait. */
	CH_CLEANUP(ch_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int r;

	if (fd < 0)
		return ch_fail(err, -errno, "open '%s': %m", path);
	if (ch_fstat(fd, &st) < 0)
		return ch_fail(err, -errno, "stat '%s': %m", path);
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(Elf64_Ehdr))
		return ch_fail(err, -ENOEXEC, "'%s' is not an ELF file", path);
	r = map_file(fd, (size_t)st.st_size, ret);
	if (r == -ENOEXEC)
		return ch_fail(err, r, "'%s' is no ELF file of this machine", path);
	return r < 0 ? ch_fail(err, r, "map '%s': %m", path) : 0;
}

void ch_elf_done(struct ch_elf *e)
{
	if (e->owner == CH_ELF_FILE) {
		ch_mapped_remove(e->slot);
		munmap((void *)e->data, mapped_bytes(e->size));
	} else if (e->owner == CH_ELF_MEMORY) {
		munmap((void *)e->data, e->size);
	}
	*e = (struct ch_elf){ 0 };
}

void ch_elf_release(const struct ch_elf *e)
{
	if (e->owner == CH_ELF_FILE)
		(void)madvise((void *)e->data, e->size, MADV_DONTNEED);
}

/* --- sections ---------------------------------------------------------------------------------- */

static size_t n_sections(const struct ch_elf *e)
{
	Elf64_Ehdr h = header(e);

	if (h.e_shentsize != sizeof(Elf64_Shdr) ||
	    !bytes_at(e, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr)))
		return 0;
	return h.e_shnum;
}

/* Section i < n_sections(e). */
static Elf64_Shdr section_header(const struct ch_elf *e, size_t i)
{
	Elf64_Shdr s = { 0 };
	const void *p = bytes_at(e, header(e).e_shoff + i * sizeof(s), sizeof(s));

	if (p)
		memcpy(&s, p, sizeof(s));
	return s;
}

static bool section_bytes(const struct ch_elf *e, const Elf64_Shdr *s, struct ch_elf_section *ret)
{
	const void *p = bytes_at(e, s->sh_offset, s->sh_size);

	if (!p || s->sh_type == SHT_NOBITS || !s->sh_size)
		return false;
	*ret = (struct ch_elf_section){ p, s->sh_size, s->sh_addr };
	return true;
}

/* Names of a table of strings, up to its last NUL: each offset below names_size is a C string. */
static bool strings(const struct ch_elf *e, size_t section, const char **ret, size_t *ret_n)
{
	struct ch_elf_section s;
	const uint8_t *last;
	Elf64_Shdr h;

	if (section >= n_sections(e))
		return false;
	h = section_header(e, section);
	if (h.sh_type != SHT_STRTAB || !section_bytes(e, &h, &s))
		return false;
	last = memrchr(s.data, 0, s.size);
	if (!last)
		return false;
	*ret = (const char *)s.data;
	*ret_n = (size_t)(last - s.data) + 1;
	return true;
}

bool ch_elf_find(const struct ch_elf *e, const char *name, struct ch_elf_section *ret)
{
	size_t n = n_sections(e), names_n;
	const char *names;

	if (!strings(e, header(e).e_shstrndx, &names, &names_n))
		return false;
	for (size_t i = 0; i < n; i++) {
		Elf64_Shdr s = section_header(e, i);

		if (s.sh_name < names_n && !strcmp(names + s.sh_name, name))
			return section_bytes(e, &s, ret);
	}
	return false;
}

/* --- symbols ----------------------------------------------------------------------------------- */

bool ch_elf_symtab(const struct ch_elf *e, enum ch_elf_table which, struct ch_elf_symtab *ret)
{
	uint32_t type = which == CH_ELF_DYNSYM ? SHT_DYNSYM : SHT_SYMTAB;
	size_t n = n_sections(e);

	for (size_t i = 0; i < n; i++) {
		Elf64_Shdr h = section_header(e, i);
		struct ch_elf_section s;

		if (h.sh_type != type || h.sh_entsize != sizeof(Elf64_Sym) ||
		    !section_bytes(e, &h, &s) ||
		    !strings(e, h.sh_link, &ret->names, &ret->names_size))
			continue;
		ret->data = s.data;
		ret->n = s.size / sizeof(Elf64_Sym);
		return true;
	}
	return false;
}

bool ch_elf_sym(const struct ch_elf_symtab *t, size_t i, struct ch_elf_sym *ret)
{
	unsigned type;
	Elf64_Sym s;

	memcpy(&s, t->data + i * sizeof(s), sizeof(s));
	if (s.st_name >= t->names_size || !t->names[s.st_name] || s.st_shndx == SHN_UNDEF)
		return false;
	type = ELF64_ST_TYPE(s.st_info);
	*ret = (struct ch_elf_sym){
		.name = t->names + s.st_name,
		.name_at = s.st_name,
		.value = s.st_value,
		.size = s.st_size,
		.function = (type == STT_FUNC || type == STT_GNU_IFUNC) && s.st_shndx != SHN_ABS,
		.global = ELF64_ST_BIND(s.st_info) != STB_LOCAL,
	};
	return true;
}

static bool value_in(const struct ch_elf *e, enum ch_elf_table which, const char *name,
                     uint64_t *ret)
{
	struct ch_elf_symtab t;
	struct ch_elf_sym s;

	if (!ch_elf_symtab(e, which, &t))
		return false;
	for (size_t i = 0; i < t.n; i++)
		if (ch_elf_sym(&t, i, &s) && !strcmp(s.name, name)) {
			*ret = s.value;
			return true;
		}
	return false;
}

static bool value_in_debugdata(const struct ch_elf *e, const char *name, uint64_t *ret)
{
	struct ch_elf inner = { 0 };
	bool found;

	if (ch_elf_debugdata(e, &inner) < 0)
		return false;
	found = value_in(&inner, CH_ELF_SYMTAB, name, ret);
	ch_elf_done(&inner);
	return found;
}

bool ch_elf_value(const struct ch_elf *e, const char *name, uint64_t *ret)
{
	return value_in(e, CH_ELF_DYNSYM, name, ret) || value_in(e, CH_ELF_SYMTAB, name, ret) ||
	       value_in_debugdata(e, name, ret);
}

int ch_elf_symbol(const char *path, const char *name, uint64_t *ret, struct ch_error *err)
{
	struct ch_elf e = { 0 };
	int r = ch_elf_open(path, &e, err);

	if (r < 0)
		return r;
	if (!ch_elf_value(&e, name, ret))
		r = ch_fail(err, -ENOENT, "'%s' has no symbol '%s'", path, name);
	ch_elf_done(&e);
	return r;
}

/* --- segments ---------------------------------------------------------------------------------- */

/* Loaded segment i, or false; *ret_more tells whether there are further ones. */
static bool load_segment(const struct ch_elf *e, size_t i, Elf64_Phdr *ret, bool *ret_more)
{
	Elf64_Ehdr h = header(e);
	const void *p = bytes_at(e, h.e_phoff, (uint64_t)h.e_phnum * sizeof(*ret));

	*ret_more = p && h.e_phentsize == sizeof(*ret) && i < h.e_phnum;
	if (!*ret_more)
		return false;
	memcpy(ret, (const uint8_t *)p + i * sizeof(*ret), sizeof(*ret));
	return ret->p_type == PT_LOAD;
}

bool ch_elf_addr(const struct ch_elf *e, uint64_t offset, uint64_t *ret)
{
	Elf64_Phdr p;
	bool more = true;

	for (size_t i = 0; more; i++) {
		if (!load_segment(e, i, &p, &more) || offset < p.p_offset ||
		    offset - p.p_offset >= p.p_filesz)
			continue;
		*ret = p.p_vaddr + (offset - p.p_offset);
		return true;
	}
	return false;
}

bool ch_elf_first_addr(const struct ch_elf *e, uint64_t *ret)
{
	bool more = true, found = false;
	Elf64_Phdr p;

	for (size_t i = 0; more; i++) {
		if (!load_segment(e, i, &p, &more) || (found && p.p_vaddr >= *ret))
			continue;
		*ret = p.p_vaddr;
		found = true;
	}
	return found;
}

size_t ch_elf_build_id(const struct ch_elf *e, uint8_t *to, size_t n)
{
	struct ch_elf_section s;
	Elf64_Nhdr h;
	size_t at;

	if (!ch_elf_find(e, ".note.gnu.build-id", &s) || s.size < sizeof(h))
		return 0;
	memcpy(&h, s.data, sizeof(h));
	at = sizeof(h) + (((size_t)h.n_namesz + 3) & ~(size_t)3);
	if (h.n_type != NT_GNU_BUILD_ID || at > s.size || h.n_descsz > s.size - at)
		return 0;
	memcpy(to, s.data + at, n < h.n_descsz ? n : h.n_descsz);
	return h.n_descsz;
}

/* --- packed symbols ---------------------------------------------------------------------------- */

/* lzma_stream_buffer_decode of liblzma; its enum lzma_ret is 0 for success. */
typedef int unpack_fn(uint64_t *memlimit, uint32_t flags, const void *allocator, const uint8_t *in,
                      size_t *in_pos, size_t in_size, uint8_t *out, size_t *out_pos,
                      size_t out_size);

static int unpack(const struct ch_elf_section *packed, uint8_t *to, size_t *ret_n)
{
	void *lib = dlopen("liblzma.so.5", RTLD_LAZY | RTLD_LOCAL);
	unpack_fn *decode = lib ? (unpack_fn *)dlsym(lib, "lzma_stream_buffer_decode") : NULL;
	uint64_t memlimit = DEBUGDATA_MAX;
	size_t in = 0;
	int r = -ENOTSUP;

	*ret_n = 0;
	if (decode)
		r = decode(&memlimit, 0, NULL, packed->data, &in, packed->size, to, ret_n,
		           DEBUGDATA_MAX)
		        ? -EBADMSG
		        : 0;
	if (lib)
		dlclose(lib);
	return r;
}

int ch_elf_debugdata(const struct ch_elf *e, struct ch_elf *ret)
{
	struct ch_elf_section packed;
	size_t n;
	void *p;
	int r;

	if (!ch_elf_find(e, ".gnu_debugdata", &packed))
		return -ENOENT;
	/* Only pages that are written to cost memory, and the rest is given back. */
	p = mmap(NULL, DEBUGDATA_MAX, PROT_READ | PROT_WRITE,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	r = unpack(&packed, p, &n);
	if (r >= 0 && ch_elf_from(p, n, ret, NULL) < 0)
		r = -EBADMSG;
	if (r < 0) {
		munmap(p, DEBUGDATA_MAX);
		return r;
	}
	if (mremap(p, DEBUGDATA_MAX, n, 0) == MAP_FAILED)
		n = DEBUGDATA_MAX;
	ret->size = n;
	ret->owner = CH_ELF_MEMORY;
	return 0;
}
