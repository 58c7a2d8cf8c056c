#include "formats/collapsed.h"
#include "formats/writers.h"
#include "profile/segments.h"
#include "base/buf.h"

#include <errno.h>

/* One line holds one stack; no stack needs more, however deep. */
#define LINE_MAX_BYTES ((size_t)1 << 30)

/* The path of names to the segment at hand: each segment's text follows that of the one above. */
struct path {
	struct ch_buf text;
	size_t *end;       /* per level: where the text of the segment ends */
	uint8_t *spelling; /* per string id: how it is written, found out once */
};

enum spelling {
	NOT_SEEN,
	PLAIN,   /* as it is */
	ESCAPED, /* byte by byte */
};

static void escape(struct ch_buf *b, char c)
{
	static const char hex[] = "0123456789abcdef";
	char code[4] = { '\\', 'x', hex[(uint8_t)c >> 4], hex[c & 15] };

	ch_buf_put(b, code, sizeof(code));
}

/* Backslashes stay as they are unless the reader would take them for an escape of ours. */
static bool must_escape(const char *s, const char *end)
{
	return (uint8_t)*s < ' ' || *s == 0x7f || *s == ';' ||
	       (*s == '\\' && ch_collapsed_escape(s, end) >= 0);
}

static enum spelling spelling_of(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (must_escape(s + i, s + n))
			return ESCAPED;
	/* A line that starts with '#' could be a comment. */
	return n && *s == '#' ? ESCAPED : PLAIN;
}

static void put_escaped(struct ch_buf *b, const char *s, size_t n, bool starts_line)
{
	for (size_t i = 0; i < n; i++) {
		if (must_escape(s + i, s + n) || (starts_line && !i && *s == '#'))
			escape(b, s[i]);
		else
			ch_buf_putc(b, s[i]);
	}
}

static void put_name(struct path *path, const struct ch_profile *p, uint32_t name, bool starts_line)
{
	const char *s = p->strings.text[name];
	size_t n = p->strings.len[name];

	if (path->spelling[name] == NOT_SEEN)
		path->spelling[name] = (uint8_t)spelling_of(s, n);
	if (path->spelling[name] == PLAIN)
		ch_buf_put(&path->text, s, n);
	else
		put_escaped(&path->text, s, n, starts_line);
}

/* Cuts the path back to where the segment branches off and appends its frames. */
static int path_set(struct path *path, const struct ch_profile *p, const struct ch_segment *s)
{
	path->text.len = path->end[s->level - 1];
	for (uint32_t node = s->first; node <= s->last; node++) {
		bool starts_line = !p->trie.parent[node];

		if (!starts_line)
			ch_buf_putc(&path->text, ';');
		put_name(path, p, p->frames[p->trie.frame[node]].name, starts_line);
	}
	path->end[s->level] = path->text.len;
	return path->text.err;
}

static void put_count(struct ch_out *out, int64_t v, int64_t scale)
{
	char digits[20];
	int n = 0;
	int64_t rest = v % scale;

	ch_out_putc(out, ' ');
	ch_out_i64(out, v / scale);
	for (; rest && scale >= 10; rest %= scale) {
		scale /= 10;
		digits[n++] = (char)('0' + rest / scale);
	}
	if (n) {
		ch_out_putc(out, '.');
		ch_out_write(out, digits, (size_t)n);
	}
}

/*
 * The blank in a name that ends like `foo 12`, or NULL. If every line were to end in two numbers,
 * the file would be read as a diff: one line must not.
 */
static const char *blank_before_number(const char *s, size_t n)
{
	const char *p = s + n;

	while (p > s && (ch_is_digit(p[-1]) || p[-1] == '.'))
		p--;
	return p > s && p < s + n && p[-1] == ' ' ? p - 1 : NULL;
}

static void put_first_path(const struct ch_buf *path, struct ch_out *out)
{
	const char *blank =
	    path->len ? blank_before_number(path->data, path->len) : NULL; /* the empty stack */

	if (!blank) {
		ch_out_write(out, path->data, path->len);
		return;
	}
	ch_out_write(out, path->data, (size_t)(blank - path->data));
	ch_out_puts(out, "\\x20");
	ch_out_write(out, blank + 1, path->len - (size_t)(blank + 1 - path->data));
}

static int write_segments(const struct ch_profile *p, const struct ch_segments *all,
                          struct path *path, struct ch_out *out)
{
	bool first = !all->diff;

	for (size_t i = 0; i < all->n && !ch_out_failed(out); i++) {
		const struct ch_segment *s = &all->items[i];
		int r = i ? path_set(path, p, s) : 0;

		if (r < 0)
			return r;
		if (!s->self && !s->self_before)
			continue;
		if (first)
			put_first_path(&path->text, out);
		else
			ch_out_write(out, path->text.data, path->text.len);
		first = false;
		if (all->diff)
			put_count(out, s->self_before, all->scale);
		put_count(out, s->self, all->scale);
		ch_out_putc(out, '\n');
	}
	return 0;
}

int ch_collapsed_write(const struct ch_profile *p, enum ch_metric metric, struct ch_out *out,
                       struct ch_error *err)
{
	struct path path = { .text = CH_BUF(LINE_MAX_BYTES) };
	struct ch_segments segments;
	int r = ch_segments_init(&segments, p, metric);

	if (r < 0)
		return ch_fail(err, r, "write collapsed stacks: %m");
	path.end = calloc((size_t)segments.max_level + 1, sizeof(*path.end));
	path.spelling = calloc(p->strings.n, sizeof(*path.spelling));
	r = path.end && path.spelling && ch_buf_room(&path.text, 1)
	        ? write_segments(p, &segments, &path, out)
	        : -ENOMEM;
	ch_buf_done(&path.text);
	free(path.end);
	free(path.spelling);
	ch_segments_done(&segments);
	return r < 0 ? ch_fail(err, r, "write collapsed stacks: %m") : 0;
}
