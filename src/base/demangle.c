#include "base/demangle.h"

#include <string.h>

#include "base/demangle_walk.h"

static void put_number(struct ch_dm *w, size_t v)
{
	char digits[20], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + v % 10);
	while (v /= 10);
	ch_dm_put(w, at, (size_t)(digits + sizeof(digits) - at));
}

/* --- names ------------------------------------------------------------------------------------- */

void ch_dm_source_name(struct ch_dm *w)
{
	size_t n = ch_dm_number(w);
	struct ch_span t = { w->p, n };

	if (!n || strnlen(w->p, n) < n) {
		ch_dm_fail(w);
		return;
	}
	w->p += n;
	if (ch_span_starts(t, "_GLOBAL__N"))
		t = CH_SPAN("(anonymous namespace)");
	ch_dm_put(w, t.s, t.n);
	if (!w->quiet)
		w->last = t;
}

/* Code, operands in an expression (0: stands in names only), text. */
static const char *const ops[] = {
	"aN2&=",  "aS2=",  "aa2&&",     "ad1&",         "an2&",   "aw1 co_await", "cl0()",
	"cm2,",   "co1~",  "dV2/=",     "da1 delete[]", "de1*",   "dl1 delete",   "ds2.*",
	"dv2/",   "eO2^=", "eo2^",      "eq2==",        "ge2>=",  "gt2>",         "ix2[]",
	"lS2<<=", "le2<=", "ls2<<",     "lt2<",         "mI2-=",  "mL2*=",        "mi2-",
	"ml2*",   "mm1--", "na0 new[]", "ne2!=",        "ng1-",   "nt1!",         "nw0 new",
	"oR2|=",  "oo2||", "or2|",      "pL2+=",        "pl2+",   "pm2->*",       "pp1++",
	"ps1+",   "pt0->", "qu3?",      "rM2%=",        "rS2>>=", "rm2%",         "rs2>>",
	"ss2<=>",
};

const char *ch_dm_find_op(const char *p)
{
	for (size_t i = 0; i < CH_LEN(ops); i++)
		if (!strncmp(ops[i], p, 2))
			return ops[i];
	return NULL;
}

void ch_dm_operator_name(struct ch_dm *w)
{
	const char *op = ch_dm_find_op(w->p);

	ch_dm_puts(w, "operator");
	if (op) {
		w->p += 2;
		ch_dm_puts(w, op + 3);
	} else if (ch_dm_accept2(w, "cv")) {
		ch_dm_puts(w, " ");
		ch_dm_type(w);
	} else if (ch_dm_accept2(w, "li")) {
		ch_dm_puts(w, "\"\" ");
		ch_dm_source_name(w);
	} else {
		ch_dm_fail(w);
	}
}

static void tags(struct ch_dm *w)
{
	w->quiet++;
	while (!w->bad && ch_dm_accept(w, 'B'))
		ch_dm_source_name(w);
	w->quiet--;
}

/* `{lambda#1}`; the parameters between would make it unreadable. */
static void lambda(struct ch_dm *w)
{
	w->quiet++;
	while (ch_dm_more(w)) {
		if (ch_dm_accept2(w, "Ty"))
			continue; /* template <class> of a generic lambda */
		(void)ch_dm_accept2(w, "Tn");
		ch_dm_type(w);
	}
	w->quiet--;
	ch_dm_puts(w, "{lambda#");
	put_number(w, ch_dm_seq(w) + 1);
	ch_dm_puts(w, "}");
}

static void unnamed(struct ch_dm *w)
{
	if (ch_dm_accept2(w, "Ul")) {
		lambda(w);
	} else if (ch_dm_accept2(w, "Ut")) {
		ch_dm_puts(w, "{unnamed#");
		put_number(w, ch_dm_seq(w) + 1);
		ch_dm_puts(w, "}");
	} else {
		ch_dm_fail(w);
	}
}

