#include "formats/names.h"
#include "formats/perf.h"
#include "base/buf.h"

#include <errno.h>

/* A frame line taken apart. */
struct raw {
	struct ch_span symbol, dso, source;
};

/*
 * The '(' that the ')' at the end closes, when a blank stands before it: symbols and file names
 * may hold parentheses of their own, as in `(/tmp/x (deleted))`.
 */
static const char *dso_start(struct ch_span t)
{
	int depth = 0;

	if (!t.n || t.s[t.n - 1] != ')')
		return NULL;
	for (const char *p = t.s + t.n; p-- > t.s;) {
		depth += (*p == ')') - (*p == '(');
		if (!depth)
			return p == t.s || p[-1] == ' ' ? p : NULL;
	}
	return NULL;
}

/* Without `+0x1f` at the end. */
static struct ch_span without_offset(struct ch_span t)
{
	size_t i = t.n;

	while (i && ch_is_hex(t.s[i - 1]))
		i--;
	if (i < t.n && i >= 3 && !memcmp(t.s + i - 3, "+0x", 3))
		t.n = i - 3;
	return t;
}

static struct raw take_apart(struct ch_span text)
{
	const char *nl = memchr(text.s, '\n', text.n), *paren;
	struct ch_span first = { text.s, nl ? (size_t)(nl - text.s) : text.n };
	struct raw raw = { .dso = CH_NO_SPAN, .source = CH_NO_SPAN };

	if (nl)
		raw.source = ch_span_trim((struct ch_span){ nl + 1, text.n - first.n - 1 });
	first = ch_span_trim(first);
	paren = dso_start(first);
	raw.symbol = first;
	if (paren) {
		size_t at = (size_t)(paren - first.s);

		raw.symbol.n = at;
		raw.dso = (struct ch_span){ paren + 1, first.n - at - 2 };
	}
	if (ch_span_ends(raw.dso, " (deleted)"))
		raw.dso.n -= sizeof(" (deleted)") - 1;
	raw.dso = without_offset(raw.dso);
	raw.symbol = without_offset(ch_span_trim(raw.symbol));
	return raw;
}

static struct ch_span basename_of(struct ch_span path)
{
	const char *slash = memrchr(path.s, '/', path.n);
	size_t skip = slash ? (size_t)(slash + 1 - path.s) : 0;

	return (struct ch_span){ path.s + skip, path.n - skip };
}

/* --- where the code lives -------------------------------------------------------------------- */

static bool is_kernel(struct ch_span dso)
{
	static const char *const users[] = { "[unknown]", "[vdso]",    "[vsyscall]", "[heap]",
		                             "[stack]",   "[uprobes]", "[vectors]",  "[anon]" };

	if (ch_span_ends(dso, ".ko") || ch_span_ends(dso, "/vmlinux") || ch_span_find(dso, ".ko."))
		return true;
	if (ch_span_starts(dso, "[kernel") || ch_span_starts(dso, "[guest"))
		return true;
	/* Modules are in brackets too. */
	if (dso.n < 3 || dso.s[0] != '[' || dso.s[dso.n - 1] != ']')
		return false;
	for (size_t i = 0; i < CH_LEN(users); i++)
		if (ch_span_is(dso, users[i]))
			return false;
	return true;
}

/* Code that a JIT compiler wrote: names come from /tmp/perf-PID.map or jitdump. */
static bool is_jit(struct ch_span dso)
{
	struct ch_span base = basename_of(dso);

	return (ch_span_starts(base, "perf-") && ch_span_ends(base, ".map")) ||
	       ch_span_starts(base, "jitted-") || ch_span_starts(dso, "[JIT]");
}

/* --- names ----------------------------------------------------------------------------------- */

/*
 * The length without an argument list. Kept are templates, lambdas, `(anonymous namespace)`,
 * `operator()` and Go's methods `(*T).f`.
 */
