#include "base/demangle.h"

#include "base/span.h"

#include <stdbool.h>
#include <string.h>

/*
 * A recursive walk over the grammar of the Itanium ABI. Names are written as they are met; types,
 * template arguments and expressions are walked over with `quiet` set. Nothing that is written
 * can refer back (substitutions stand in types only), so there is no table of them.
 */
struct walk {
	const char *p;
	char *to;
	size_t len, size;
	unsigned quiet, depth;
	bool bad;            /* sticky: not understood, or does not fit */
	struct ch_span last; /* the class a constructor is named after */
};

#define DEPTH_MAX 96

static void type(struct walk *w);
static void encoding(struct walk *w);
static void expression(struct walk *w);
static void name(struct walk *w);

/* --- letters ----------------------------------------------------------------------------------- */

static void fail(struct walk *w)
{
	w->bad = true;
	w->p = "";
}

static bool enter(struct walk *w)
{
	if (++w->depth > DEPTH_MAX)
		fail(w);
	return !w->bad;
}

static void put(struct walk *w, const char *s, size_t n)
{
	if (w->quiet || w->bad)
		return;
	if (n >= w->size - w->len) {
		fail(w);
		return;
	}
	memcpy(w->to + w->len, s, n);
	w->len += n;
}

static void puts_(struct walk *w, const char *s)
{
	put(w, s, strlen(s));
}

static bool accept(struct walk *w, char c)
{
	if (*w->p != c)
		return false;
	w->p++;
	return true;
}

static bool accept2(struct walk *w, const char *two)
{
	if (w->p[0] != two[0] || w->p[1] != two[1])
		return false;
	w->p += 2;
	return true;
}

/* True until the closing E; nothing left is a failure. */
static bool more(struct walk *w)
{
	if (!*w->p)
		fail(w);
	return !w->bad && !accept(w, 'E');
}

static void expect(struct walk *w, char c)
{
	if (!accept(w, c))
		fail(w);
}

static size_t number(struct walk *w)
{
	size_t v = 0;

	while (ch_is_digit(*w->p) && v < 1u << 24)
		v = v * 10 + (size_t)(*w->p++ - '0');
	return v;
}

/* `_`, `0_`, `1_` …, as ids of parameters and lambdas are written: 0, 1, 2 … */
static size_t seq(struct walk *w)
{
	size_t v = ch_is_digit(*w->p) ? number(w) + 1 : 0;

	expect(w, '_');
	return v;
}

static void put_number(struct walk *w, size_t v)
{
	char digits[20], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + v % 10);
	while (v /= 10);
	put(w, at, (size_t)(digits + sizeof(digits) - at));
}

/* --- names ------------------------------------------------------------------------------------- */

