#include "jfr/writer.h"
#include "jfr/text.h"

#include <stdio.h>
#include <string.h>

/* --- values ---------------------------------------------------------------------------------- */

void ch_jfr_put_int(struct ch_buf *b, uint64_t v)
{
	char *start = ch_buf_room(b, CH_JFR_VARINT_MAX), *to = start;

	if (!to)
		return;
	while (v >= 0x80 && to - start < CH_JFR_VARINT_MAX - 1) {
		*to++ = (char)(v | 0x80);
		v >>= 7;
	}
	*to++ = (char)v;
	b->len += (size_t)(to - start);
}

void ch_jfr_put_text(struct ch_buf *b, const char *s, size_t n)
{
	if (!n) {
		ch_buf_putc(b, CH_JFR_EMPTY);
		return;
	}
	ch_buf_putc(b, CH_JFR_UTF8);
	ch_jfr_put_int(b, n);
	ch_buf_put(b, s, n);
}

void ch_jfr_put_null(struct ch_buf *b)
{
	ch_buf_putc(b, CH_JFR_NULL);
}

static void put_be(uint8_t *to, uint64_t v, unsigned n)
{
	while (n--) {
		to[n] = (uint8_t)v;
		v >>= 8;
	}
}

void ch_jfr_put_double(struct ch_buf *b, double v)
{
	uint64_t bits;
	uint8_t be[8];

	memcpy(&bits, &v, sizeof(bits));
	put_be(be, bits, sizeof(be));
	ch_buf_put(b, be, sizeof(be));
}

/* --- events ---------------------------------------------------------------------------------- */

/* One byte is kept free for the size, which is enough for most events. */
size_t ch_jfr_event_begin(struct ch_buf *b, uint64_t type_id)
{
	size_t begun = b->len;

	ch_buf_putc(b, 0);
	ch_jfr_put_int(b, type_id);
	return begun;
}

void ch_jfr_event_end(struct ch_buf *b, size_t begun)
{
	size_t size, extra = 0;

	if (b->err)
		return;
	size = b->len - begun;
	while ((size + extra) >> (7 * (extra + 1)))
		extra++;
	if (extra && !ch_buf_room(b, extra))
		return;
	if (extra)
		memmove(b->data + begun + 1 + extra, b->data + begun + 1, size - 1);
	b->len = begun;
	ch_jfr_put_int(b, size + extra);
	b->len = begun + size + extra;
}

size_t ch_jfr_checkpoint_begin(struct ch_buf *b, int64_t ticks, int64_t back, uint64_t n_pools)
{
	size_t begun = ch_jfr_event_begin(b, CH_JFR_TYPE_CHECKPOINT);

	ch_jfr_put_int(b, (uint64_t)ticks);
	ch_jfr_put_int(b, 0);
	ch_jfr_put_int(b, (uint64_t)-back);
	ch_buf_putc(b, 1); /* a flush */
	ch_jfr_put_int(b, n_pools);
	return begun;
}

void ch_jfr_header_put(const struct ch_jfr_header *h, uint8_t to[CH_JFR_HEADER_SIZE])
{
	memcpy(to, CH_JFR_MAGIC, 4);
	put_be(to + 4, 2, 2);
	put_be(to + 6, 1, 2);
	put_be(to + 8, h->size, 8);
	put_be(to + 16, h->pools_at, 8);
	put_be(to + 24, h->types_at, 8);
	put_be(to + 32, (uint64_t)h->start_ns, 8);
	put_be(to + 40, (uint64_t)h->duration_ns, 8);
	put_be(to + 48, (uint64_t)h->start_ticks, 8);
	put_be(to + 56, (uint64_t)h->ticks_per_s, 8);
	to[64] = h->state;
	put_be(to + 65, 1, 3); /* compressed integers */
}

/* --- metadata -------------------------------------------------------------------------------- */

/* Words that come again and again have a fixed number; all others one per use. */
enum word {
	W_ROOT,
	W_METADATA,
	W_REGION,
	W_LOCALE,
	W_LOCALE_VALUE,
	W_GMT_OFFSET,
	W_ZERO,
	W_CLASS,
	W_FIELD,
	W_ANNOTATION,
	W_ID,
	W_NAME,
	W_SUPER_TYPE,
	W_SIMPLE_TYPE,
	W_POOLED,
	W_DIMENSION,
	W_ONE,
	W_TRUE,
	W_VALUE,
	WORDS
};

static const char *const words[WORDS] = {
	"root",         "metadata",  "region",     "locale", "en_US", "gmtOffset", "0",
	"class",        "field",     "annotation", "id",     "name",  "superType", "simpleType",
	"constantPool", "dimension", "1",          "true",   "value",
};

