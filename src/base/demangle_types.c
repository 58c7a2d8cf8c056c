#include <string.h>

#include "base/demangle_walk.h"

static void expression(struct ch_dm *w);

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

static bool builtin(struct ch_dm *w)
{
	for (size_t i = 0; i < CH_LEN(builtins); i++)
		if (ch_dm_accept(w, builtins[i][0])) {
			ch_dm_puts(w, builtins[i] + 1);
			return true;
		}
	return false;
}

static void array_type(struct ch_dm *w)
{
	if (ch_is_digit(*w->p))
		(void)ch_dm_number(w);
	else if (*w->p != '_')
		expression(w);
	ch_dm_expect(w, '_');
	ch_dm_type(w);
}

/* After D. */
static void d_type(struct ch_dm *w)
{
	char c = *w->p;

	if (!c) {
		ch_dm_fail(w);
		return;
	}
	w->p++;
	switch (c) {
	case 'p': /* … of a pack */
	case 'o': /* noexcept */
		ch_dm_type(w);
		return;
	case 't':
	case 'T':
		expression(w);
		ch_dm_expect(w, 'E');
		return;
	case 'O':
		expression(w);
		ch_dm_expect(w, 'E');
		ch_dm_type(w);
		return;
	case 'v':
		array_type(w);
		return;
	case 'F':
		(void)ch_dm_number(w);
		if (!ch_dm_accept(w, 'b') && !ch_dm_accept(w, 'x'))
			ch_dm_expect(w, '_');
		return;
	default: /* Dn, Da, Di … */
		if (!strchr("acdefhinsu", c))
			ch_dm_fail(w);
	}
}

static void function_type(struct ch_dm *w)
{
	(void)ch_dm_accept(w, 'Y');
	while (ch_dm_more(w)) {
		if ((w->p[0] == 'R' || w->p[0] == 'O') && w->p[1] == 'E')
			w->p++;
		else
			ch_dm_type(w);
	}
}

/* What only the target of a conversion operator could show, and is not worth it. */
static void rare_type(struct ch_dm *w)
{
	ch_dm_puts(w, "…");
	w->quiet++;
	if (ch_dm_accept(w, 'F')) {
		function_type(w);
	} else if (ch_dm_accept(w, 'A')) {
		array_type(w);
	} else if (ch_dm_accept(w, 'M')) {
		ch_dm_type(w);
		ch_dm_type(w);
	} else if (ch_dm_accept(w, 'D')) {
		d_type(w);
	} else if (ch_dm_accept(w, 'u')) {
		ch_dm_source_name(w);
		ch_dm_maybe_template_args(w);
	} else if (ch_dm_accept(w, 'U')) {
		ch_dm_source_name(w);
		ch_dm_maybe_template_args(w);
		ch_dm_type(w);
	} else if (ch_dm_accept(w, 'T')) {
		if (ch_dm_accept(w, 's') || ch_dm_accept(w, 'u') || ch_dm_accept(w, 'e'))
			ch_dm_name(w);
		else
			ch_dm_back_reference(w);
		ch_dm_maybe_template_args(w);
	} else {
		ch_dm_accept(w, 'S');
		ch_dm_back_reference(w);
		ch_dm_maybe_template_args(w);
	}
	w->quiet--;
}

static void pointed(struct ch_dm *w, const char *suffix)
{
	w->p++;
	ch_dm_type(w);
	ch_dm_puts(w, suffix);
}

static void plain_type(struct ch_dm *w)
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
		ch_dm_name(w);
		return;
	case 'S':
		if (w->p[1] >= 'a' && w->p[1] <= 'z')
			ch_dm_name(w);
		else
			rare_type(w);
		return;
	default:
		if (ch_is_digit(c))
			ch_dm_name(w);
		else if (!builtin(w))
			rare_type(w);
	}
}

void ch_dm_type(struct ch_dm *w)
{
	if (!ch_dm_enter(w))
		return;
	plain_type(w);
	w->depth--;
}

/* --- template arguments and expressions: walked over, never written ---------------------------- */

/* After L. */
static void literal(struct ch_dm *w)
{
	if (ch_dm_accept2(w, "_Z") || ch_dm_accept(w, 'Z')) {
		ch_dm_encoding(w);
		while (ch_dm_more(w))
			ch_dm_type(w);
		return;
	}
	ch_dm_type(w);
	while (ch_dm_more(w))
		w->p++;
}

