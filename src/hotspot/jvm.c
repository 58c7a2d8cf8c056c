#include "hotspot/jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#define COUNTERS_MAX ((size_t)16 << 20)
#define RELEASE_MAX  65536

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A regular file of the process, whole, into b; what is larger than limit is left alone. */
static int read_file(pid_t pid, const char *path, size_t limit, struct ch_buf *b)
{
	CH_CLEANUP(ch_closep)
	int fd = ch_proc_open_file(pid, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *to;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size > limit)
		return -EBADMSG;
	to = ch_buf_room(b, (size_t)st.st_size + 1);
	if (!to)
		return b->err;
	for (size_t left = (size_t)st.st_size; left;) {
		ssize_t n = read(fd, to, left);

		if (n < 0)
			return -errno;
		if (!n)
			break;
		to += n;
		b->len += (size_t)n;
		left -= (size_t)n;
	}
	return 0;
}

/* --- what is mapped ------------------------------------------------------------------------------ */

struct mapped {
	struct ch_jvm *j;
	char counters[PATH_MAX];
};

/* The kernel marks the name of a file that is gone; the process still knows it without the mark. */
static void drop_mark(char *path)
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(path);

	if (n > sizeof(mark) && !strcmp(path + n - (sizeof(mark) - 1), mark))
		path[n - (sizeof(mark) - 1)] = 0;
}

/* libcharcloth.so, or a copy under a name of its own. */
static bool is_agent(const char *name)
{
	struct ch_span n = { name, strlen(name) };

	return !strcmp(name, "libcharcloth.so") || ch_span_ends(n, CH_JVM_AGENT_COPY);
}

static int note_mapped(void *ctx, const char *mapped)
{
	struct mapped *m = ctx;
	char path[PATH_MAX];
	const char *name;

	(void)snprintf(path, sizeof(path), "%s", mapped);
	drop_mark(path);
	name = base_name(path);
	if (!strcmp(name, "libjvm.so"))
		memcpy(m->j->library, path, sizeof(path));
	else if (!m->j->agent[0] && is_agent(name))
		memcpy(m->j->agent, path, sizeof(path));
	else if (strstr(path, "/hsperfdata_") && ch_is_digit(*name))
		memcpy(m->counters, path, sizeof(path));
	return 0;
}

int ch_jvm_look(pid_t pid, struct ch_jvm *ret)
{
	struct mapped m = { .j = ret };
	int r;

	*ret = (struct ch_jvm){
		.pid = pid,
		.counters = CH_BUF(COUNTERS_MAX + 1),
		.args = CH_BUF(CH_PROC_TEXT_MAX + 8192),
		.environment = CH_BUF(CH_PROC_TEXT_MAX + 8192),
	};
	r = ch_proc_each_mapped(pid, note_mapped, &m);
	if (r < 0)
		return r;
	if (!ret->library[0])
		return 0;
	(void)ch_proc_cmdline(pid, &ret->args);
	(void)ch_proc_environ(pid, &ret->environment);
	if (m.counters[0] && read_file(pid, m.counters, COUNTERS_MAX, &ret->counters) >= 0 &&
	    ret->counters.data)
		ret->has_perf =
		    ch_perfdata_open(ret->counters.data, ret->counters.len, &ret->perf) >= 0;
	return 1;
}

void ch_jvm_done(struct ch_jvm *j)
{
	ch_buf_done(&j->counters);
	ch_buf_done(&j->args);
	ch_buf_done(&j->environment);
}

/* --- what it was told ---------------------------------------------------------------------------- */

/* True when a blank or an end is on both sides of the option. */
static bool has_word(struct ch_span text, const char *option)
{
	size_t n = strlen(option);
	const char *at;

	while ((at = ch_span_find(text, option))) {
		const char *end = at + n, *stop = text.s + text.n;

		if ((at == text.s || ch_is_space(at[-1])) && (end == stop || ch_is_space(*end)))
			return true;
		text = (struct ch_span){ end, (size_t)(stop - end) };
	}
	return false;
}