/*
 * The tree refers to strings by number, and the strings come before it: both are made by the same
 * walk, done twice. Strings are numbered in the order in which the walk meets them.
 */
struct walk {
	struct ch_buf *b;
	const struct ch_jfr_type_def *types;
	size_t n;
	bool strings; /* first walk: strings only */
	uint64_t next;
};

static void put_number(struct walk *w, uint64_t v)
{
	if (!w->strings)
		ch_jfr_put_int(w->b, v);
}

static void put_text(struct walk *w, const char *s)
{
	if (w->strings)
		ch_jfr_put_text(w->b, s, strlen(s));
	else
		ch_jfr_put_int(w->b, w->next);
	w->next++;
}

static void put_id(struct walk *w, const char *type)
{
	char text[24];
	size_t i = 0;

	while (i < w->n && strcmp(w->types[i].name, type) != 0)
		i++;
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)ch_jfr_type_id(i));
	put_text(w, text);
}

static void open_element(struct walk *w, enum word name, uint64_t n_attributes)
{
	put_number(w, name);
	put_number(w, n_attributes);
}

static void put_words(struct walk *w, enum word key, enum word value)
{
	put_number(w, key);
	put_number(w, value);
}

static void put_note(struct walk *w, const struct ch_jfr_note *note)
{
	open_element(w, W_ANNOTATION, note->value ? 2 : 1);
	put_number(w, W_CLASS);
	put_id(w, note->type);
	if (note->value) {
		put_number(w, W_VALUE);
		put_text(w, note->value);
	}
	put_number(w, 0);
}

static void put_field(struct walk *w, const struct ch_jfr_field_def *f)
{
	open_element(w, W_FIELD, 2u + f->pooled + f->array);
	put_number(w, W_NAME);
	put_text(w, f->name);
	put_number(w, W_CLASS);
	put_id(w, f->type);
	if (f->pooled)
		put_words(w, W_POOLED, W_TRUE);
	if (f->array)
		put_words(w, W_DIMENSION, W_ONE);
	put_number(w, f->note.type != NULL);
	if (f->note.type)
		put_note(w, &f->note);
}

static void put_class(struct walk *w, const struct ch_jfr_type_def *t)
{
	open_element(w, W_CLASS, 2u + (t->super != NULL) + t->simple);
	put_number(w, W_ID);
	put_id(w, t->name);
	put_number(w, W_NAME);
	put_text(w, t->name);
	if (t->super) {
		put_number(w, W_SUPER_TYPE);
		put_text(w, t->super);
	}
	if (t->simple)
		put_words(w, W_SIMPLE_TYPE, W_TRUE);
	put_number(w, t->n_notes + t->n_fields);
	for (size_t i = 0; i < t->n_notes; i++)
		put_note(w, &t->notes[i]);
	for (size_t i = 0; i < t->n_fields; i++)
		put_field(w, &t->fields[i]);
}

static void put_tree(struct walk *w)
{
	open_element(w, W_ROOT, 0);
	put_number(w, 2);
	open_element(w, W_METADATA, 0);
	put_number(w, w->n);
	for (size_t i = 0; i < w->n; i++)
		put_class(w, &w->types[i]);
	open_element(w, W_REGION, 2);
	put_words(w, W_LOCALE, W_LOCALE_VALUE);
	put_words(w, W_GMT_OFFSET, W_ZERO);
	put_number(w, 0);
}

void ch_jfr_put_types(struct ch_buf *b, const struct ch_jfr_type_def *types, size_t n,
                      int64_t ticks)
{
	struct ch_buf texts = CH_BUF(b->max);
	struct walk w = { .b = &texts, .types = types, .n = n, .strings = true, .next = WORDS };
	size_t begun = ch_jfr_event_begin(b, CH_JFR_TYPE_METADATA);

	put_tree(&w);
	ch_jfr_put_int(b, (uint64_t)ticks);
	ch_jfr_put_int(b, 0);
	ch_jfr_put_int(b, 1); /* the metadata's number */
	ch_jfr_put_int(b, w.next);
	for (size_t i = 0; i < WORDS; i++)
		ch_jfr_put_text(b, words[i], strlen(words[i]));
	if (texts.err && !b->err)
		b->err = texts.err;
	ch_buf_put(b, texts.data, texts.len);
	w = (struct walk){ .b = b, .types = types, .n = n, .next = WORDS };
	put_tree(&w);
	ch_jfr_event_end(b, begun);
	ch_buf_done(&texts);
}
