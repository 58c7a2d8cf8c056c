#include "render/svg.h"
#include "render/assets.h"
#include "render/names.h"
#include "render/units.h"
#include "render/xml.h"
#include "sys/spill.h"

#include <errno.h>
#include <time.h>

#define WIDTH        1200
#define ROW          16
#define MIN_PX       0.1
#define MARGIN       10.0 /* of the texts; frames use the whole width */
#define HEAD         50.0
#define FOOT         56.0
#define CHAR_WIDTH   7.25 /* of the widest common monospace font at that size */
#define TEXT_PAD     3.0
#define WIDE_PX      3.0
#define LEAST_CHARS  3
#define LEAST_FULL   0.02 /* a change of this share gets the full colour at least */
#define LINE_MAX_BUF ((size_t)1 << 20)

static const char style[] =
    "text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#14161a}"
    "#frames text{pointer-events:none}"
    ".wide{stroke:#fff;stroke-width:.6}"
    "#frames g:hover rect{stroke:#14161a;stroke-width:.7}"
    ".ui,.ui text{font-family:system-ui,sans-serif}"
    "#title{font-size:16px;font-weight:600}"
    ".ui .muted{fill:#5b6270}"
    "svg{background:#fff}#back{fill:#fff}"
    "@media(prefers-color-scheme:dark){"
    "svg{background:#15171b}#back{fill:#15171b}.wide{stroke:#15171b}.ui,.ui text{fill:#e8eaee}.ui "
    ".muted{fill:#a0a7b4}"
    "#frames g:hover rect{stroke:#fff}}";

struct svg {
	const struct ch_view *v;
	const struct ch_profile *p;
	struct ch_tree *tree;
	struct ch_out *out;
	struct ch_buf line; /* what is being written */
	struct ch_buf name; /* a name made fit to be shown */
	struct ch_buf text; /* what has yet to be escaped */
	struct ch_palette palette;
	struct ch_compare compare;
	double full_change;
	double width, row, min_px;
	double whole;  /* weight of the root */
	double px;     /* pixels per weight */
	double unit;   /* what the script counts in, per weight */
	size_t rows;   /* levels drawn */
	double joined; /* weight in bands */

	/* The path from the root to the present node, by depth. */
	double *next;   /* where the next node of this depth starts */
	double *right;  /* where the open node of this depth ends */
	uint32_t *open; /* that node */
	uint32_t height;
};

/* --- measures -------------------------------------------------------------------------------- */

static double both(const struct svg *s, const int64_t *after, const int64_t *before, size_t i)
{
	double w = (double)after[i];

	if (before)
		w += (double)before[i] * s->compare.factor;
	return w > 0 ? w : 0;
}

static double width_of(const struct svg *s, size_t i)
{
	return both(s, s->tree->total, s->tree->total_before, i);
}

static double self_of(const struct svg *s, size_t i)
{
	return both(s, s->tree->self, s->tree->self_before, i);
}

static double change_of(const struct svg *s, size_t i)
{
	return ch_compare_change(&s->compare, s->tree->total_before[i], s->tree->total[i]);
}

static double height_of(const struct svg *s)
{
	return HEAD + s->row * (double)s->rows + FOOT;
}

static double y_of(const struct svg *s, size_t depth)
{
	size_t level = s->v->picture.inverted ? depth : s->rows - 1 - depth;

	return HEAD + s->row * (double)level;
}

/* --- pieces of text -------------------------------------------------------------------------- */

static void flush(struct svg *s)
{
	ch_spill_all(&s->line, s->out);
}

static void put_attr(struct ch_buf *b, const char *name, double px)
{
	ch_xml_attr(b, name, px, 2);
}

static void put_whole(struct ch_buf *b, const char *name, double v)
{
	ch_xml_attr(b, name, v, 0);
}

/* name="12.5%": of the picture's width, so that frames follow the window. */
static void put_share(const struct svg *s, struct ch_buf *b, const char *name, double weight)
{
	ch_buf_puts(b, name);
	ch_buf_puts(b, "=\"");
	ch_xml_number(b, s->whole > 0 ? weight / s->whole * 100 : 0, 4);
	ch_buf_puts(b, "%\"");
}

/* Moves s->text to the line. */
static void put_escaped(struct svg *s)
{
	ch_xml_put(&s->line, s->text.data, s->text.len);
	ch_buf_reset(&s->text);
}

