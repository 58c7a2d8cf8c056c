#include "sys/perf_event.h"

#include <linux/perf_event.h>

/* The ring as the kernel describes it in its first page. */
struct ring {
	const uint8_t *data;
	uint64_t mask; /* its size is a power of two */
};

/* Records are aligned to words: no word stands partly at the end and partly at the start. */
static uint64_t word(const struct ring *r, uint64_t at)
{
	return *(const volatile uint64_t *)(r->data + (at & r->mask & ~UINT64_C(7)));
}

/* The chain of a sample whose words are [at, end). Markers between contexts are no addresses. */
static size_t take_chain(const struct ring *r, uint64_t at, uint64_t end, uint64_t *to, size_t max)
{
	uint64_t n = word(r, at);
	size_t taken = 0;

	for (at += 8; n-- && at < end && taken < max; at += 8) {
		uint64_t pc = word(r, at);

		if (pc == (uint64_t)PERF_CONTEXT_USER)
			break;
		if (pc < (uint64_t)PERF_CONTEXT_MAX)
			to[taken++] = pc;
	}
	return taken;
}

size_t ch_perf_event_chain_sig(const struct ch_perf_ring *ring, uint64_t *to, size_t max)
{
	struct perf_event_mmap_page *page = ring->pages;
	uint64_t head, at;
	struct ring r;
	size_t n = 0;

	if (!page || page->data_offset >= ring->bytes ||
	    page->data_size > ring->bytes - page->data_offset || !page->data_size)
		return 0;
	r = (struct ring){ (const uint8_t *)page + page->data_offset, page->data_size - 1 };
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	at = page->data_tail;
	while (at < head && head - at <= page->data_size) {
		/* type: 32 bits, misc: 16, size of the record: 16 */
		uint64_t header = word(&r, at), size = header >> 48;

		if (size < 16 || size > head - at)
			break;
		if ((uint32_t)header == PERF_RECORD_SAMPLE)
			n = take_chain(&r, at + 8, at + size, to, max);
		at += size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return n;
}
