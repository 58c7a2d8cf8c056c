#include "cli/processes.h"
#include "base/vec.h"
#include "hotspot/jvm.h"
#include "spark/role.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#define COPY(to, span)                                                                             \
	(void)snprintf((to), sizeof(to), "%.*s",                                                   \
	               (int)((span).n < sizeof(to) ? (span).n : sizeof(to)), (span).s)

static struct ch_texts texts(const struct ch_buf *b, const char *from)
{
	return (struct ch_texts){ from, b->data ? b->data + b->len : from };
}

static void set_role(struct cli_process *p, struct ch_texts args, const struct ch_buf *environment)
{
	struct ch_spark_role role;

	ch_spark_role(args, texts(environment, environment->data), &role);
	if (!role.role)
		return;
	(void)snprintf(p->role, sizeof(p->role), "%s", role.role);
	COPY(p->executor, role.executor);
	COPY(p->app, role.app);
	COPY(p->submitted, role.what);
}

/* --- Python -------------------------------------------------------------------------------------- */

/* python3.11, libpython3.11.so.1.0: the digits behind the word. */
static bool is_python(const char *name, const char *word, char version[32])
{
	size_t n = strlen(word), digits;

	if (strncmp(name, word, n) != 0)
		return false;
	digits = strspn(name + n, "0123456789.");
	if (name[n] && !digits && strncmp(name + n, " (deleted)", 10) != 0)
		return false; /* python-config, libpythonfoo.so */
	while (digits && !ch_is_digit(name[n + digits - 1]))
		digits--;
	if (memchr(name + n, '.', digits))
		(void)snprintf(version, 32, "%.*s", (int)(digits < 31 ? digits : 31), name + n);
	return true;
}

static int find_libpython(void *ctx, const char *path)
{
	return is_python(base_name(path), "libpython", ctx);
}

/* The script or module: behind the options, of which three take a word and two end them. */
static void set_script(struct cli_process *p, struct ch_texts t)
{
	if (t.p < t.end)
		t.p += strlen(t.p) + 1;
	while (t.p < t.end && t.p[0] == '-' && t.p[1]) {
		char letter = t.p[strlen(t.p) - 1];
		bool word = strchr("WXQ", letter) && t.p[1] != '-';
		bool last = (letter == 'm' || letter == 'c') && t.p[1] != '-';

		t.p += strlen(t.p) + 1;
		if (last && letter == 'c') {
			(void)snprintf(p->program, sizeof(p->program), "-c");
			return;
		}
		if (last)
			break;
		if (word && t.p < t.end)
			t.p += strlen(t.p) + 1;
	}
	if (t.p < t.end)
		(void)snprintf(p->program, sizeof(p->program), "%s", base_name(t.p));
}

static int look_python(struct cli_process *p, const struct ch_buf *args)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf environment = CH_BUF(CH_PROC_TEXT_MAX + 8192);
	char exe[PATH_MAX];
	bool known = ch_proc_link(p->pid, "exe", exe, sizeof(exe)) >= 0;
	const char *name = known ? base_name(exe) : args->data ? base_name(args->data) : "";

	p->runtime = CLI_PYTHON;
	p->closed = !known;
	if (!is_python(name, "python", p->version) &&
	    (!known || ch_proc_each_mapped(p->pid, find_libpython, p->version) <= 0))
		return 0;
	(void)ch_proc_environ(p->pid, &environment);
	set_script(p, texts(args, args->data));
	set_role(p, texts(args, args->data), &environment);
	return 1;
}

/* --- JVM ----------------------------------------------------------------------------------------- */

static void set_main(struct cli_process *p, const struct ch_buf *args, const struct ch_jvm *j)
{
	const char *main = ch_jvm_main(args);
	struct ch_span words = CH_NO_SPAN;

	/* What the JVM says itself also holds where it was not started by `java`. */
	if (j && j->has_perf)
		words = ch_perfdata_text(&j->perf, "sun.rt.javaCommand");
	for (size_t i = 0; i < words.n; i++)
		if (words.s[i] == ' ')
			words.n = i;
	if (!words.n && main && main < args->data + args->len)
		words = (struct ch_span){ main, strlen(main) };
	COPY(p->program, words);
	if (strchr(p->program, '/') && ch_span_ends(words, ".jar"))
		memmove(p->program, base_name(p->program), strlen(base_name(p->program)) + 1);
	if (main)
		set_role(p, texts(args, main), j ? &j->environment : &(struct ch_buf){ 0 });
}

static int look_jvm(struct cli_process *p, const struct ch_buf *args)
{
	struct ch_jvm j;
	int r = ch_jvm_look(p->pid, &j);

	p->runtime = CLI_JVM;
	if (r > 0) {
		ch_jvm_version(&j, p->version, sizeof(p->version));
		set_main(p, &j.args, &j);
	} else if (r == -EACCES && args->len && !strcmp(base_name(args->data), "java")) {
		p->closed = true;
		set_main(p, args, NULL);
		r = 1;
	}
	ch_jvm_done(&j);
	return r > 0;
}

int cli_process_look(pid_t pid, struct cli_process *ret)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf args = CH_BUF(CH_PROC_TEXT_MAX + 8192);
	struct ch_proc proc;
	struct passwd *pw;

	*ret = (struct cli_process){ .pid = pid };
	if (ch_proc_read(pid, &proc, NULL) < 0 || ch_proc_cmdline(pid, &args) < 0 || !args.len)
		return 0;
	ret->uid = proc.euid;
	if (!look_jvm(ret, &args)) {
		ret->version[0] = 0;
		if (!look_python(ret, &args))
			return 0;
	}
	pw = getpwuid(proc.euid);
	if (pw)
		(void)snprintf(ret->user, sizeof(ret->user), "%s", pw->pw_name);
	return 1;
}

static int add(void *ctx, pid_t pid)
{
	struct cli_processes *all = ctx;

	if (CH_ROOM(all->item, all->cap, all->n + 1) < 0)
		return -ENOMEM;
	all->n += cli_process_look(pid, &all->item[all->n]) > 0;
	return 0;
}

int cli_processes_find(struct cli_processes *ret)
{
	*ret = (struct cli_processes){ 0 };
	return ch_proc_each(add, ret);
}

void cli_processes_done(struct cli_processes *p)
{
	free(p->item);
}