static void put_share_of(struct svg *s, double weight, double whole)
{
	ch_put_percent(&s->text, weight, whole); /* may be "<0.01%" */
	put_escaped(s);
}

static void put_quantity(struct svg *s, int64_t weight)
{
	ch_put_quantity(&s->text, weight, s->tree->scale, s->tree->unit);
	put_escaped(s);
}

static void put_amount(struct svg *s, int64_t weight, int64_t whole)
{
	put_quantity(s, weight);
	ch_buf_puts(&s->line, ", ");
	put_share_of(s, (double)weight, (double)whole);
}

/* `(1,234 samples, 12.34%)`, or both sides and the change. */
static void put_facts(struct svg *s, size_t i)
{
	const struct ch_tree *t = s->tree;

	ch_buf_puts(&s->line, " (");
	put_amount(s, t->total[i], t->total[0]);
	if (t->total_before) {
		ch_buf_puts(&s->line, "; before ");
		put_amount(s, t->total_before[i], t->total_before[0]);
		ch_buf_puts(&s->line, "; ");
		ch_put_points(&s->text, change_of(s, i));
		put_escaped(s);
	}
	ch_buf_putc(&s->line, ')');
}

static void text_at(struct svg *s, const char *attrs, double x, double y)
{
	ch_buf_puts(&s->line, "<text ");
	ch_buf_puts(&s->line, attrs);
	put_attr(&s->line, " x", x);
	put_attr(&s->line, " y", y);
	ch_buf_putc(&s->line, '>');
}

/* --- frames ---------------------------------------------------------------------------------- */

static void open_frame(struct svg *s, double x, double w, size_t depth)
{
	put_whole(&s->line, "<g data-x", x * s->unit);
	put_whole(&s->line, " data-w", w * s->unit);
	put_whole(&s->line, " data-d", (double)depth);
	ch_buf_puts(&s->line, "><title>");
}

static void put_rect(struct svg *s, double x, double w, size_t depth, const char *fill)
{
	ch_buf_puts(&s->line, "</title><rect");
	put_share(s, &s->line, " x", x);
	put_attr(&s->line, " y", y_of(s, depth));
	put_share(s, &s->line, " width", w);
	put_attr(&s->line, " height", s->row - 1);
	ch_buf_puts(&s->line, " fill=\"");
	ch_buf_puts(&s->line, fill);
	/* An edge around frames of one colour parts them; around narrow ones it would hide them. */
	ch_buf_puts(&s->line, w * s->px >= WIDE_PX ? "\" class=\"wide\"/>" : "\"/>");
}

/*
 * The name as far as it fits; the script cuts it anew when the frame grows. Where nothing fits
 * there is no element, unless rows have an unusual height: the script would not know the place.
 */
static void put_label(struct svg *s, double x, double w, size_t depth)
{
	double room = (w * s->px - 2 * TEXT_PAD) / CHAR_WIDTH;

	if (room < LEAST_CHARS && s->row == ROW)
		return;
	ch_buf_puts(&s->line, "<text");
	put_share(s, &s->line, " x", x);
	put_attr(&s->line, " dx", TEXT_PAD);
	put_attr(&s->line, " y", y_of(s, depth) + s->row / 2 + 3.5);
	ch_buf_putc(&s->line, '>');
	if (room >= LEAST_CHARS) {
		ch_name_cut(&s->text, s->name.data, s->name.len, (size_t)room);
		put_escaped(s);
	}
	ch_buf_puts(&s->line, "</text>");
}

static const char *fill_of(const struct svg *s, size_t i)
{
	if (s->tree->total_before)
		return ch_palette_change(&s->palette, change_of(s, i), s->full_change);
	if (!i)
		return s->palette.root;
	return ch_palette_frame(&s->palette, s->v->picture.colors, s->p, s->tree->frame[i]);
}

static void draw_frame(struct svg *s, size_t i, double x, double w)
{
	const char *name = ch_tree_name(s->tree, s->p, i);
	uint32_t depth = s->tree->depth[i];

	ch_buf_reset(&s->name);
	ch_name_show(&s->name, name, ch_tree_name_len(s->tree, s->p, i));
	open_frame(s, x, w, depth);
	ch_xml_put(&s->line, s->name.data, s->name.len);
	put_facts(s, i);
	put_rect(s, x, w, depth, fill_of(s, i));
	put_label(s, x, w, depth);
	ch_buf_puts(&s->line, "</g>\n");
	flush(s);
}

