#include "render/page.h"
#include "base/utf8.h"

#include <errno.h>

#define BUF_MAX ((size_t)1 << 24)

/* From the profile's numbers to the page's, which are dense and short where they are frequent. */
struct body {
	const struct ch_page *page;
	const struct ch_profile *p;
	struct ch_page_sink sink;
	struct ch_buf buf;
	struct ch_tree *tree;

	uint32_t *string_of; /* per string: the page's number + 1, 0 when unused */
	uint32_t *strings;   /* in the page's order */
	size_t n_strings;
	uint32_t *frame_of; /* per frame */
	uint32_t *frames;   /* in the page's order */
	size_t n_frames;
	uint32_t *key_of; /* per string: number of the label key + 1, 0 when it is none */
	uint32_t *keys;   /* string ids */
	size_t n_keys;
	uint32_t *set_of; /* per label set */
	uint32_t *sets;   /* in the page's order, set 0 first */
	size_t n_sets;
	uint32_t *node_of; /* per stack of the trie */
};

static void body_done(struct body *b)
{
	ch_buf_done(&b->buf);
	ch_tree_free(b->tree);
	free(b->string_of);
	free(b->strings);
	free(b->frame_of);
	free(b->frames);
	free(b->key_of);
	free(b->keys);
	free(b->set_of);
	free(b->sets);
	free(b->node_of);
}

static int body_alloc(struct body *b)
{
	const struct ch_profile *p = b->p;

	b->string_of = calloc(p->strings.n, sizeof(*b->string_of));
	b->strings = malloc(p->strings.n * sizeof(*b->strings));
	b->frame_of = calloc(p->n_frames, sizeof(*b->frame_of));
	b->frames = malloc(p->n_frames * sizeof(*b->frames));
	b->key_of = calloc(p->strings.n, sizeof(*b->key_of));
	b->keys = malloc(p->strings.n * sizeof(*b->keys));
	b->set_of = calloc(p->n_sets, sizeof(*b->set_of));
	b->sets = malloc(p->n_sets * sizeof(*b->sets));
	b->node_of = calloc(p->trie.n, sizeof(*b->node_of));
	return b->string_of && b->strings && b->frame_of && b->frames && b->key_of && b->keys &&
	               b->set_of && b->sets && b->node_of
	           ? 0
	           : -ENOMEM;
}

/* --- numbering ------------------------------------------------------------------------------- */

static void use_string(struct body *b, uint32_t id)
{
	if (b->string_of[id])
		return;
	b->strings[b->n_strings++] = id;
	b->string_of[id] = (uint32_t)b->n_strings;
}

static int by_use(const void *x, const void *y, void *ctx)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const uint32_t *uses = ctx;

	if (uses[a] != uses[b])
		return uses[a] < uses[b] ? 1 : -1;
	return (a > b) - (a < b);
}

/* The most frequent frames get the shortest numbers. */
static void number_frames(struct body *b)
{
	uint32_t *uses = b->frame_of;

	for (size_t i = 1; i < b->tree->n; i++)
		uses[b->tree->frame[i]]++;
	for (size_t f = 0; f < b->p->n_frames; f++)
		if (uses[f])
			b->frames[b->n_frames++] = (uint32_t)f;
	qsort_r(b->frames, b->n_frames, sizeof(*b->frames), by_use, uses);
	for (size_t i = 0; i < b->n_frames; i++) {
		b->frame_of[b->frames[i]] = (uint32_t)i;
		use_string(b, b->p->frames[b->frames[i]].name);
	}
}

static void number_nodes(struct body *b)
{
	for (size_t i = 1; i < b->tree->n; i++)
		b->node_of[b->tree->source[i]] = (uint32_t)i;
}

static void use_set(struct body *b, uint32_t set)
{
	const struct ch_profile *p = b->p;

	if (!set || b->set_of[set])
		return;
	b->set_of[set] = (uint32_t)b->n_sets;
	b->sets[b->n_sets++] = set;
	for (uint32_t l = p->set_start[set]; l < p->set_start[set + 1]; l++) {
		use_string(b, p->labels[l].key);
		use_string(b, p->labels[l].value);
		if (b->key_of[p->labels[l].key])
			continue;
		b->keys[b->n_keys++] = p->labels[l].key;
		b->key_of[p->labels[l].key] = (uint32_t)b->n_keys;
	}
}

