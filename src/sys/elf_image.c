#include "sys/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"

#define IMAGE_MAX    ((size_t)64 << 20)
#define SEGMENTS_MAX 32

/* A library as it is loaded, and the file that is made of it. */
struct image {
	int mem;       /* /proc/self/mem: what is unmapped meanwhile is an error, not a crash */
	uint64_t bias; /* where address 0 of the library is */
	Elf64_Phdr segments[SEGMENTS_MAX];
	size_t n_segments;
	uint8_t *file;
	size_t size, room; /* room has the sections that are written behind */
};

/* The sections that are made; the last one has their names. */
enum { NONE, DYNSYM, DYNSTR, EH_FRAME_HDR, EH_FRAME, SHSTRTAB, N_SECTIONS };

static const char names[] = "\0.dynsym\0.dynstr\0.eh_frame_hdr\0.eh_frame\0.shstrtab";
static const uint8_t name_at[N_SECTIONS] = { 0, 1, 9, 17, 31, 41 };

static bool peek(const struct image *im, uint64_t at, void *to, size_t n)
{
	return pread(im->mem, to, n, (off_t)at) == (ssize_t)n;
}

static const Elf64_Phdr *segment(const struct image *im, uint32_t type)
{
	for (size_t i = 0; i < im->n_segments; i++)
		if (im->segments[i].p_type == type)
			return &im->segments[i];
	return NULL;
}

/* The bytes from an address to the end of its segment, as an offset of the file; 0: none. */
static size_t to_end(const struct image *im, uint64_t addr, uint64_t *ret_offset)
{
	for (size_t i = 0; i < im->n_segments; i++) {
		const Elf64_Phdr *p = &im->segments[i];

		if (p->p_type != PT_LOAD || addr < p->p_vaddr || addr - p->p_vaddr >= p->p_filesz)
			continue;
		*ret_offset = p->p_offset + (addr - p->p_vaddr);
		return p->p_filesz - (addr - p->p_vaddr);
	}
	return 0;
}

static int read_headers(struct image *im, uint64_t base)
{
	Elf64_Ehdr h;
	bool first = false;

	if (!peek(im, base, &h, sizeof(h)) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof(Elf64_Phdr) ||
	    h.e_phnum > SEGMENTS_MAX ||
	    !peek(im, base + h.e_phoff, im->segments, h.e_phnum * sizeof(Elf64_Phdr)))
		return -ENOEXEC;
	im->n_segments = h.e_phnum;
	for (size_t i = 0; i < im->n_segments; i++) {
		const Elf64_Phdr *p = &im->segments[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_offset > IMAGE_MAX || p->p_filesz > IMAGE_MAX - p->p_offset)
			return -E2BIG;
		if (!p->p_offset) {
			im->bias = base - p->p_vaddr;
			first = true;
		}
		if (p->p_offset + p->p_filesz > im->size)
			im->size = p->p_offset + p->p_filesz;
	}
	return first && im->size >= sizeof(Elf64_Ehdr) ? 0 : -ENOEXEC;
}