/* What was left out below a node stands behind its children as one grey band. */
static void draw_band(struct svg *s, double x, double w, size_t depth)
{
	s->joined += w;
	if (w * s->px < s->min_px)
		return;
	open_frame(s, x, w, depth);
	ch_buf_puts(&s->line, "frames too narrow to draw (");
	put_share_of(s, w, s->whole);
	ch_buf_puts(&s->line, ")");
	put_rect(s, x, w, depth, s->palette.band);
	ch_buf_puts(&s->line, "</g>\n");
	flush(s);
}

static void close_down_to(struct svg *s, uint32_t depth)
{
	while (s->height > depth) {
		uint32_t d = --s->height;
		double left_out = s->right[d] - self_of(s, s->open[d]) - s->next[d + 1];

		/* Sums of doubles are off by a little; a band weighs at least half a unit. */
		if (s->tree->pruned && left_out > 0.5)
			draw_band(s, s->next[d + 1], left_out, d + 1);
	}
}

static void draw_frames(struct svg *s)
{
	const struct ch_tree *t = s->tree;

	ch_buf_puts(&s->line, "<g id=\"frames\">\n");
	s->next[0] = 0;
	for (size_t i = 0; i < t->n && !ch_out_failed(s->out); i++) {
		uint32_t d = t->depth[i];
		double x, w = width_of(s, i);

		close_down_to(s, d);
		x = s->next[d];
		s->next[d] += w;
		s->next[d + 1] = x;
		s->right[d] = x + w;
		s->open[d] = (uint32_t)i;
		s->height = d + 1;
		if (w > 0 || !i)
			draw_frame(s, i, x, w);
	}
	close_down_to(s, 0);
	ch_buf_puts(&s->line, "</g>\n");
	flush(s);
}

/* --- around them ----------------------------------------------------------------------------- */

static void put_root(struct svg *s)
{
	struct ch_buf *b = &s->line;

	ch_buf_puts(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"charcloth\"");
	put_attr(b, " width", s->width);
	put_attr(b, " height", height_of(s));
	ch_buf_puts(b, " viewBox=\"0 0 ");
	ch_xml_number(b, s->width, 0);
	ch_buf_putc(b, ' ');
	ch_xml_number(b, height_of(s), 0);
	put_whole(b, "\" data-width", s->width);
	ch_buf_puts(b, s->v->picture.width ? "" : " data-fluid=\"1\"");
	put_whole(b, " data-total", s->whole * s->unit);
	ch_buf_puts(b, s->v->picture.inverted ? " data-inverted=\"1\"" : " data-inverted=\"0\"");
	ch_buf_puts(b, " data-unit=\"");
	ch_xml_puts(b, s->tree->unit);
	ch_buf_puts(b, "\">\n<style>");
	ch_buf_puts(b, style);
	ch_buf_puts(b, "</style>\n<rect id=\"back\" width=\"100%\" height=\"100%\"/>\n");
}

static void put_head(struct svg *s)
{
	struct ch_buf *b = &s->line;

	ch_buf_puts(b, "<g class=\"ui\">\n");
	text_at(s, "id=\"title\"", MARGIN, 22);
	ch_view_title(s->v, &s->text);
	put_escaped(s);
	ch_buf_puts(b, "</text>\n");
	text_at(s, "id=\"facts\" class=\"muted\"", MARGIN, 40);
	ch_xml_puts(b, ch_view_word(s->v));
	ch_buf_puts(b, " · ");
	put_quantity(s, s->tree->total[0]);
	if (s->tree->total_before) {
		ch_buf_puts(b, " after, ");
		put_quantity(s, s->tree->total_before[0]);
		ch_buf_puts(b, " before · width is both, blue is less, orange is more");
	}
	ch_buf_puts(b, "</text>\n");
	ch_buf_puts(b,
	            "<text id=\"search\" display=\"none\" text-anchor=\"end\" x=\"99%\" y=\"22\">");
	ch_buf_puts(b, "Search</text>\n");
	ch_buf_puts(b, "<text id=\"unzoom\" display=\"none\" text-anchor=\"end\" x=\"99%\" "
	               "dx=\"-90\" y=\"22\">");
	ch_buf_puts(b, "Reset zoom</text>\n");
	ch_buf_puts(b,
	            "<text id=\"matched\" class=\"muted\" text-anchor=\"end\" x=\"99%\" y=\"40\">");
	ch_buf_puts(b, "</text>\n</g>\n");
	flush(s);
}

