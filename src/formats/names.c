#include "formats/names.h"

enum ch_kind ch_name_annotation(struct ch_span *name)
{
	const char *tail = name->s + name->n - 4;
	enum ch_kind kind;

	if (name->n < 5 || tail[0] != '_' || tail[1] != '[' || tail[3] != ']')
		return CH_KIND_OTHER;
	switch (tail[2]) {
	case 'j':
		kind = CH_KIND_JAVA;
		break;
	case 'i':
		kind = CH_KIND_INLINED;
		break;
	case 'k':
		kind = CH_KIND_KERNEL;
		break;
	case '0':
		kind = CH_KIND_INTERPRETED;
		break;
	case '1':
		kind = CH_KIND_C1;
		break;
	default:
		return CH_KIND_OTHER;
	}
	name->n -= 4;
	return kind;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* Bytes of a Java identifier; what is not ASCII may be part of one. */
static bool is_ident(char c)
{
	return is_lower(c) || is_upper(c) || ch_is_digit(c) || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

static bool all_ident(const char *s, const char *end)
{
	if (s == end || ch_is_digit(*s))
		return false;
	while (s < end && is_ident(*s))
		s++;
	return s == end;
}

/* A method: an identifier, <init> or <clinit>, perhaps with a signature in parentheses. */
static bool is_method(const char *s, const char *end)
{
	struct ch_span name;

	for (const char *p = s; p < end; p++)
		if (*p == '(')
			end = p;
	name = (struct ch_span){ s, (size_t)(end - s) };
	return all_ident(s, end) || ch_span_is(name, "<init>") || ch_span_is(name, "<clinit>");
}

/* Go and JavaScript spell functions much like Java: only a class with a capital tells them apart. */
static bool is_class(const char *s, const char *end)
{
	struct ch_span name = { s, (size_t)(end - s) };

	if (ch_span_starts(name, "package$"))
		return all_ident(s, end);
	while (s < end && (*s == '$' || *s == '_'))
		s++;
	return s < end && is_upper(*s) && all_ident(s, end);
}

/*
 * Packages in lower case divided by `sep`, then class, '.', method. A hidden class has its number
 * behind the class name, by a slash or a dot: Foo$$Lambda$7/0x0000, Foo$$Lambda/0x0000.
 */
static bool is_java(const char *s, const char *end, char sep)
{
	const char *dot = end, *class_end, *class_start, *lambda;

	for (const char *p = s; p < end && *p != '('; p++)
		if (*p == '.')
			dot = p;
	if (dot == end || !is_method(dot + 1, end))
		return false;
	class_end = dot;
	lambda = memmem(s, (size_t)(dot - s), "$$Lambda", 8);
	if (lambda) {
		class_end = lambda + 8;
		for (const char *p = class_end; p < dot; p++)
			if (!is_ident(*p) && *p != '/' && *p != '.')
				return false;
	}
	class_start = memrchr(s, sep, (size_t)(class_end - s));
	if (!class_start || !is_class(class_start + 1, class_end))
		return false;
	for (const char *p = s, *next; p < class_start; p = next + 1) {
		next = memchr(p, sep, (size_t)(class_end - p));
		if (!all_ident(p, next) || is_upper(*p))
			return false;
	}
	return true;
}

bool ch_name_is_java(struct ch_span name)
{
	const char *end = name.s + name.n;

	return is_java(name.s, end, '/') || is_java(name.s, end, '.');
}

/* `func (file.py:12)`, `file.py:func:12` and the like. */
static bool is_python(struct ch_span name)
{
	const char *py = ch_span_find(name, ".py");
	char next;

	if (ch_span_starts(name, "<frozen "))
		return true;
	if (!py)
		return false;
	next = py + 3 < name.s + name.n ? py[3] : 0;
	return next == ':' || next == ')';
}

enum ch_kind ch_name_kind(struct ch_span name)
{
	if (is_python(name))
		return CH_KIND_PYTHON;
	if (ch_name_is_java(name))
		return CH_KIND_JAVA;
	if (ch_span_find(name, "::") || ch_span_find(name, ".so.") || ch_span_ends(name, ".so") ||
	    ch_span_ends(name, ".so]"))
		return CH_KIND_NATIVE;
	return CH_KIND_OTHER;
}
