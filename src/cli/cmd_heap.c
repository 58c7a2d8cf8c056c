#include "cli/commands.h"
#include "cli/say.h"
#include "cli/show.h"
#include "cli/target.h"
#include "base/vec.h"
#include "codec/json_out.h"
#include "render/names.h"
#include "render/units.h"

#include <errno.h>
#include <stdio.h>

/* A histogram of a million classes is still smaller. */
#define HISTOGRAM_MAX ((size_t)256 << 20)

struct row {
	struct ch_span class, module; /* as the JVM writes them */
	int64_t instances, bytes;
};

struct histogram {
	struct row *rows;
	size_t n, cap;
	int64_t instances, bytes;
};

/* --- reading it ---------------------------------------------------------------------------------- */

static struct ch_span next_word(struct ch_span *line)
{
	struct ch_span word;

	*line = ch_span_trim(*line);
	word = (struct ch_span){ line->s, 0 };
	while (word.n < line->n && !ch_is_space(word.s[word.n]))
		word.n++;
	*line = (struct ch_span){ line->s + word.n, line->n - word.n };
	return word;
}

/* "   1:   1234   56789  [B (java.base@17.0.15)": every other line has no number and colon in front. */
static bool parse_row(struct ch_span line, struct row *ret)
{
	struct ch_span number = next_word(&line), instances = next_word(&line),
	               bytes = next_word(&line);

	if (number.n < 2 || ch_span_digits(number) != number.n - 1 || !ch_span_ends(number, ":") ||
	    !instances.n || ch_span_digits(instances) != instances.n || !bytes.n ||
	    ch_span_digits(bytes) != bytes.n)
		return false;
	ret->instances = ch_span_number(instances);
	ret->bytes = ch_span_number(bytes);
	ret->class = next_word(&line);
	ret->module = ch_span_trim(line);
	if (ch_span_starts(ret->module, "(") && ch_span_ends(ret->module, ")")) {
		ret->module.s++;
		ret->module.n -= 2;
	}
	return ret->class.n > 0;
}

static int parse(const struct ch_buf *text, struct histogram *h)
{
	const char *p = text->data, *end = p + text->len;

	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		struct row row;

		if (!stop)
			stop = end;
		if (parse_row((struct ch_span){ p, (size_t)(stop - p) }, &row)) {
			if (CH_ROOM(h->rows, h->cap, h->n + 1) < 0)
				return -ENOMEM;
			h->rows[h->n++] = row;
			h->instances = ch_sat_add(h->instances, row.instances);
			h->bytes = ch_sat_add(h->bytes, row.bytes);
		}
		p = stop + 1;
	}
	return 0;
}

/* Most bytes first; then the order of the JVM, which stands in the addresses. */
static int by_bytes(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->class.s < y->class.s ? -1 : 1;
}

/* --- showing it ---------------------------------------------------------------------------------- */

/* [[I is int[][], [Ljava.lang.String; is java.lang.String[]. */
static void put_class(struct ch_buf *b, struct ch_span name)
{
	static const char letters[] = "ZBCSIJFD";
	static const char *const words[] = { "boolean", "byte", "char",  "short",
		                             "int",     "long", "float", "double" };
	size_t depth = 0;
	const char *letter;

	while (depth < name.n && name.s[depth] == '[')
		depth++;
	name = (struct ch_span){ name.s + depth, name.n - depth };
	letter = name.n == 1 ? memchr(letters, name.s[0], sizeof(letters) - 1) : NULL;
	if (depth && letter)
		ch_buf_puts(b, words[letter - letters]);
	else if (depth && name.n > 2 && name.s[0] == 'L' && name.s[name.n - 1] == ';')
		ch_name_show(b, name.s + 1, name.n - 2);
	else
		ch_name_show(b, name.s, name.n);
	while (depth--)
		ch_buf_puts(b, "[]");
}

static void put_right(struct ch_buf *to, const struct ch_buf *number, int width)
{
	ch_buf_printf(to, "%*.*s", width, (int)number->len, number->len ? number->data : "");
}