void ch_dm_template_arg(struct ch_dm *w)
{
	if (!ch_dm_enter(w))
		return;
	if (ch_dm_accept(w, 'L')) {
		literal(w);
	} else if (ch_dm_accept(w, 'X')) {
		expression(w);
		ch_dm_expect(w, 'E');
	} else if (ch_dm_accept(w, 'J')) {
		while (ch_dm_more(w))
			ch_dm_template_arg(w);
	} else {
		ch_dm_type(w);
	}
	w->depth--;
}

static void expressions(struct ch_dm *w)
{
	while (ch_dm_more(w))
		expression(w);
}

/* x in a.x, T::x, x(…). */
static void unresolved(struct ch_dm *w)
{
	(void)ch_dm_accept2(w, "gs");
	if (ch_dm_accept2(w, "on"))
		ch_dm_operator_name(w);
	else if (ch_dm_accept2(w, "dn"))
		ch_dm_type(w);
	else if (ch_dm_accept2(w, "sr")) {
		if (ch_dm_accept(w, 'N')) {
			ch_dm_type(w);
			while (ch_dm_more(w)) {
				ch_dm_source_name(w);
				ch_dm_maybe_template_args(w);
			}
		} else {
			ch_dm_type(w);
		}
		unresolved(w);
		return;
	} else
		ch_dm_source_name(w);
	ch_dm_maybe_template_args(w);
}

static void call_or_cast(struct ch_dm *w)
{
	if (ch_dm_accept2(w, "cl") || ch_dm_accept2(w, "il")) {
		expressions(w);
	} else if (ch_dm_accept2(w, "tl")) {
		ch_dm_type(w);
		expressions(w);
	} else if (ch_dm_accept2(w, "cv")) {
		ch_dm_type(w);
		if (ch_dm_accept(w, '_'))
			expressions(w);
		else
			expression(w);
	} else {
		w->p += 2; /* dc sc cc rc */
		ch_dm_type(w);
		expression(w);
	}
}

static bool is_one_of(const struct ch_dm *w, const char *pairs)
{
	for (; *pairs; pairs += 2)
		if (w->p[0] == pairs[0] && w->p[1] == pairs[1])
			return true;
	return false;
}

/* fp_, fp0_, fL0p_ …: what a function was called with. */
static void parameter(struct ch_dm *w)
{
	if (ch_dm_accept2(w, "fL"))
		(void)ch_dm_number(w);
	else
		ch_dm_expect(w, 'f');
	ch_dm_expect(w, 'p');
	while (ch_dm_accept(w, 'r') || ch_dm_accept(w, 'V') || ch_dm_accept(w, 'K'))
		;
	if (!ch_dm_accept(w, 'T'))
		(void)ch_dm_seq(w);
}

static void operation(struct ch_dm *w)
{
	const char *op = ch_dm_find_op(w->p);

	if (is_one_of(w, "clilcvtldcscccrc")) {
		call_or_cast(w);
	} else if (is_one_of(w, "dtpt")) {
		w->p += 2;
		expression(w);
		unresolved(w);
	} else if (is_one_of(w, "statti")) {
		w->p += 2;
		ch_dm_type(w);
	} else if (is_one_of(w, "szaznxsptwte")) {
		w->p += 2;
		expression(w);
	} else if (op && op[2] != '0') {
		w->p += 2;
		if (op[2] == '1')
			(void)ch_dm_accept(w, '_'); /* ++x; without it x++ */
		for (char i = '0'; i < op[2]; i++)
			expression(w);
	} else {
		unresolved(w);
	}
}

static void expression(struct ch_dm *w)
{
	if (!ch_dm_enter(w))
		return;
	w->quiet++;
	if (ch_dm_accept(w, 'L')) {
		literal(w);
	} else if (ch_dm_accept(w, 'T')) {
		ch_dm_back_reference(w);
	} else if (is_one_of(w, "fpfL")) {
		parameter(w);
	} else if (ch_dm_accept2(w, "sZ")) {
		expression(w);
	} else {
		operation(w);
	}
	w->quiet--;
	w->depth--;
}
