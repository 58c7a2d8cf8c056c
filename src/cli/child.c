#include "cli/child.h"
#include "cli/agent.h"
#include "cli/commands.h"
#include "cli/recording.h"
#include "cli/say.h"
#include "cli/show.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TOOL_OPTIONS "JAVA_TOOL_OPTIONS"

/* The command, the folder for its recordings, and the words that load the agent. */
struct child {
	const struct cli_args *args;
	char folder[PATH_MAX];
	struct ch_buf agent; /* -agentpath:…=start,… */
	struct ch_buf variable;
	char **argv, **envp;
	pid_t pid;
	int signals;
	sigset_t before;
};

static void fill_ends(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

int cli_hold_signals(sigset_t *before)
{
	sigset_t ends;

	fill_ends(&ends);
	pthread_sigmask(SIG_BLOCK, &ends, before);
	return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* --- the words ----------------------------------------------------------------------------------- */

static bool is_java(const char *word)
{
	const char *slash = strrchr(word, '/');

	return !strcmp(slash ? slash + 1 : word, "java");
}

/* Commas part the agent's options and % is for its patterns: such a TMPDIR is of no use here. */
static int make_folder(struct child *c, struct ch_error *err)
{
	const char *base = getenv("TMPDIR");

	if (!base || base[0] != '/' || strpbrk(base, ",%\"' \t"))
		base = "/tmp";
	(void)snprintf(c->folder, sizeof(c->folder), "%s/charcloth-record-XXXXXX", base);
	if (mkdtemp(c->folder))
		return 0;
	c->folder[0] = 0;
	return ch_fail(err, -errno, "make a folder in '%s': %m", base);
}

static int make_agent(struct child *c, struct ch_error *err)
{
	char library[PATH_MAX];
	int r = cli_agent_library(c->args->library, library, err);

	if (r < 0)
		return r;
	ch_buf_printf(&c->agent, "-agentpath:%s=", library);
	cli_recording_options(c->args, &c->agent);
	if (c->args->duration_ns)
		ch_buf_printf(&c->agent, ",timeout=%lldms",
		              (long long)(c->args->duration_ns / 1000000));
	ch_buf_printf(&c->agent, ",file=%s/%%p.jfr", c->folder);
	ch_buf_putc(&c->agent, 0);
	return c->agent.err ? ch_fail(err, c->agent.err, "record: %m") : 0;
}

/* Our environment with the agent added to what is there already. */
static int make_environment(struct child *c, struct ch_error *err)
{
	const char *old = getenv(TOOL_OPTIONS);
	size_t n = 0, to = 0;

	while (environ[n])
		n++;
	c->envp = calloc(n + 2, sizeof(*c->envp));
	ch_buf_printf(&c->variable, TOOL_OPTIONS "=%s%s\"%s\"", old ? old : "", old ? " " : "",
	              c->agent.data);
	ch_buf_putc(&c->variable, 0);
	if (!c->envp || c->variable.err)
		return ch_fail(err, -ENOMEM, "record: %m");
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], TOOL_OPTIONS "=", sizeof(TOOL_OPTIONS)) != 0)
			c->envp[to++] = environ[i];
	c->envp[to] = c->variable.data;
	return 0;
}

/* `java` takes the agent as its first option; whatever else starts a JVM hands the variable on. */
static int make_words(struct child *c, struct ch_error *err)
{
	const struct cli_args *args = c->args;
	bool by_variable = args->children || !is_java(args->inputs[0]);

	c->argv = calloc(args->n_inputs + 2, sizeof(*c->argv));
	if (!c->argv)
		return ch_fail(err, -ENOMEM, "record: %m");
	for (size_t i = 0; i < args->n_inputs; i++)
		c->argv[i && !by_variable ? i + 1 : i] = (char *)args->inputs[i];
	if (by_variable)
		return make_environment(c, err);
	c->argv[1] = c->agent.data;
	return 0;
}

/* --- running it ---------------------------------------------------------------------------------- */