/* Options of `java` whose value is the next word. */
static bool takes_word(const char *option)
{
	static const char *const all[] = {
		"-cp",
		"-classpath",
		"--class-path",
		"-p",
		"--module-path",
		"--add-modules",
		"--upgrade-module-path",
		"--limit-modules",
		"--add-reads",
		"--add-exports",
		"--add-opens",
		"--patch-module",
		"--source",
		"--describe-module",
		"-d",
		"--enable-native-access",
	};

	for (size_t i = 0; i < CH_LEN(all); i++)
		if (!strcmp(option, all[i]))
			return true;
	return false;
}

const char *ch_jvm_main(const struct ch_buf *args)
{
	const char *p = args->data, *end = p ? p + args->len : p;

	if (p)
		p += strlen(p) + 1; /* the program's own name */
	while (p < end && (*p == '-' || *p == '@')) {
		bool word = takes_word(p);
		bool last = !strcmp(p, "-jar") || !strcmp(p, "-m") || !strcmp(p, "--module");

		p += strlen(p) + 1;
		if (last)
			break;
		if (word && p < end)
			p += strlen(p) + 1;
	}
	return p;
}

bool ch_jvm_has_option(const struct ch_jvm *j, const char *option)
{
	static const char *const variables[] = { "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS",
		                                 "_JAVA_OPTIONS" };
	const char *p = j->args.data, *main = ch_jvm_main(&j->args);

	if (j->has_perf && has_word(ch_perfdata_text(&j->perf, "java.rt.vmArgs"), option))
		return true;
	/* Behind the main class its own arguments begin. */
	for (; p < main; p += strlen(p) + 1)
		if (!strcmp(p, option))
			return true;
	for (size_t i = 0; i < CH_LEN(variables); i++) {
		const char *value = ch_proc_getenv(&j->environment, variables[i]);

		if (value && has_word((struct ch_span){ value, strlen(value) }, option))
			return true;
	}
	return false;
}

bool ch_jvm_refuses_attach(const struct ch_jvm *j)
{
	struct ch_span can = CH_NO_SPAN;

	/* The first of its capabilities is whether it can be attached to. */
	if (j->has_perf)
		can = ch_perfdata_text(&j->perf, "sun.rt.jvmCapabilities");
	return can.n ? can.s[0] == '0' : ch_jvm_has_option(j, "-XX:+DisableAttachMechanism");
}

/* JAVA_VERSION="17.0.15" in the file `release`, two folders above that of libjvm.so. */
static void version_of_release(const struct ch_jvm *j, char *to, size_t size)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf b = CH_BUF(RELEASE_MAX + 1);
	const char *end = j->library;
	const char *at;
	char path[PATH_MAX + 16];

	end += strlen(end);
	for (int up = 0; up < 3 && end > j->library; up++)
		for (end--; end > j->library && *end != '/'; end--)
			;
	(void)snprintf(path, sizeof(path), "%.*s/release", (int)(end - j->library), j->library);
	if (read_file(j->pid, path, RELEASE_MAX, &b) < 0 || !b.len)
		return;
	at = ch_span_find((struct ch_span){ b.data, b.len }, "JAVA_VERSION=\"");
	if (at) {
		size_t left = (size_t)(b.data + b.len - (at + 14)), n = 0;

		while (n < left && at[14 + n] != '"' && at[14 + n] != '\n')
			n++;
		(void)snprintf(to, size, "%.*s", (int)n, at + 14);
	}
}

void ch_jvm_version(const struct ch_jvm *j, char *to, size_t size)
{
	struct ch_span v = CH_NO_SPAN;

	to[0] = 0;
	if (j->has_perf)
		v = ch_perfdata_text(&j->perf, "java.property.java.version");
	if (v.n)
		(void)snprintf(to, size, "%.*s", (int)(v.n < 64 ? v.n : 64), v.s);
	else
		version_of_release(j, to, size);
}
