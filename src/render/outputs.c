#include "render/outputs.h"
#include "base/buf.h"
#include "formats/writers.h"
#include "render/html.h"
#include "render/json.h"
#include "render/svg.h"
#include "render/text.h"

#include <errno.h>
#include <strings.h>

static int write_collapsed(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	return ch_collapsed_write(v->profile, v->metric, out, err);
}

static int write_pprof(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	return ch_pprof_write(v->profile, out, err);
}

static int write_speedscope(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf title = CH_BUF(CH_NAME_MAX);

	ch_view_title(v, &title);
	ch_buf_putc(&title, 0);
	if (title.err)
		return ch_fail(err, title.err, "title: %m");
	return ch_speedscope_write(v->profile, title.data, v->by, out, err);
}

static int write_uber(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	return ch_uber_write(v->profile, out, err);
}

static int write_jfr(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	return ch_jfr_write(v->profile, out, err);
}

const struct ch_output ch_outputs[] = {
	{ "html",
	  "Flame graph page",
	  { ".html", ".htm" },
	  { .times = true,
	    .labels = true,
	    .series = true,
	    .all_events = true,
	    .colors = true,
	    .turns = true },
	  true,
	  ch_html_write },
	{ "svg", "Flame graph picture", { ".svg" }, { .colors = true }, true, ch_svg_write },
	{ "collapsed",
	  "Collapsed stacks, one a line",
	  { ".collapsed", ".folded" },
	  { .plain = true },
	  true,
	  write_collapsed },
	{ "pprof",
	  "pprof, gzip-compressed",
	  { ".pb.gz", ".pprof", ".pb" },
	  { .labels = true, .lines = true, .all_events = true, .kinds = true },
	  false,
	  write_pprof },
	{ "speedscope",
	  "speedscope JSON, a profile per thread or label",
	  { ".speedscope.json", ".speedscope" },
	  { .labels = true, .colors = true },
	  false,
	  write_speedscope },
	{ "jfr",
	  "Flight recording",
	  { ".jfr" },
	  { .times = true,
	    .labels = true,
	    .lines = true,
	    .series = true,
	    .all_events = true,
	    .kinds = true },
	  false,
	  write_jfr },
	{ "text", "Hot methods and call tree as text", { ".txt" }, { 0 }, true, ch_text_write },
	{ "top", "Hot methods as text", { ".top.txt" }, { 0 }, true, ch_text_top_write },
	{ "tree", "Call tree as text", { ".tree.txt" }, { 0 }, true, ch_text_tree_write },
	{ "json", "Call tree as JSON", { ".json" }, { .colors = true }, true, ch_json_write },
	{ "top-json", "Hot methods as JSON", { ".top.json" }, { 0 }, true, ch_json_top_write },
	{ "uber",
	  "Stacktrace records of Uber's JVM profiler",
	  { ".uber.json", ".uber" },
	  { .labels = true, .colors = true },
	  false,
	  write_uber },
};

const size_t ch_n_outputs = CH_LEN(ch_outputs);

static const struct ch_output *by_extension(const char *path)
{
	const struct ch_output *best = NULL;
	size_t len = strlen(path), longest = 0;

	for (size_t i = 0; i < ch_n_outputs; i++) {
		for (const char *const *e = ch_outputs[i].extensions; *e; e++) {
			size_t n = strlen(*e);

			if (n > longest && n < len && !strcasecmp(path + len - n, *e)) {
				best = &ch_outputs[i];
				longest = n;
			}
		}
	}
	return best;
}

static const struct ch_output *by_name(const char *name)
{
	for (size_t i = 0; i < ch_n_outputs; i++)
		if (!strcmp(ch_outputs[i].name, name))
			return &ch_outputs[i];
	return NULL;
}

static int unknown_format(const char *format, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf known = CH_BUF(1024);

	for (size_t i = 0; i < ch_n_outputs; i++)
		ch_buf_printf(&known, "%s%s", i ? ", " : "", ch_outputs[i].name);
	ch_buf_putc(&known, 0);
	return ch_fail(err, -EINVAL, "unknown format '%s'; known are %s", format,
	               known.err ? "those of --help" : known.data);
}

static int unknown_extension(const char *path, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf known = CH_BUF(1024);

	for (size_t i = 0; i < ch_n_outputs; i++)
		for (const char *const *e = ch_outputs[i].extensions; *e; e++)
			ch_buf_printf(&known, "%s%s", known.len ? " " : "", *e);
	ch_buf_putc(&known, 0);
	return ch_fail(err, -EINVAL,
	               "the name '%s' does not say which format to write; end it in one of %s, or "
	               "give --format",
	               path, known.err ? "those of --help" : known.data);
}

int ch_output_find(const char *path, const char *format, const struct ch_output **ret,
                   struct ch_error *err)
{
	const struct ch_output *o;

	if (format)
		o = by_name(format);
	else if (!strcmp(path, "-"))
		o = by_name("collapsed");
	else
		o = by_extension(path);
	if (!o)
		return format ? unknown_format(format, err) : unknown_extension(path, err);
	*ret = o;
	return 0;
}