static int run(struct child *c, struct ch_error *err)
{
	posix_spawnattr_t attr;
	sigset_t defaults;
	int r;

	fill_ends(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &c->before);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	r = posix_spawnp(&c->pid, c->argv[0], NULL, &attr, c->argv, c->envp ? c->envp : environ);
	posix_spawnattr_destroy(&attr);
	return r ? ch_fail(err, -r, "run '%s': %m", c->argv[0]) : 0;
}

/* A Ctrl-C on the terminal reaches the command by itself; what was sent to us alone is handed on. */
static void forward(const struct child *c)
{
	struct signalfd_siginfo got;

	while (read(c->signals, &got, sizeof(got)) == (ssize_t)sizeof(got))
		if (got.ssi_code != SI_KERNEL)
			kill(c->pid, (int)got.ssi_signo);
}

/* The command's exit status, as a shell tells it. */
static int wait_for_end(const struct child *c)
{
	CH_CLEANUP(ch_closep) int process = ch_proc_open(c->pid);
	struct pollfd fds[] = { { .fd = c->signals, .events = POLLIN },
		                { .fd = process, .events = POLLIN } };
	int status, options = process < 0 ? 0 : WNOHANG;
	pid_t done;

	while (!(done = waitpid(c->pid, &status, options)) || (done < 0 && errno == EINTR)) {
		(void)poll(fds, CH_LEN(fds), -1);
		forward(c);
	}
	if (done < 0)
		return EXIT_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- what it left -------------------------------------------------------------------------------- */

struct files {
	char **item;
	size_t n, cap;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The recordings in the folder; a JVM that was killed at once leaves an empty one. */
static int find_files(const struct child *c, struct files *f)
{
	DIR *dir = opendir(c->folder);
	struct dirent *e;
	int r = 0;

	if (!dir)
		return -errno;
	while (r >= 0 && (e = readdir(dir))) {
		struct stat st;
		char *path;

		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || !st.st_size)
			continue;
		if (CH_ROOM(f->item, f->cap, f->n + 1) < 0 ||
		    asprintf(&path, "%s/%s", c->folder, e->d_name) < 0)
			r = -ENOMEM;
		else
			f->item[f->n++] = path;
	}
	closedir(dir);
	if (f->item)
		qsort(f->item, f->n, sizeof(*f->item), by_name);
	return r;
}

static void remove_folder(const struct child *c)
{
	DIR *dir = c->folder[0] ? opendir(c->folder) : NULL;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		(void)unlinkat(dirfd(dir), e->d_name, 0);
	if (dir) {
		closedir(dir);
		rmdir(c->folder);
	}
}

static int deliver(const struct child *c)
{
	struct files f = { 0 };
	struct ch_error err;
	int r = find_files(c, &f);

	if (r < 0) {
		ch_fail(&err, r, "open '%s': %m", c->folder);
		r = cli_failed(&err);
	} else if (!f.n) {
		cli_say_error("nothing was recorded: the command started no JVM that took the "
		              "agent");
		r = EXIT_FAILED;
	} else {
		r = cli_recording_deliver(c->args, (const char *const *)f.item, f.n,
		                          c->args->inputs[0]);
	}
	for (size_t i = 0; i < f.n; i++)
		free(f.item[i]);
	free(f.item);
	return r;
}

int cli_record_command(const struct cli_args *args)
{
	struct child c = { .args = args, .agent = CH_BUF(65536), .variable = CH_BUF(1 << 20) };
	struct ch_error err;
	int r, status = EXIT_DONE;

	c.signals = cli_hold_signals(&c.before);
	r = make_folder(&c, &err);
	if (r >= 0)
		r = make_agent(&c, &err);
	if (r >= 0)
		r = make_words(&c, &err);
	if (r >= 0)
		r = run(&c, &err);
	if (r < 0) {
		r = cli_failed(&err);
	} else {
		status = wait_for_end(&c);
		r = deliver(&c);
	}
	remove_folder(&c);
	pthread_sigmask(SIG_SETMASK, &c.before, NULL);
	ch_closep(&c.signals);
	ch_buf_done(&c.agent);
	ch_buf_done(&c.variable);
	free(c.argv);
	free(c.envp);
	return status ? status : r;
}