static size_t without_arguments(struct ch_span t)
{
	int depth = 0;

	for (size_t i = 0; i < t.n; i++) {
		struct ch_span before = { t.s, i }, here = { t.s + i, t.n - i };

		switch (t.s[i]) {
		case '<':
		case '[':
		case '{':
			depth++;
			break;
		case '>':
		case ']':
		case '}':
		case ')':
			depth--;
			break;
		case '(':
			if (!depth && i && t.s[i - 1] != '.' &&
			    !ch_span_starts(here, "(anonymous namespace)") &&
			    !ch_span_ends(before, "operator"))
				return i;
			depth++;
			break;
		}
	}
	return t.n;
}

static uint32_t make_frame(struct ch_profile *p, struct ch_span name, enum ch_kind kind,
                           struct ch_span source)
{
	struct ch_frame f = { .name = ch_profile_str(p, name.s, name.n), .kind = (uint8_t)kind };
	const char *colon = memrchr(source.s, ':', source.n);

	if (p->want.lines && colon && colon > source.s) {
		for (const char *d = colon + 1; d < source.s + source.n && ch_is_digit(*d); d++)
			f.line = f.line * 10 + (uint32_t)(*d - '0');
		f.file = ch_profile_str(p, source.s, (size_t)(colon - source.s));
	}
	return ch_profile_frame(p, f);
}

/* Puts class and method together as a/b/C.m; false when the class is none. */
static bool put_java(struct ch_buf *b, struct ch_span class, struct ch_span method)
{
	ch_buf_reset(b);
	for (size_t i = 0; i < class.n; i++)
		ch_buf_putc(b, class.s[i] == '.' ? '/' : class.s[i]);
	ch_buf_putc(b, '.');
	ch_buf_put(b, method.s, method.n);
	return class.n && method.n && !b->err;
}

/*
 * The ways in which Java's names reach perf:
 *	Lorg/foo/Bar;::method  Lorg/foo/Bar;.method(I)V     perf-map-agent, jvmti agent of perf
 *	org.foo.Bar::method                                 perf-map-agent, dotted
 *	int org.foo.Bar.method(int)                         the JDK's own map
 */
static bool java_name(struct ch_span t, struct ch_buf *b)
{
	const char *end = t.s + t.n, *semi = memchr(t.s, ';', t.n);
	const char *colons, *dot, *paren, *blank;

	if (t.n && t.s[0] == 'L' && semi) {
		const char *m = semi + 1;

		while (m < end && (*m == '.' || *m == ':'))
			m++;
		paren = memchr(m, '(', (size_t)(end - m));
		end = paren ? paren : end;
		return put_java(b, (struct ch_span){ t.s + 1, (size_t)(semi - t.s) - 1 },
		                (struct ch_span){ m, (size_t)(end - m) });
	}
	paren = memchr(t.s, '(', t.n);
	end = paren ? paren : end;
	colons = memmem(t.s, (size_t)(end - t.s), "::", 2);
	if (colons)
		return put_java(b, (struct ch_span){ t.s, (size_t)(colons - t.s) },
		                (struct ch_span){ colons + 2, (size_t)(end - colons) - 2 }) &&
		       ch_name_is_java((struct ch_span){ b->data, b->len });
	blank = memrchr(t.s, ' ', (size_t)(end - t.s));
	dot = memrchr(t.s, '.', (size_t)(end - t.s));
	if (!paren || !dot || (blank && blank > dot))
		return false;
	blank = blank ? blank + 1 : t.s;
	return put_java(b, (struct ch_span){ blank, (size_t)(dot - blank) },
	                (struct ch_span){ dot + 1, (size_t)(end - dot) - 1 });
}

/* Code that a JVM wrote for itself, or another runtime's. */
static enum ch_kind helper_kind(struct ch_span name)
{
	if (ch_span_is(name, "Interpreter"))
		return CH_KIND_INTERPRETED;
	if (ch_span_starts(name, "StubRoutines") || ch_span_ends(name, "table stub") ||
	    ch_span_is(name, "call_stub"))
		return CH_KIND_JVM;
	return CH_KIND_OTHER;
}