/* C1, C2 …: the class once more; D0, D1 …: with a tilde; CI1: inherited, its base follows. */
static void structor(struct ch_dm *w)
{
	bool inherited = false;

	if (ch_dm_accept(w, 'D'))
		ch_dm_puts(w, "~");
	else if (ch_dm_accept(w, 'C'))
		inherited = ch_dm_accept(w, 'I');
	if (!ch_is_digit(*w->p)) {
		ch_dm_fail(w);
		return;
	}
	w->p++;
	ch_dm_put(w, w->last.s, w->last.n);
	if (inherited) {
		w->quiet++;
		ch_dm_type(w);
		w->quiet--;
	}
}

static void unqualified(struct ch_dm *w)
{
	char c = *w->p;

	(void)(ch_dm_accept(w, 'L') || ch_dm_accept(w, 'F')); /* static, friend */
	if (ch_is_digit(*w->p))
		ch_dm_source_name(w);
	else if (*w->p == 'U')
		unnamed(w);
	else if (c == 'C' || c == 'D')
		structor(w);
	else
		ch_dm_operator_name(w);
	tags(w);
}

static void template_args(struct ch_dm *w)
{
	ch_dm_expect(w, 'I');
	w->quiet++;
	while (ch_dm_more(w))
		ch_dm_template_arg(w);
	w->quiet--;
	ch_dm_puts(w, "<…>");
}

void ch_dm_maybe_template_args(struct ch_dm *w)
{
	if (*w->p == 'I')
		template_args(w);
}

/* S_, S0_ … and T_, T0_ … stand for something earlier; where a name is written there is none. */
void ch_dm_back_reference(struct ch_dm *w)
{
	while (ch_is_digit(*w->p) || (*w->p >= 'A' && *w->p <= 'Z'))
		w->p++;
	ch_dm_expect(w, '_');
	if (!w->quiet)
		ch_dm_fail(w);
}

static const char *const shorts[] = {
	"aallocator", "bbasic_string", "diostream", "iistream", "oostream", "sstring", "tstd",
};

/* After S. */
static void substitution(struct ch_dm *w)
{
	for (size_t i = 0; i < CH_LEN(shorts); i++) {
		if (!ch_dm_accept(w, shorts[i][0]))
			continue;
		if (shorts[i][0] != 't')
			ch_dm_puts(w, "std::");
		ch_dm_puts(w, shorts[i] + 1);
		if (!w->quiet)
			w->last = (struct ch_span){ shorts[i] + 1, strlen(shorts[i] + 1) };
		tags(w);
		return;
	}
	ch_dm_back_reference(w);
}

/* The last part of a name of Rust, `17h0123456789abcdefE`, tells builds apart, not functions. */
static bool rust_hash(struct ch_dm *w)
{
	if (strncmp(w->p, "17h", 3) != 0)
		return false;
	for (int i = 3; i < 19; i++)
		if (!ch_is_hex(w->p[i]))
			return false;
	if (w->p[19] != 'E')
		return false;
	w->p += 19;
	return true;
}

static void prefix_part(struct ch_dm *w)
{
	if (ch_dm_accept(w, 'S'))
		substitution(w);
	else if (ch_dm_accept(w, 'T'))
		ch_dm_back_reference(w);
	else if (w->p[0] == 'D' && (w->p[1] == 't' || w->p[1] == 'T'))
		ch_dm_type(w);
	else
		unqualified(w);
}

/* After N. */
static void nested(struct ch_dm *w)
{
	bool first = true;

	while (ch_dm_accept(w, 'r') || ch_dm_accept(w, 'V') || ch_dm_accept(w, 'K'))
		; /* qualifiers of a member function */
	(void)(ch_dm_accept(w, 'R') || ch_dm_accept(w, 'O'));
	while (ch_dm_more(w)) {
		if (*w->p == 'I') {
			template_args(w);
		} else if (!ch_dm_accept(w, 'M') && !rust_hash(w)) {
			if (!first)
				ch_dm_puts(w, "::");
			prefix_part(w);
			first = false;
		}
	}
	if (first)
		ch_dm_fail(w);
}