static void put_note(struct svg *s)
{
	struct ch_buf *b = &s->line;

	if (!s->tree->pruned)
		return;
	ch_put_grouped(b, (int64_t)s->tree->pruned);
	ch_buf_puts(b, " frames narrower than ");
	ch_xml_number(b, s->min_px, 4);
	ch_buf_puts(b, " px (");
	put_share_of(s, s->joined, s->whole);
	ch_buf_puts(b, " of all) are joined into grey bands · ");
}

static void put_foot(struct svg *s)
{
	struct ch_buf *b = &s->line;
	double bottom = height_of(s);

	ch_buf_puts(b, "<g class=\"ui\">\n");
	text_at(s, "id=\"details\"", MARGIN, bottom - 36);
	ch_buf_puts(b, "</text>\n");
	text_at(s, "id=\"foot\" class=\"muted\"", MARGIN, bottom - 14);
	put_note(s);
	ch_view_sources(s->v, &s->text);
	if (s->text.len)
		ch_buf_puts(&s->text, " · ");
	put_escaped(s);
	if (s->v->generated_s) {
		time_t when = (time_t)s->v->generated_s;
		struct tm utc;
		char text[32];

		if (gmtime_r(&when, &utc) && strftime(text, sizeof(text), "%F %R UTC · ", &utc))
			ch_buf_puts(b, text);
	}
	ch_buf_puts(b, "charcloth " CH_VERSION "</text>\n</g>\n");
	flush(s);
}

static void put_script(struct svg *s)
{
	ch_buf_puts(&s->line, "<script><![CDATA[");
	flush(s);
	ch_out_write(s->out, ch_svg_js_start, (size_t)(ch_svg_js_end - ch_svg_js_start));
	ch_buf_puts(&s->line, "]]></script>\n</svg>\n");
	flush(s);
}

static int prepare(struct svg *s, struct ch_error *err)
{
	const struct ch_picture *picture = &s->v->picture;
	size_t depths;
	int r;

	s->width = picture->width ? picture->width : WIDTH;
	s->row = picture->frame_height ? picture->frame_height : ROW;
	s->min_px = picture->min_width < 0 ? MIN_PX : picture->min_width;
	if (s->width < 100)
		s->width = 100;
	r = ch_tree_new_pruned(s->p, s->v->metric, s->min_px / s->width, &s->tree, err);
	if (r < 0)
		return r;
	s->compare = ch_view_compare(s->v, s->tree);
	s->whole = width_of(s, 0);
	s->px = s->whole > 0 ? s->width / s->whole : 0;
	/* The script counts in whole numbers; widths of a difference are none. */
	s->unit = s->tree->total_before && s->whole > 0 ? 1e9 / s->whole : 1;
	s->rows = (size_t)s->tree->max_depth + 1 + (s->tree->pruned > 0);
	s->full_change = LEAST_FULL;
	for (size_t i = 0; s->tree->total_before && i < s->tree->n; i++) {
		double change = change_of(s, i);

		if (change < 0)
			change = -change;
		if (change > s->full_change)
			s->full_change = change;
	}
	depths = (size_t)s->tree->max_depth + 2;
	s->next = malloc(depths * sizeof(*s->next));
	s->right = malloc(depths * sizeof(*s->right));
	s->open = malloc(depths * sizeof(*s->open));
	ch_palette_init(&s->palette);
	return s->next && s->right && s->open ? 0 : ch_fail(err, -ENOMEM, "flame graph: %m");
}

int ch_svg_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	struct svg s = { .v = v,
		         .p = v->profile,
		         .out = out,
		         .line = CH_BUF(LINE_MAX_BUF * 4),
		         .name = CH_BUF(LINE_MAX_BUF),
		         .text = CH_BUF(LINE_MAX_BUF) };
	int r = prepare(&s, err);

	if (!r) {
		put_root(&s);
		put_head(&s);
		draw_frames(&s);
		put_foot(&s);
		put_script(&s);
		if (s.line.err || s.name.err || s.text.err)
			r = ch_fail(err, -ENOMEM, "flame graph: %m");
	}
	ch_tree_free(s.tree);
	ch_buf_done(&s.line);
	ch_buf_done(&s.name);
	ch_buf_done(&s.text);
	free(s.next);
	free(s.right);
	free(s.open);
	return r;
}