static void put_line(struct ch_buf *b, struct ch_buf *scratch, int64_t bytes, int64_t instances)
{
	ch_buf_reset(scratch);
	ch_put_quantity(scratch, bytes, 1, "bytes");
	put_right(b, scratch, 12);
	ch_buf_reset(scratch);
	ch_put_grouped(scratch, instances);
	put_right(b, scratch, 18);
	ch_buf_puts(b, "  ");
}

static void put_table(struct ch_buf *b, const struct histogram *h, size_t limit)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf scratch = CH_BUF(4096);

	ch_buf_printf(b, "%12s%18s  class\n", "bytes", "instances");
	for (size_t i = 0; i < h->n && i < limit; i++) {
		put_line(b, &scratch, h->rows[i].bytes, h->rows[i].instances);
		put_class(b, h->rows[i].class);
		ch_buf_putc(b, '\n');
	}
	put_line(b, &scratch, h->bytes, h->instances);
	ch_buf_printf(b, "all of %zu classes\n", h->n);
}

static void put_json(struct ch_buf *b, const struct histogram *h, size_t limit)
{
	struct ch_json_out w = ch_json_out(b, false);

	ch_json_open(&w, '{');
	ch_json_field_i64(&w, "bytes", h->bytes);
	ch_json_field_i64(&w, "instances", h->instances);
	ch_json_field_i64(&w, "count", (int64_t)h->n);
	ch_json_field_open(&w, "classes", '[');
	for (size_t i = 0; i < h->n && i < limit; i++) {
		const struct row *r = &h->rows[i];

		ch_json_open(&w, '{');
		ch_json_field_text(&w, "class", r->class.s, r->class.n);
		if (r->module.n)
			ch_json_field_text(&w, "module", r->module.s, r->module.n);
		ch_json_field_i64(&w, "instances", r->instances);
		ch_json_field_i64(&w, "bytes", r->bytes);
		ch_json_close(&w, '}');
	}
	ch_json_close(&w, ']');
	ch_json_close(&w, '}');
	ch_buf_putc(b, '\n');
}

static int ask(const struct cli_args *args, const struct ch_attach *a, struct ch_buf *text,
               struct ch_error *err)
{
	const char *words[CH_ATTACH_ARGS] = { args->live ? "-live" : "-all" };
	int r = ch_attach_send(a, "inspectheap", words, cli_collect, text, err);

	return r > 0 ? ch_fail(err, -EIO, "the JVM could not count its heap: %.*s",
	                       (int)(text->len < 300 ? text->len : 300), text->data)
	             : r;
}

int cli_heap(const struct cli_args *args)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf text = CH_BUF(HISTOGRAM_MAX);
	CH_CLEANUP(ch_buf_done) struct ch_buf out = CH_BUF(2 * HISTOGRAM_MAX);
	struct histogram h = { 0 };
	size_t limit = args->limit ? args->limit : SIZE_MAX;
	struct ch_attach a;
	struct ch_error err;
	int r = cli_attach(args, "heap", &a);

	if (r)
		return r;
	r = ask(args, &a, &text, &err);
	ch_attach_close(&a);
	if (r >= 0 && text.len && (parse(&text, &h) < 0 || out.err))
		r = ch_fail(&err, -ENOMEM, "heap: %m");
	if (r >= 0 && !h.n)
		r = ch_fail(&err, -EBADMSG,
		            "the JVM answered with something else than a histogram");
	if (r >= 0 && h.rows) {
		qsort(h.rows, h.n, sizeof(*h.rows), by_bytes);
		if (args->json)
			put_json(&out, &h, limit);
		else
			put_table(&out, &h, limit);
		if (out.err)
			r = ch_fail(&err, out.err, "heap: %m");
		else
			fwrite(out.data, 1, out.len, stdout);
	}
	free(h.rows);
	return r < 0 ? cli_failed(&err) : EXIT_DONE;
}