/* After Z: a function, and what is declared in it. */
static void local(struct ch_dm *w)
{
	ch_dm_encoding(w);
	w->quiet++;
	while (ch_dm_more(w))
		ch_dm_type(w);
	w->quiet--;
	if (w->p[0] == 's' && w->p[1] != 's') {
		w->p++; /* a string; the function says enough */
	} else {
		if (ch_dm_accept(w, 'd'))
			(void)ch_dm_seq(w); /* in the default of a parameter */
		ch_dm_puts(w, "::");
		ch_dm_name(w);
	}
	if (ch_dm_accept2(w, "__")) {
		(void)ch_dm_number(w);
		ch_dm_expect(w, '_');
	} else if (*w->p == '_' && ch_is_digit(w->p[1])) {
		w->p += 2;
	}
}

void ch_dm_name(struct ch_dm *w)
{
	if (!ch_dm_enter(w))
		return;
	if (ch_dm_accept(w, 'N')) {
		nested(w);
	} else if (ch_dm_accept(w, 'Z')) {
		local(w);
	} else if (ch_dm_accept2(w, "St")) {
		ch_dm_puts(w, "std::");
		unqualified(w);
	} else if (ch_dm_accept(w, 'S')) {
		substitution(w);
	} else {
		unqualified(w);
	}
	ch_dm_maybe_template_args(w);
	w->depth--;
}

/* --- whole symbols ----------------------------------------------------------------------------- */

/* h8_, hn16_, v0_n24_: how far a thunk moves `this`. */
static void call_offset(struct ch_dm *w)
{
	int numbers = ch_dm_accept(w, 'h') ? 1 : ch_dm_accept(w, 'v') ? 2 : 0;

	if (!numbers)
		ch_dm_fail(w);
	while (numbers--) {
		(void)ch_dm_accept(w, 'n');
		(void)ch_dm_number(w);
		ch_dm_expect(w, '_');
	}
}

void ch_dm_encoding(struct ch_dm *w)
{
	int thunks = 0;

	if (!ch_dm_enter(w))
		return;
	if (ch_dm_accept2(w, "Tc"))
		thunks = 2; /* this, and what is returned */
	else if (w->p[0] == 'T' && (w->p[1] == 'h' || w->p[1] == 'v'))
		thunks = 1, w->p++;
	else if (!ch_dm_accept2(w, "TW"))
		(void)ch_dm_accept2(w, "TH"); /* ways to a thread_local variable */
	for (int i = 0; i < thunks; i++)
		call_offset(w);
	if (thunks)
		ch_dm_encoding(w);
	else
		ch_dm_name(w);
	w->depth--;
}

/* The length without what compilers append to the name of a part of a function. */
static size_t plain_length(const char *s)
{
	static const char *const clones[] = { ".isra.", ".constprop.", ".part.",
		                              ".cold",  ".llvm.",      ".lto_priv." };
	size_t n = strlen(s);

	for (size_t i = 0; i < CH_LEN(clones); i++) {
		const char *at = strstr(s, clones[i]);

		if (at && at > s && (size_t)(at - s) < n)
			n = (size_t)(at - s);
	}
	return n;
}

size_t ch_demangle(const char *symbol, char *to, size_t size)
{
	struct ch_dm w = { .p = symbol, .to = to, .size = size, .last = CH_NO_SPAN };
	size_t n;

	if (ch_dm_accept2(&w, "_Z")) {
		ch_dm_encoding(&w);
		if (!w.bad && w.len) {
			to[w.len] = '\0';
			return w.len;
		}
	}
	n = plain_length(symbol);
	n = n < size ? n : size - 1;
	memcpy(to, symbol, n);
	to[n] = '\0';
	return n;
}