/* The frames of compiled code; `a->b->c` are a and what was inlined into it. */
static void jit_frames(struct ch_profile *p, const struct raw *raw, struct ch_perf_frames *ret)
{
	struct ch_span left = raw->symbol;
	struct ch_buf name = CH_BUF(2 * CH_NAME_MAX);

	for (;;) {
		/* The last one takes what is left: no text is lost. */
		const char *arrow =
		    ret->n + 1 < CH_PERF_INLINED_MAX ? ch_span_find(left, "->") : NULL;
		struct ch_span one = { left.s, arrow ? (size_t)(arrow - left.s) : left.n };
		enum ch_kind kind = ret->n ? CH_KIND_INLINED : CH_KIND_JAVA;

		if (java_name(one, &name))
			one = (struct ch_span){ name.data, name.len };
		else
			kind = helper_kind(one);
		if (name.err == -ENOMEM)
			ch_profile_fail(p, name.err);
		ret->id[ret->n++] = make_frame(p, one, kind, raw->source);
		if (!arrow)
			break;
		left.n -= (size_t)(arrow + 2 - left.s);
		left.s = arrow + 2;
	}
	ch_buf_done(&name);
}

/* `py::func:/path/file.py` of CPython's perf support, as func (file.py). */
static uint32_t python_frame(struct ch_profile *p, struct ch_span symbol, struct ch_span source)
{
	struct ch_span func = { symbol.s + 4, symbol.n - 4 };
	const char *colon = memchr(func.s, ':', func.n);
	struct ch_buf name = CH_BUF(2 * CH_NAME_MAX);
	uint32_t id;

	if (colon) {
		struct ch_span file = { colon + 1, func.n - (size_t)(colon + 1 - func.s) };

		file = basename_of(file);
		ch_buf_put(&name, func.s, (size_t)(colon - func.s));
		ch_buf_puts(&name, " (");
		ch_buf_put(&name, file.s, file.n);
		ch_buf_putc(&name, ')');
		if (name.err == -ENOMEM)
			ch_profile_fail(p, name.err);
		if (!name.err)
			func = (struct ch_span){ name.data, name.len };
	}
	id = make_frame(p, func, CH_KIND_PYTHON, source);
	ch_buf_done(&name);
	return id;
}

/* A function without a name is shown by the file it lives in. */
static uint32_t unknown_frame(struct ch_profile *p, struct ch_span dso, enum ch_kind kind)
{
	struct ch_span base = basename_of(dso);
	struct ch_buf name = CH_BUF(2 * CH_NAME_MAX);
	uint32_t id;

	if (base.n > CH_NAME_MAX)
		base.n = CH_NAME_MAX;
	if (!dso.n || ch_span_is(dso, "[unknown]"))
		return make_frame(p, CH_SPAN("[unknown]"), CH_KIND_OTHER, CH_NO_SPAN);
	ch_buf_putc(&name, '[');
	ch_buf_put(&name, base.s, base.n);
	ch_buf_putc(&name, ']');
	if (name.err)
		ch_profile_fail(p, name.err);
	id =
	    make_frame(p, (struct ch_span){ name.data, name.err ? 0 : name.len }, kind, CH_NO_SPAN);
	ch_buf_done(&name);
	return id;
}

void ch_perf_frames_parse(struct ch_profile *p, struct ch_span text, struct ch_perf_frames *ret)
{
	struct raw raw = take_apart(text);
	enum ch_kind kind = raw.dso.n ? CH_KIND_NATIVE : CH_KIND_OTHER;

	ret->n = 0;
	if (is_kernel(raw.dso))
		kind = CH_KIND_KERNEL;
	else if (ch_span_is(basename_of(raw.dso), "libjvm.so"))
		kind = CH_KIND_JVM;
	if (!raw.symbol.n || ch_span_is(raw.symbol, "[unknown]")) {
		ret->id[ret->n++] = unknown_frame(p, raw.dso, kind);
	} else if (ch_span_starts(raw.symbol, "py::")) {
		ret->id[ret->n++] = python_frame(p, raw.symbol, raw.source);
	} else if (is_jit(raw.dso)) {
		jit_frames(p, &raw, ret);
	} else {
		raw.symbol.n = without_arguments(raw.symbol);
		ret->id[ret->n++] = make_frame(p, raw.symbol, kind, raw.source);
	}
}
