#include "render/colors.h"
#include "render/names.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

struct rgb {
	int v[3];
};

static const struct {
	double lightness, chroma, hue;
} kinds[CH_KIND_COUNT] = {
	[CH_KIND_OTHER] = { 0.80, 0.012, 260 },   [CH_KIND_JAVA] = { 0.72, 0.14, 147 },
	[CH_KIND_C1] = { 0.82, 0.13, 142 },       [CH_KIND_INTERPRETED] = { 0.90, 0.075, 138 },
	[CH_KIND_INLINED] = { 0.77, 0.095, 182 }, [CH_KIND_NATIVE] = { 0.88, 0.145, 98 },
	[CH_KIND_JVM] = { 0.79, 0.14, 67 },       [CH_KIND_KERNEL] = { 0.72, 0.155, 37 },
	[CH_KIND_PYTHON] = { 0.74, 0.115, 248 },  [CH_KIND_ALLOC] = { 0.74, 0.115, 302 },
	[CH_KIND_LOCK] = { 0.74, 0.15, 347 },     [CH_KIND_LABEL] = { 0.86, 0.02, 260 },
};

static int gamma_byte(double v)
{
	double c = v < 0 ? 0 : v > 1 ? 1 : v;

	return (int)lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055));
}

static struct rgb oklch(double lightness, double chroma, double hue)
{
	double a = chroma * cos(hue * M_PI / 180), b = chroma * sin(hue * M_PI / 180);
	double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
	double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
	double s = pow(lightness - 0.0894841775 * a - 1.291485548 * b, 3);

	return (struct rgb){ {
	    gamma_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
	    gamma_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
	    gamma_byte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
	} };
}

static struct rgb mix(struct rgb a, struct rgb b, double share)
{
	for (int i = 0; i < 3; i++)
		a.v[i] += (int)lround((b.v[i] - a.v[i]) * share);
	return a;
}

static void put(ch_color to, struct rgb c)
{
	(void)snprintf(to, sizeof(ch_color), "#%02x%02x%02x", c.v[0] & 255, c.v[1] & 255,
	               c.v[2] & 255);
}

void ch_palette_init(struct ch_palette *ret)
{
	struct rgb neutral = oklch(0.9, 0.006, 260);
	struct rgb more = oklch(0.74, 0.165, 56), less = oklch(0.7, 0.14, 250);

	for (int k = 0; k < CH_KIND_COUNT; k++)
		for (int s = 0; s < CH_COLOR_SHADES; s++)
			put(ret->kind[k][s],
			    oklch(kinds[k].lightness + (s / (CH_COLOR_SHADES - 1.0) - 0.5) * 0.07,
			          kinds[k].chroma, kinds[k].hue));
	for (int h = 0; h < CH_COLOR_HUES; h++)
		for (int s = 0; s < 3; s++)
			put(ret->package[h][s], oklch(0.74 + s * 0.045, 0.115, h * 10));
	for (int i = -CH_COLOR_STEPS; i <= CH_COLOR_STEPS; i++)
		put(ret->change[i + CH_COLOR_STEPS],
		    mix(neutral, i < 0 ? less : more, fabs((double)i) / CH_COLOR_STEPS));
	put(ret->root, oklch(0.87, 0.012, 260));
	put(ret->band, oklch(0.78, 0.008, 260));
}

/* Not ch_hash_bytes: its seed differs from run to run, and a picture must not. */
static uint32_t stable_hash(const char *s, size_t n)
{
	uint32_t h = 0x811c9dc5;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * 0x01000193;
	return h ^ h >> 15;
}

const char *ch_palette_frame(const struct ch_palette *c, enum ch_color_mode mode,
                             const struct ch_profile *p, uint32_t frame)
{
	uint32_t name = p->frames[frame].name;
	const char *text = p->strings.text[name];
	size_t len = p->strings.len[name], package = ch_name_package(text, len);
	uint32_t group = stable_hash(text, package ? package : len);
	unsigned kind = p->frames[frame].kind;

	if (kind >= CH_KIND_COUNT)
		kind = CH_KIND_OTHER;
	if (mode == CH_COLORS_PACKAGE && kind != CH_KIND_LABEL)
		return c->package[group % CH_COLOR_HUES][(group >> 8) % 3];
	return c->kind[kind][group % CH_COLOR_SHADES];
}

const char *ch_palette_change(const struct ch_palette *c, double change, double full)
{
	double strength = full > 0 ? fabs(change) / full : 0;
	int step = (int)ceil(sqrt(strength < 1 ? strength : 1) * CH_COLOR_STEPS - 1e-9);

	return c->change[CH_COLOR_STEPS + (change < 0 ? -step : step)];
}

static const char *const modes[] = {
	[CH_COLORS_KIND] = "kind",
	[CH_COLORS_PACKAGE] = "package",
};

const char *ch_color_mode_name(size_t i)
{
	return i < CH_LEN(modes) ? modes[i] : NULL;
}

int ch_color_mode_parse(const char *s, enum ch_color_mode *ret, struct ch_error *err)
{
	for (size_t i = 0; i < CH_LEN(modes); i++) {
		if (strcmp(s, modes[i]) != 0)
			continue;
		*ret = (enum ch_color_mode)i;
		return 0;
	}
	return ch_fail(err, -EINVAL, "unknown colours '%s'; known are kind and package", s);
}
