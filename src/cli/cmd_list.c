#include "cli/agent.h"
#include "cli/commands.h"
#include "cli/processes.h"
#include "cli/say.h"
#include "cli/show.h"
#include "cli/target.h"
#include "codec/json_out.h"
#include "render/names.h"

#include <errno.h>
#include <stdio.h>

#define TEXT_MAX ((size_t)64 << 20)

static void put_kind(struct ch_buf *b, const struct cli_process *p)
{
	ch_buf_puts(b, p->runtime == CLI_JVM ? "JVM" : "CPython");
	if (p->version[0]) {
		ch_buf_putc(b, ' ');
		ch_name_show(b, p->version, strlen(p->version));
	}
}

/* "executor 3 of app-2024…", "driver of application_17…". */
static void put_spark(struct ch_buf *b, const struct cli_process *p)
{
	if (!p->role[0])
		ch_buf_putc(b, '-');
	ch_buf_puts(b, p->role);
	if (p->executor[0]) {
		ch_buf_putc(b, ' ');
		ch_name_show(b, p->executor, strlen(p->executor));
	}
	if (p->app[0]) {
		ch_buf_puts(b, " of ");
		ch_name_show(b, p->app, strlen(p->app));
	}
}

static void put_user(struct ch_buf *b, const struct cli_process *p)
{
	if (p->user[0])
		ch_name_show(b, p->user, strlen(p->user));
	else
		ch_buf_printf(b, "%u", p->uid);
}

static void put_program(struct ch_buf *b, const struct cli_process *p)
{
	const char *s = p->submitted[0] ? p->submitted : p->program;

	ch_name_show(b, s, strlen(s));
	if (p->closed)
		ch_buf_puts(b, " (of another user: needs root)");
}

static const struct column {
	const char *title;
	void (*put)(struct ch_buf *b, const struct cli_process *p);
} columns[] = {
	{ "USER", put_user },
	{ "KIND", put_kind },
	{ "SPARK", put_spark },
	{ "PROGRAM", put_program },
};

/* The last column needs no width. */
static void put_cell(struct ch_buf *b, size_t column, const struct ch_buf *cell, size_t width)
{
	size_t chars = ch_name_chars(cell->data, cell->len);

	ch_buf_put(b, cell->data, cell->len);
	if (column + 1 < CH_LEN(columns))
		ch_buf_printf(b, "%*s", (int)(width - chars + 2), "");
}

static void put_table(struct ch_buf *b, const struct cli_processes *all)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf cell = CH_BUF(65536);
	size_t width[CH_LEN(columns)];

	for (size_t c = 0; c < CH_LEN(columns); c++) {
		width[c] = strlen(columns[c].title);
		for (size_t i = 0; i < all->n; i++) {
			size_t n;

			ch_buf_reset(&cell);
			columns[c].put(&cell, &all->item[i]);
			n = ch_name_chars(cell.data, cell.len);
			width[c] = n > width[c] ? n : width[c];
		}
	}
	for (size_t i = 0; i <= all->n; i++) {
		if (i)
			ch_buf_printf(b, "%7d  ", (int)all->item[i - 1].pid);
		else
			ch_buf_puts(b, "    PID  ");
		for (size_t c = 0; c < CH_LEN(columns); c++) {
			ch_buf_reset(&cell);
			if (i)
				columns[c].put(&cell, &all->item[i - 1]);
			else
				ch_buf_puts(&cell, columns[c].title);
			put_cell(b, c, &cell, width[c]);
		}
		ch_buf_putc(b, '\n');
	}
}

static void put_field(struct ch_json_out *w, const char *key, const char *value)
{
	if (value[0])
		ch_json_field_str(w, key, value);
}

static void put_json(struct ch_buf *b, const struct cli_processes *all)
{
	struct ch_json_out w = ch_json_out(b, false);

	ch_json_open(&w, '[');
	for (size_t i = 0; i < all->n; i++) {
		const struct cli_process *p = &all->item[i];

		ch_json_open(&w, '{');
		ch_json_field_i64(&w, "pid", p->pid);
		ch_json_field_i64(&w, "uid", p->uid);
		put_field(&w, "user", p->user);
		ch_json_field_str(&w, "kind", p->runtime == CLI_JVM ? "jvm" : "python");
		put_field(&w, "version", p->version);
		put_field(&w, "program", p->program);
		ch_json_field_bool(&w, "open", !p->closed);
		if (p->role[0]) {
			ch_json_field_open(&w, "spark", '{');
			ch_json_field_str(&w, "role", p->role);
			put_field(&w, "executor", p->executor);
			put_field(&w, "app", p->app);
			put_field(&w, "submitted", p->submitted);
			ch_json_close(&w, '}');
		}
		ch_json_close(&w, '}');
	}
	ch_json_close(&w, ']');
	ch_buf_putc(b, '\n');
}

static int list_events(const struct cli_args *args)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf reply = CH_BUF(TEXT_MAX);
	struct ch_attach a;
	struct ch_error err;
	int r = cli_attach(args, "list", &a);

	if (r)
		return r;
	r = cli_agent_call(&a, args->library, "list", &reply, &err);
	ch_attach_close(&a);
	if (r < 0)
		return cli_failed(&err);
	cli_print_text(reply.data, reply.len);
	return EXIT_DONE;
}

int cli_list(const struct cli_args *args)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf b = CH_BUF(TEXT_MAX);
	CH_CLEANUP(cli_processes_done) struct cli_processes all = { 0 };
	struct ch_error err;
	int r;

	if (args->n_inputs)
		return list_events(args);
	r = cli_processes_find(&all);
	if (r >= 0 && args->json)
		put_json(&b, &all);
	else if (r >= 0 && all.n)
		put_table(&b, &all);
	else if (r >= 0)
		cli_say_note("there is no JVM and no Python here");
	if (r < 0 || b.err) {
		ch_fail(&err, r < 0 ? r : b.err, "list: %m");
		return cli_failed(&err);
	}
	if (b.len)
		fwrite(b.data, 1, b.len, stdout);
	return EXIT_DONE;
}