static int copy_segments(struct image *im)
{
	im->size = (im->size + 7) & ~(size_t)7;
	im->room = im->size + N_SECTIONS * sizeof(Elf64_Shdr) + sizeof(names);
	im->file = mmap(NULL, im->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (im->file == MAP_FAILED) {
		im->file = NULL;
		return -errno;
	}
	for (size_t i = 0; i < im->n_segments; i++) {
		const Elf64_Phdr *p = &im->segments[i];

		if (p->p_type == PT_LOAD &&
		    !peek(im, im->bias + p->p_vaddr, im->file + p->p_offset, p->p_filesz))
			return -ENOENT; /* unloaded */
	}
	return 0;
}

static void set_section(const struct image *im, Elf64_Shdr *s, uint32_t type, uint64_t addr,
                        uint64_t size)
{
	uint64_t offset, most = to_end(im, addr, &offset);

	if (!most)
		return;
	s->sh_type = type;
	s->sh_addr = addr;
	s->sh_offset = offset;
	s->sh_size = size && size < most ? size : most;
}

/* The dynamic linker may have made addresses of the offsets in this table, or not. */
static uint64_t unbiased(const struct image *im, uint64_t value)
{
	return value >= im->bias ? value - im->bias : value;
}

static void add_symbols(const struct image *im, Elf64_Shdr *sections)
{
	const Elf64_Phdr *p = segment(im, PT_DYNAMIC);
	uint64_t offset, left = p ? to_end(im, p->p_vaddr, &offset) : 0;
	uint64_t symtab = 0, strtab = 0, strsz = 0;
	Elf64_Dyn d;

	for (; left >= sizeof(d); left -= sizeof(d), offset += sizeof(d)) {
		memcpy(&d, im->file + offset, sizeof(d));
		if (d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_SYMTAB)
			symtab = unbiased(im, d.d_un.d_ptr);
		else if (d.d_tag == DT_STRTAB)
			strtab = unbiased(im, d.d_un.d_ptr);
		else if (d.d_tag == DT_STRSZ)
			strsz = d.d_un.d_val;
	}
	/* Nothing tells how many symbols there are, but linkers put their names behind them. */
	if (!symtab || strtab <= symtab || !strsz)
		return;
	set_section(im, &sections[DYNSTR], SHT_STRTAB, strtab, strsz);
	set_section(im, &sections[DYNSYM], SHT_DYNSYM, symtab, strtab - symtab);
	sections[DYNSYM].sh_link = DYNSTR;
	sections[DYNSYM].sh_entsize = sizeof(Elf64_Sym);
}

static void add_frames(const struct image *im, Elf64_Shdr *sections)
{
	const Elf64_Phdr *p = segment(im, PT_GNU_EH_FRAME);
	uint64_t offset;

	if (!p || to_end(im, p->p_vaddr, &offset) < 8)
		return;
	set_section(im, &sections[EH_FRAME_HDR], SHT_PROGBITS, p->p_vaddr, p->p_memsz);
	/* Version and forms in four bytes, then where the frames are, counted from there. */
	set_section(im, &sections[EH_FRAME], SHT_PROGBITS,
	            p->p_vaddr + 4 + (uint64_t)(int64_t)(int32_t)ch_load32(im->file + offset + 4),
	            0);
}

static void write_sections(struct image *im)
{
	Elf64_Shdr sections[N_SECTIONS] = { 0 };
	size_t names_offset = im->size + sizeof(sections);
	Elf64_Ehdr h;

	add_symbols(im, sections);
	add_frames(im, sections);
	sections[SHSTRTAB] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		                           .sh_offset = names_offset,
		                           .sh_size = sizeof(names) };
	for (size_t i = 0; i < N_SECTIONS; i++)
		sections[i].sh_name = name_at[i];
	memcpy(im->file + im->size, sections, sizeof(sections));
	memcpy(im->file + names_offset, names, sizeof(names));
	memcpy(&h, im->file, sizeof(h));
	h.e_shoff = im->size;
	h.e_shentsize = sizeof(Elf64_Shdr);
	h.e_shnum = N_SECTIONS;
	h.e_shstrndx = SHSTRTAB;
	memcpy(im->file, &h, sizeof(h));
}

int ch_elf_image(uint64_t base, struct ch_elf *ret)
{
	CH_CLEANUP(ch_closep) int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	struct image im = { .mem = mem };
	int r;

	if (mem < 0)
		return -errno;
	r = read_headers(&im, base);
	if (r >= 0)
		r = copy_segments(&im);
	if (r >= 0) {
		write_sections(&im);
		r = ch_elf_from(im.file, im.room, ret, NULL);
	}
	if (r >= 0)
		ret->owner = CH_ELF_MEMORY;
	else if (im.file)
		munmap(im.file, im.room);
	return r;
}
