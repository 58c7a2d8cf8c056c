#include "render/units.h"

#include <math.h>

/* Beyond this a double has no digits behind the point, and scaling it could leave 64 bits. */
#define EXACT 1e15

struct step {
	double least; /* from here on this unit is used */
	double size;
	const char *unit;
};

/* Minutes and hours only when they say more than seconds do. */
static const struct step times[] = {
	{ 3.6e13, 3.6e12, " h" }, { 6e11, 6e10, " min" }, { 1e9, 1e9, " s" },
	{ 1e6, 1e6, " ms" },      { 1e3, 1e3, " µs" },    { 0, 1, " ns" },
};

static const struct step sizes[] = {
	{ 0x1p50, 0x1p50, " PiB" }, { 0x1p40, 0x1p40, " TiB" }, { 0x1p30, 0x1p30, " GiB" },
	{ 0x1p20, 0x1p20, " MiB" }, { 0x1p10, 0x1p10, " KiB" }, { 0, 1, " B" },
};

static void put_unsigned(struct ch_buf *b, uint64_t v)
{
	char text[32];
	size_t at = sizeof(text);

	for (unsigned digits = 0;; digits++) {
		if (digits && digits % 3 == 0)
			text[--at] = ',';
		text[--at] = (char)('0' + v % 10);
		v /= 10;
		if (!v)
			break;
	}
	ch_buf_put(b, text + at, sizeof(text) - at);
}

void ch_put_grouped(struct ch_buf *b, int64_t v)
{
	if (v < 0)
		ch_buf_putc(b, '-');
	put_unsigned(b, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void ch_put_fixed(struct ch_buf *b, double v, unsigned decimals)
{
	static const uint64_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	double size = fabs(v);
	uint64_t scaled, power;

	if (!(size < EXACT)) {
		ch_buf_printf(b, "%.3g", v);
		return;
	}
	power = powers[decimals < CH_LEN(powers) ? decimals : CH_LEN(powers) - 1];
	if (size * (double)power >= 0x1p62)
		power = 1;
	scaled = (uint64_t)(size * (double)power + 0.5);
	if (v < 0 && scaled)
		ch_buf_putc(b, '-');
	put_unsigned(b, scaled / power);
	if (power > 1) {
		ch_buf_putc(b, '.');
		for (scaled %= power; power > 1; scaled %= power) {
			power /= 10;
			ch_buf_putc(b, (char)('0' + scaled / power));
		}
	}
}

void ch_put_count(struct ch_buf *b, int64_t v, int64_t scale)
{
	if (scale <= 1 || v % scale == 0)
		ch_put_grouped(b, scale > 1 ? v / scale : v);
	else
		ch_put_fixed(b, (double)v / (double)scale, 2);
}

static void put_scaled(struct ch_buf *b, double v, const struct step *step)
{
	double size;

	while (fabs(v) < step->least)
		step++;
	v /= step->size;
	size = fabs(v);
	ch_put_fixed(b, v, size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : 2);
	ch_buf_puts(b, step->unit);
}

void ch_put_quantity(struct ch_buf *b, int64_t v, int64_t scale, const char *unit)
{
	if (!strcmp(unit, "ns") || !strcmp(unit, "bytes")) {
		put_scaled(b, (double)v / (double)(scale > 1 ? scale : 1),
		           *unit == 'n' ? times : sizes);
		return;
	}
	ch_put_count(b, v, scale);
	if (!strcmp(unit, "samples")) {
		ch_buf_puts(b, v == scale ? " sample" : " samples");
	} else if (*unit && strcmp(unit, "count") != 0) {
		ch_buf_putc(b, ' ');
		ch_buf_puts(b, unit);
	}
}

void ch_put_percent(struct ch_buf *b, double part, double whole)
{
	double share = part / whole * 100;

	if (!(whole > 0)) {
		ch_buf_puts(b, "–");
	} else if (share > 0 && share < 0.01) {
		ch_buf_puts(b, "<0.01%");
	} else {
		ch_put_fixed(b, share, share >= 99.995 ? 0 : 2);
		ch_buf_putc(b, '%');
	}
}

void ch_put_points(struct ch_buf *b, double delta)
{
	double points = fabs(delta) * 100;

	if (points == 0) {
		ch_buf_puts(b, "0 pt");
		return;
	}
	if (points < 0.01) {
		ch_buf_puts(b, delta > 0 ? "<+0.01 pt" : ">-0.01 pt");
		return;
	}
	ch_buf_putc(b, delta > 0 ? '+' : '-');
	ch_put_fixed(b, points, 2);
	ch_buf_puts(b, " pt");
}
