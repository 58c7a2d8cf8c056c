#include "profile/select.h"
#include "base/span.h"

/* Behind the name, as async-profiler's -a does; readers of collapsed stacks understand it. */
static const char *const marks[CH_KIND_COUNT] = {
	[CH_KIND_JAVA] = "_[j]",    [CH_KIND_C1] = "_[1]",     [CH_KIND_INTERPRETED] = "_[0]",
	[CH_KIND_INLINED] = "_[i]", [CH_KIND_KERNEL] = "_[k]",
};

static bool has_class(const struct ch_frame *f)
{
	return ch_kind_is_java(f->kind) || f->kind == CH_KIND_ALLOC || f->kind == CH_KIND_LOCK;
}

/*
 * Where the package ends: behind the last slash of the class. Hidden classes carry an address
 * behind a slash of their own (`a/b/C$$Lambda/0x00007f01.run`), which is no package.
 */
static size_t package_len(const char *name, size_t n)
{
	size_t end = 0;

	for (size_t i = 0; i + 1 < n && name[i] != '('; i++)
		if (name[i] == '/' && !ch_is_digit(name[i + 1]))
			end = i + 1;
	return end;
}

static void put_dotted(struct ch_buf *out, const char *name, size_t n)
{
	size_t package = package_len(name, n);
	char *to = ch_buf_room(out, n);

	if (!to)
		return;
	for (size_t i = 0; i < n; i++)
		to[i] = name[i] == '/' && i < package ? '.' : name[i];
	out->len += n;
}

/* The last element of a path keeps a Python frame `dir/file.py:func` readable. */
static size_t path_len(const char *name, size_t n)
{
	size_t end = 0;

	for (size_t i = 0; i < n && name[i] != ':'; i++)
		if (name[i] == '/')
			end = i + 1;
	return end;
}

/* Class names the JVM makes up, with a number that differs from run to run behind them. */
static const char *const numbered[] = { "$$Lambda$", "GeneratedMethodAccessor",
	                                "GeneratedConstructorAccessor", "$Proxy" };

/* Length of an address of a hidden class: `/0x00007f01`, `.0x00007f01`, `+0x00007f01/1344`. */
static size_t address_len(const char *s, size_t n)
{
	size_t i = 3;

	if (n < 4 || (s[0] != '/' && s[0] != '+' && s[0] != '.') || s[1] != '0' || s[2] != 'x' ||
	    !ch_is_hex(s[3]))
		return 0;
	while (i < n && ch_is_hex(s[i]))
		i++;
	if (i + 1 < n && s[i] == '/' && ch_is_digit(s[i + 1]))
		for (i++; i < n && ch_is_digit(s[i]);)
			i++;
	return i;
}

/* Length of the number behind a made-up name that ends at `at`; 0 when there is none. */
static size_t number_len(const char *name, size_t at, size_t n)
{
	size_t digits = 0;

	for (size_t i = 0; i < CH_LEN(numbered); i++) {
		size_t len = strlen(numbered[i]);

		if (at < len || memcmp(name + at - len, numbered[i], len) != 0)
			continue;
		while (at + digits < n && ch_is_digit(name[at + digits]))
			digits++;
	}
	return digits;
}

/* `a/B$$Lambda$91+0x00007f01.run` becomes `a/B$$Lambda$.run`: what differs from run to run goes. */
static size_t normalize(const char *name, size_t n, char *to)
{
	size_t out = 0;

	for (size_t i = 0; i < n;) {
		size_t skip = address_len(name + i, n - i);

		if (!skip)
			skip = number_len(name, i, n);
		if (skip) {
			i += skip;
			continue;
		}
		to[out++] = name[i++];
	}
	return out;
}

static void put_styled(const struct ch_frame *f, enum ch_name_style style, const char *name,
                       size_t n, struct ch_buf *out)
{
	size_t skip = 0;

	if (style == CH_NAMES_DOT && has_class(f)) {
		put_dotted(out, name, n);
		return;
	}
	if (style == CH_NAMES_SIMPLE && has_class(f))
		skip = package_len(name, n);
	else if (style == CH_NAMES_SIMPLE && f->kind == CH_KIND_PYTHON)
		skip = path_len(name, n);
	ch_buf_put(out, name + skip, n - skip);
}

void ch_name_format(const struct ch_profile *p, const struct ch_frame *f, const struct ch_select *s,
                    struct ch_buf *out)
{
	const char *name = p->strings.text[f->name];
	size_t n = p->strings.len[f->name];
	char plain[CH_NAME_MAX];

	if (s->normalize && has_class(f)) {
		n = normalize(name, n, plain);
		name = plain;
	}
	put_styled(f, s->names, name, n, out);
	if (s->lines && f->line)
		ch_buf_printf(out, ":%u", f->line);
	if (s->annotate && marks[f->kind])
		ch_buf_puts(out, marks[f->kind]);
}