static void source_name(struct walk *w)
{
	size_t n = number(w);
	struct ch_span t = { w->p, n };

	if (!n || strnlen(w->p, n) < n) {
		fail(w);
		return;
	}
	w->p += n;
	if (ch_span_starts(t, "_GLOBAL__N"))
		t = CH_SPAN("(anonymous namespace)");
	put(w, t.s, t.n);
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

static const char *find_op(const char *p)
{
	for (size_t i = 0; i < CH_LEN(ops); i++)
		if (!strncmp(ops[i], p, 2))
			return ops[i];
	return NULL;
}

static void operator_name(struct walk *w)
{
	const char *op = find_op(w->p);

	puts_(w, "operator");
	if (op) {
		w->p += 2;
		puts_(w, op + 3);
	} else if (accept2(w, "cv")) {
		puts_(w, " ");
		type(w);
	} else if (accept2(w, "li")) {
		puts_(w, "\"\" ");
		source_name(w);
	} else {
		fail(w);
	}
}

static void tags(struct walk *w)
{
	w->quiet++;
	while (!w->bad && accept(w, 'B'))
		source_name(w);
	w->quiet--;
}

/* `{lambda#1}`; the parameters between would make it unreadable. */
static void lambda(struct walk *w)
{
	w->quiet++;
	while (more(w)) {
		if (accept2(w, "Ty"))
			continue; /* template <class> of a generic lambda */
		(void)accept2(w, "Tn");
		type(w);
	}
	w->quiet--;
	puts_(w, "{lambda#");
	put_number(w, seq(w) + 1);
	puts_(w, "}");
}

static void unnamed(struct walk *w)
{
	if (accept2(w, "Ul")) {
		lambda(w);
	} else if (accept2(w, "Ut")) {
		puts_(w, "{unnamed#");
		put_number(w, seq(w) + 1);
		puts_(w, "}");
	} else {
		fail(w);
	}
}

/* C1, C2 …: the class once more; D0, D1 …: with a tilde; CI1: inherited, its base follows. */
static void structor(struct walk *w)
{
	bool inherited = false;

	if (accept(w, 'D'))
		puts_(w, "~");
	else if (accept(w, 'C'))
		inherited = accept(w, 'I');
	if (!ch_is_digit(*w->p)) {
		fail(w);
		return;
	}
	w->p++;
	put(w, w->last.s, w->last.n);
	if (inherited) {
		w->quiet++;
		type(w);
		w->quiet--;
	}
}

static void unqualified(struct walk *w)
{
	char c = *w->p;

	(void)(accept(w, 'L') || accept(w, 'F')); /* static, friend */
	if (ch_is_digit(*w->p))
		source_name(w);
	else if (*w->p == 'U')
		unnamed(w);
	else if (c == 'C' || c == 'D')
		structor(w);
	else
		operator_name(w);
	tags(w);
}

static void template_arg(struct walk *w);

static void template_args(struct walk *w)
{
	expect(w, 'I');
	w->quiet++;
	while (more(w))
		template_arg(w);
	w->quiet--;
	puts_(w, "<…>");
}

static void maybe_template_args(struct walk *w)
{
	if (*w->p == 'I')
		template_args(w);
}

/* S_, S0_ … and T_, T0_ … stand for something earlier; where a name is written there is none. */
static void back_reference(struct walk *w)
{
	while (ch_is_digit(*w->p) || (*w->p >= 'A' && *w->p <= 'Z'))
		w->p++;
	expect(w, '_');
	if (!w->quiet)
		fail(w);
}

static const char *const shorts[] = {
	"aallocator", "bbasic_string", "diostream", "iistream", "oostream", "sstring", "tstd",
};

/* After S. */
static void substitution(struct walk *w)
{
	for (size_t i = 0; i < CH_LEN(shorts); i++) {
		if (!accept(w, shorts[i][0]))
			continue;
		if (shorts[i][0] != 't')
			puts_(w, "std::");
		puts_(w, shorts[i] + 1);
		if (!w->quiet)
			w->last = (struct ch_span){ shorts[i] + 1, strlen(shorts[i] + 1) };
		tags(w);
		return;
	}
	back_reference(w);
}

/* The last part of a name of Rust, `17h0123456789abcdefE`, tells builds apart, not functions. */
static bool rust_hash(struct walk *w)
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

static void prefix_part(struct walk *w)
{
	if (accept(w, 'S'))
		substitution(w);
	else if (accept(w, 'T'))
		back_reference(w);
	else if (w->p[0] == 'D' && (w->p[1] == 't' || w->p[1] == 'T'))
		type(w);
	else
		unqualified(w);
}

/* After N. */
static void nested(struct walk *w)
{
	bool first = true;

	while (accept(w, 'r') || accept(w, 'V') || accept(w, 'K'))
		; /* qualifiers of a member function */
	(void)(accept(w, 'R') || accept(w, 'O'));
	while (more(w)) {
		if (*w->p == 'I') {
			template_args(w);
		} else if (!accept(w, 'M') && !rust_hash(w)) {
			if (!first)
				puts_(w, "::");
			prefix_part(w);
			first = false;
		}
	}
	if (first)
		fail(w);
}

/* After Z: a function, and what is declared in it. */
static void local(struct walk *w)
{
	encoding(w);
	w->quiet++;
	while (more(w))
		type(w);
	w->quiet--;
	if (w->p[0] == 's' && w->p[1] != 's') {
		w->p++; /* a string; the function says enough */
	} else {
		if (accept(w, 'd'))
			(void)seq(w); /* in the default of a parameter */
		puts_(w, "::");
		name(w);
	}
	if (accept2(w, "__")) {
		(void)number(w);
		expect(w, '_');
	} else if (*w->p == '_' && ch_is_digit(w->p[1])) {
		w->p += 2;
	}
}

static void name(struct walk *w)
{
	if (!enter(w))
		return;
	if (accept(w, 'N')) {
		nested(w);
	} else if (accept(w, 'Z')) {
		local(w);
	} else if (accept2(w, "St")) {
		puts_(w, "std::");
		unqualified(w);
	} else if (accept(w, 'S')) {
		substitution(w);
	} else {
		unqualified(w);
	}
	maybe_template_args(w);
	w->depth--;
}

/* --- types ------------------------------------------------------------------------------------- */

static const char *const builtins[] = {
	"asigned char", "bbool",
	"cchar",        "ddouble",
	"elong double", "ffloat",
	"g__float128",  "hunsigned char",
	"iint",         "junsigned int",
	"llong",        "munsigned long",
	"n__int128",    "ounsigned __int128",
	"sshort",       "tunsigned short",
	"vvoid",        "wwchar_t",
	"xlong long",   "yunsigned long long",
	"z...",
};

static bool builtin(struct walk *w)
{
	for (size_t i = 0; i < CH_LEN(builtins); i++)
		if (accept(w, builtins[i][0])) {
			puts_(w, builtins[i] + 1);
			return true;
		}
	return false;
}

static void array_type(struct walk *w)
{
	if (ch_is_digit(*w->p))
		(void)number(w);
	else if (*w->p != '_')
		expression(w);
	expect(w, '_');
	type(w);
}

/* After D. */
static void d_type(struct walk *w)
{
	char c = *w->p;

	if (!c) {
		fail(w);
		return;
	}
	w->p++;
	switch (c) {
	case 'p': /* … of a pack */
	case 'o': /* noexcept */
		type(w);
		return;
	case 't':
	case 'T':
		expression(w);
		expect(w, 'E');
		return;
	case 'O':
		expression(w);
		expect(w, 'E');
		type(w);
		return;
	case 'v':
		array_type(w);
		return;
	case 'F':
		(void)number(w);
		if (!accept(w, 'b') && !accept(w, 'x'))
			expect(w, '_');
		return;
	default: /* Dn, Da, Di … */
		if (!strchr("acdefhinsu", c))
			fail(w);
	}
}

static void function_type(struct walk *w)
{
	(void)accept(w, 'Y');
	while (more(w)) {
		if ((w->p[0] == 'R' || w->p[0] == 'O') && w->p[1] == 'E')
			w->p++;
		else
			type(w);
	}
}

/* What only the target of a conversion operator could show, and is not worth it. */
static void rare_type(struct walk *w)
{
	puts_(w, "…");
	w->quiet++;
	if (accept(w, 'F')) {
		function_type(w);
	} else if (accept(w, 'A')) {
		array_type(w);
	} else if (accept(w, 'M')) {
		type(w);
		type(w);
	} else if (accept(w, 'D')) {
		d_type(w);
	} else if (accept(w, 'u')) {
		source_name(w);
		maybe_template_args(w);
	} else if (accept(w, 'U')) {
		source_name(w);
		maybe_template_args(w);
		type(w);
	} else if (accept(w, 'T')) {
		if (accept(w, 's') || accept(w, 'u') || accept(w, 'e'))
			name(w);
		else
			back_reference(w);
		maybe_template_args(w);
	} else {
		accept(w, 'S');
		back_reference(w);
		maybe_template_args(w);
	}
	w->quiet--;
}

static void pointed(struct walk *w, const char *suffix)
{
	w->p++;
	type(w);
	puts_(w, suffix);
}

static void plain_type(struct walk *w)
{
	char c = *w->p;

	switch (c) {
	case 'P':
		pointed(w, "*");
		return;
	case 'R':
		pointed(w, "&");
		return;
	case 'O':
		pointed(w, "&&");
		return;
	case 'K':
		pointed(w, " const");
		return;
	case 'r':
	case 'V':
	case 'C':
	case 'G':
		pointed(w, "");
		return;
	case 'N':
	case 'Z':
		name(w);
		return;
	case 'S':
		if (w->p[1] >= 'a' && w->p[1] <= 'z')
			name(w);
		else
			rare_type(w);
		return;
	default:
		if (ch_is_digit(c))
			name(w);
		else if (!builtin(w))
			rare_type(w);
	}
}

static void type(struct walk *w)
{
	if (!enter(w))
		return;
	plain_type(w);
	w->depth--;
}

/* --- template arguments and expressions: walked over, never written ---------------------------- */

/* After L. */
static void literal(struct walk *w)
{
	if (accept2(w, "_Z") || accept(w, 'Z')) {
		encoding(w);
		while (more(w))
			type(w);
		return;
	}
	type(w);
	while (more(w))
		w->p++;
}

static void template_arg(struct walk *w)
{
	if (!enter(w))
		return;
	if (accept(w, 'L')) {
		literal(w);
	} else if (accept(w, 'X')) {
		expression(w);
		expect(w, 'E');
	} else if (accept(w, 'J')) {
		while (more(w))
			template_arg(w);
	} else {
		type(w);
	}
	w->depth--;
}

static void expressions(struct walk *w)
{
	while (more(w))
		expression(w);
}

/* x in a.x, T::x, x(…). */
static void unresolved(struct walk *w)
{
	(void)accept2(w, "gs");
	if (accept2(w, "on"))
		operator_name(w);
	else if (accept2(w, "dn"))
		type(w);
	else if (accept2(w, "sr")) {
		if (accept(w, 'N')) {
			type(w);
			while (more(w)) {
				source_name(w);
				maybe_template_args(w);
			}
		} else {
			type(w);
		}
		unresolved(w);
		return;
	} else
		source_name(w);
	maybe_template_args(w);
}

static void call_or_cast(struct walk *w)
{
	if (accept2(w, "cl") || accept2(w, "il")) {
		expressions(w);
	} else if (accept2(w, "tl")) {
		type(w);
		expressions(w);
	} else if (accept2(w, "cv")) {
		type(w);
		if (accept(w, '_'))
			expressions(w);
		else
			expression(w);
	} else {
		w->p += 2; /* dc sc cc rc */
		type(w);
		expression(w);
	}
}

static bool is_one_of(const struct walk *w, const char *pairs)
{
	for (; *pairs; pairs += 2)
		if (w->p[0] == pairs[0] && w->p[1] == pairs[1])
			return true;
	return false;
}

/* fp_, fp0_, fL0p_ …: what a function was called with. */
static void parameter(struct walk *w)
{
	if (accept2(w, "fL"))
		(void)number(w);
	else
		expect(w, 'f');
	expect(w, 'p');
	while (accept(w, 'r') || accept(w, 'V') || accept(w, 'K'))
		;
	if (!accept(w, 'T'))
		(void)seq(w);
}

static void operation(struct walk *w)
{
	const char *op = find_op(w->p);

	if (is_one_of(w, "clilcvtldcscccrc")) {
		call_or_cast(w);
	} else if (is_one_of(w, "dtpt")) {
		w->p += 2;
		expression(w);
		unresolved(w);
	} else if (is_one_of(w, "statti")) {
		w->p += 2;
		type(w);
	} else if (is_one_of(w, "szaznxsptwte")) {
		w->p += 2;
		expression(w);
	} else if (op && op[2] != '0') {
		w->p += 2;
		if (op[2] == '1')
			(void)accept(w, '_'); /* ++x; without it x++ */
		for (char i = '0'; i < op[2]; i++)
			expression(w);
	} else {
		unresolved(w);
	}
}

static void expression(struct walk *w)
{
	if (!enter(w))
		return;
	w->quiet++;
	if (accept(w, 'L')) {
		literal(w);
	} else if (accept(w, 'T')) {
		back_reference(w);
	} else if (is_one_of(w, "fpfL")) {
		parameter(w);
	} else if (accept2(w, "sZ")) {
		expression(w);
	} else {
		operation(w);
	}
	w->quiet--;
	w->depth--;
}

/* --- whole symbols ----------------------------------------------------------------------------- */

/* h8_, hn16_, v0_n24_: how far a thunk moves `this`. */
static void call_offset(struct walk *w)
{
	int numbers = accept(w, 'h') ? 1 : accept(w, 'v') ? 2 : 0;

	if (!numbers)
		fail(w);
	while (numbers--) {
		(void)accept(w, 'n');
		(void)number(w);
		expect(w, '_');
	}
}

static void encoding(struct walk *w)
{
	int thunks = 0;

	if (!enter(w))
		return;
	if (accept2(w, "Tc"))
		thunks = 2; /* this, and what is returned */
	else if (w->p[0] == 'T' && (w->p[1] == 'h' || w->p[1] == 'v'))
		thunks = 1, w->p++;
	else if (!accept2(w, "TW"))
		(void)accept2(w, "TH"); /* ways to a thread_local variable */
	for (int i = 0; i < thunks; i++)
		call_offset(w);
	if (thunks)
		encoding(w);
	else
		name(w);
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
	struct walk w = { .p = symbol, .to = to, .size = size, .last = CH_NO_SPAN };
	size_t n;

	if (accept2(&w, "_Z")) {
		encoding(&w);
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