static void number_sets(struct body *b)
{
	b->sets[0] = 0;
	b->n_sets = 1;
	for (size_t i = 0; i < b->p->rows.n; i++)
		use_set(b, b->p->rows.labels[i]);
}

/* --- tables ---------------------------------------------------------------------------------- */

static void put_varint(struct body *b, uint64_t v)
{
	ch_buf_varint(&b->buf, v);
	ch_page_flush(&b->buf, b->sink, false);
}

/* Control characters are taken out: C0 and DEL are one byte, C1 are C2 80 to C2 9F. */
static size_t visible(const char *s, size_t n, char *to)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		uint8_t c = (uint8_t)s[i];

		if (c < 0x20 || c == 0x7f)
			continue;
		if (c == 0xc2 && i + 1 < n && (uint8_t)s[i + 1] < 0xa0) {
			i++;
			continue;
		}
		to[len++] = s[i];
	}
	return len;
}

static int put_strings(struct body *b)
{
	CH_CLEANUP(ch_freep) char *text = malloc(CH_NAME_MAX);

	if (!text)
		return -ENOMEM;
	put_varint(b, b->n_strings);
	for (size_t i = 0; i < b->n_strings; i++) {
		uint32_t id = b->strings[i];
		size_t n = visible(b->p->strings.text[id], b->p->strings.len[id], text);

		put_varint(b, n);
		ch_buf_put(&b->buf, text, n);
	}
	return 0;
}

static void put_frames(struct body *b)
{
	put_varint(b, b->n_frames);
	for (size_t i = 0; i < b->n_frames; i++) {
		const struct ch_frame *f = &b->p->frames[b->frames[i]];

		put_varint(b, b->string_of[f->name] - 1);
		put_varint(b, f->kind);
	}
}

static void put_nodes(struct body *b)
{
	const struct ch_tree *t = b->tree;

	put_varint(b, t->n - 1);
	for (size_t i = 1; i < t->n; i++) {
		put_varint(b, t->depth[i - 1] + 1 - t->depth[i]);
		put_varint(b, b->frame_of[t->frame[i]]);
	}
}

static void put_sets(struct body *b)
{
	const struct ch_profile *p = b->p;

	put_varint(b, b->n_keys);
	for (size_t i = 0; i < b->n_keys; i++)
		put_varint(b, b->string_of[b->keys[i]] - 1);
	put_varint(b, b->n_sets);
	for (size_t i = 0; i < b->n_sets; i++) {
		uint32_t start = p->set_start[b->sets[i]], end = p->set_start[b->sets[i] + 1];

		put_varint(b, end - start);
		for (uint32_t l = start; l < end; l++) {
			put_varint(b, b->key_of[p->labels[l].key] - 1);
			put_varint(b, b->string_of[p->labels[l].value] - 1);
		}
	}
}

static int write_body(struct body *b, struct ch_error *err)
{
	int r = ch_tree_new(b->p, CH_METRIC_ROWS, &b->tree, err);

	if (r < 0)
		return r;
	r = body_alloc(b);
	if (!r) {
		number_frames(b);
		number_nodes(b);
		number_sets(b);
		r = put_strings(b);
	}
	if (!r) {
		put_frames(b);
		put_nodes(b);
		put_sets(b);
	}
	for (size_t e = 0; !r && e < b->page->n_events; e++)
		r = ch_page_rows(b->page, e, b->node_of, b->set_of, &b->buf, b->sink);
	ch_page_flush(&b->buf, b->sink, true);
	if (!r)
		r = b->buf.err;
	return r < 0 ? ch_fail(err, r, "page: %m") : 0;
}

int ch_page_body(const struct ch_page *page, struct ch_page_sink sink, struct ch_error *err)
{
	struct body b = { .page = page, .p = page->p, .sink = sink, .buf = CH_BUF(BUF_MAX) };
	int r = write_body(&b, err);

	body_done(&b);
	return r;
}
