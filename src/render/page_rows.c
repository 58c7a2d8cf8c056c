#include "render/page.h"

#include <errno.h>

/* Bits of the page format's row table. */
enum { HAS_LABELS = 1, HAS_TIMES = 2, HAS_VALUES = 4 };

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

/*
 * Rows with equal node, labels and bucket are one row of the page. These three are packed into one
 * number, the node on top: sorting it puts the rows in order and equals side by side. There is
 * always room: a trie has at most 2^28 nodes, a profile 2^24 label sets, an axis 2^11 buckets.
 */
struct row {
	uint64_t key;
	int64_t samples, value;
};

struct packing {
	unsigned set_bits, bucket_bits, bits;
};

static unsigned bits_for(size_t n)
{
	return n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;
}

static size_t collect(const struct ch_page *page, size_t event, const uint32_t *node_of,
                      const uint32_t *set_of, const struct packing *k, struct row *rows)
{
	const struct ch_profile *p = page->p;
	bool timed = page->events[event].timed;
	size_t n = 0;

	for (size_t i = 0; i < p->rows.n; i++) {
		uint64_t key = node_of[p->rows.stack[i]];

		if (page->event_of[p->rows.event[i]] != event ||
		    !p->events[p->rows.event[i]].samples)
			continue;
		key = key << k->set_bits | set_of[p->rows.labels[i]];
		key =
		    key << k->bucket_bits | (timed ? ch_page_bucket(page, p->rows.time_ns[i]) : 0);
		rows[n++] = (struct row){ key, ch_page_weight(page, i, p->rows.samples[i]),
			                  ch_page_weight(page, i, p->rows.value[i]) };
	}
	return n;
}

/* Least digit first; returns which of the two arrays holds the result. */
static struct row *sort_rows(struct row *rows, struct row *spare, size_t n, unsigned bits)
{
	for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {
		uint32_t start[DIGITS + 1] = { 0 };
		struct row *swap = rows;

		for (size_t i = 0; i < n; i++)
			start[(rows[i].key >> shift & (DIGITS - 1)) + 1]++;
		for (unsigned d = 0; d < DIGITS; d++)
			start[d + 1] += start[d];
		for (size_t i = 0; i < n; i++)
			spare[start[rows[i].key >> shift & (DIGITS - 1)]++] = rows[i];
		rows = spare;
		spare = swap;
	}
	return rows;
}

static size_t merge_equals(struct row *rows, size_t n)
{
	size_t last = 0;

	for (size_t i = 1; i < n; i++) {
		if (rows[i].key == rows[last].key) {
			rows[last].samples = ch_sat_add(rows[last].samples, rows[i].samples);
			rows[last].value = ch_sat_add(rows[last].value, rows[i].value);
		} else {
			rows[++last] = rows[i];
		}
	}
	return n ? last + 1 : 0;
}

static void put_key_column(const struct row *rows, size_t n, unsigned shift, unsigned bits,
                           struct ch_buf *buf, struct ch_page_sink sink)
{
	for (size_t i = 0; i < n; i++) {
		ch_buf_varint(buf, rows[i].key >> shift & ((UINT64_C(1) << bits) - 1));
		ch_page_flush(buf, sink, false);
	}
}

static void put_columns(const struct ch_page_event *e, const struct packing *k,
                        const struct row *rows, size_t n, struct ch_buf *buf,
                        struct ch_page_sink sink)
{
	unsigned below_node = k->set_bits + k->bucket_bits;
	uint64_t last = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t node = rows[i].key >> below_node;

		ch_buf_varint(buf, node - last);
		ch_page_flush(buf, sink, false);
		last = node;
	}
	if (e->labelled)
		put_key_column(rows, n, k->bucket_bits, k->set_bits, buf, sink);
	if (e->timed)
		put_key_column(rows, n, 0, k->bucket_bits, buf, sink);
	for (size_t i = 0; i < n; i++) {
		ch_buf_varint(buf, (uint64_t)rows[i].samples);
		ch_page_flush(buf, sink, false);
	}
	for (size_t i = 0; e->valued && i < n; i++) {
		ch_buf_varint(buf, (uint64_t)rows[i].value);
		ch_page_flush(buf, sink, false);
	}
}

int ch_page_rows(const struct ch_page *page, size_t event, const uint32_t *node_of,
                 const uint32_t *set_of, struct ch_buf *buf, struct ch_page_sink sink)
{
	const struct ch_page_event *e = &page->events[event];
	struct packing k = { .set_bits = bits_for(page->p->n_sets),
		             .bucket_bits = bits_for(page->buckets) };
	CH_CLEANUP(ch_freep) struct row *rows = malloc((e->n_rows + 1) * sizeof(*rows));
	CH_CLEANUP(ch_freep) struct row *spare = malloc((e->n_rows + 1) * sizeof(*spare));
	struct row *sorted;
	size_t n;

	if (!rows || !spare)
		return -ENOMEM;
	k.bits = bits_for(page->p->trie.n) + k.set_bits + k.bucket_bits;
	n = collect(page, event, node_of, set_of, &k, rows);
	sorted = sort_rows(rows, spare, n, k.bits);
	n = merge_equals(sorted, n);
	ch_buf_varint(buf, n);
	ch_buf_varint(buf, (e->labelled ? HAS_LABELS : 0u) | (e->timed ? HAS_TIMES : 0u) |
	                       (e->valued ? HAS_VALUES : 0u));
	put_columns(e, &k, sorted, n, buf, sink);
	ch_page_flush(buf, sink, true);
	return buf->err;
}
