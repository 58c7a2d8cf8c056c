#include "cli/agent.h"
#include "cli/child.h"
#include "cli/commands.h"
#include "cli/processes.h"
#include "cli/recording.h"
#include "cli/say.h"
#include "cli/show.h"
#include "cli/target.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>

#define REPLY_MAX   ((size_t)1 << 20)
#define DEFAULT_NS  30000000000
#define NS_PER_MS   1000000
#define NS_PER_S    1000000000
#define PROGRESS_MS 500
#define SLACK_S     60 /* for us to come back and end it */

struct recording {
	struct ch_attach attach;
	struct cli_temp file;
	struct cli_process who;
	int signals; /* where SIGINT and its like are read */
	sigset_t before;
	bool ended; /* the JVM is gone */
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * (int64_t)NS_PER_S + t.tv_nsec;
}

/* --- waiting ------------------------------------------------------------------------------------- */

static void draw(const struct recording *r, int64_t since_ns, int64_t duration_ns)
{
	char line[160];

	(void)snprintf(line, sizeof(line),
	               "recording %.60s (pid %d): %lld of %lld s, Ctrl-C ends it", r->who.program,
	               (int)r->who.pid, (long long)((now_ns() - since_ns) / NS_PER_S),
	               (long long)(duration_ns / NS_PER_S));
	cli_progress_line(line);
}

static bool is_gone(const struct recording *r, const struct pollfd *process)
{
	if (process->fd >= 0)
		return process->revents != 0;
	return kill(r->attach.proc.pid, 0) < 0 && errno == ESRCH;
}

/* Until the time is over, somebody presses Ctrl-C, or the JVM ends. */
static void wait_for_end(struct recording *r, int64_t duration_ns)
{
	struct pollfd fds[] = { { .fd = r->signals, .events = POLLIN },
		                { .fd = r->attach.pidfd, .events = POLLIN } };
	int64_t start = now_ns(), left;
	struct signalfd_siginfo got;

	while ((left = start + duration_ns - now_ns()) > 0) {
		int64_t ms = left / NS_PER_MS + 1;

		draw(r, start, duration_ns);
		if (poll(fds, CH_LEN(fds), ms < PROGRESS_MS ? (int)ms : PROGRESS_MS) < 0 &&
		    errno != EINTR)
			break;
		r->ended = is_gone(r, &fds[1]);
		if (r->ended || (fds[0].revents && read(r->signals, &got, sizeof(got)) > 0))
			break;
	}
	cli_progress_stop();
	if (r->ended)
		cli_say_note("process %d ended after %lld s; this is what was recorded",
		             (int)r->attach.proc.pid, (long long)((now_ns() - start) / NS_PER_S));
}

/* --- the recording ------------------------------------------------------------------------------- */

static int64_t duration_of(const struct cli_args *args)
{
	return args->duration_ns ? args->duration_ns : DEFAULT_NS;
}

static int start(struct recording *r, const struct cli_args *args, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf command = CH_BUF(65536);
	CH_CLEANUP(ch_buf_done) struct ch_buf reply = CH_BUF(REPLY_MAX);
	int64_t timeout_s = duration_of(args) / NS_PER_S + SLACK_S;
	int done = cli_temp_make(&r->attach, ".jfr", &r->file, err);

	if (done < 0)
		return done;
	cli_recording_options(args, &command);
	/* Nobody ends it when we are killed: the JVM must not record for ever. */
	ch_buf_printf(&command, ",timeout=%llds,file=%s", (long long)timeout_s, r->file.theirs);
	ch_buf_putc(&command, 0);
	if (command.err)
		return ch_fail(err, command.err, "record: %m");
	done = cli_agent_call(&r->attach, args->library, command.data, &reply, err);
	if (done >= 0)
		cli_agent_say(&reply);
	return done;
}

/* The agent does not stop when nobody asks it to: a failure is told, the data are still there. */
static int stop(struct recording *r, const struct cli_args *args)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf reply = CH_BUF(REPLY_MAX);
	struct ch_error err;

	if (r->ended)
		return EXIT_DONE;
	if (cli_agent_call(&r->attach, args->library, "stop", &reply, &err) >= 0) {
		cli_agent_say(&reply);
		return EXIT_DONE;
	}
	cli_say_warning(err.text);
	return EXIT_PARTLY;
}

/* By its name, which may stand for a newer file, and never through a link. */
static int deliver(struct recording *r, const struct cli_args *args)
{
	CH_CLEANUP(ch_closep)
	int fd = openat(r->file.dir, r->file.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char name[32], source[320];
	const char *file = name;
	struct ch_error err;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		ch_fail(&err, fd < 0 ? -errno : -EINVAL, "open the recording '%s': %m",
		        r->file.theirs);
		return cli_failed(&err);
	}
	if (!st.st_size) {
		cli_say_error("the JVM ended before anything was recorded");
		return EXIT_FAILED;
	}
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	(void)snprintf(source, sizeof(source), "%s (pid %d)", r->who.program, (int)r->who.pid);
	return cli_recording_deliver(args, &file, 1, source);
}

static int record(struct recording *r, const struct cli_args *args)
{
	struct ch_error err;
	int stopped, shown;

	if (start(r, args, &err) < 0)
		return cli_failed(&err);
	wait_for_end(r, duration_of(args));
	/* From here on a second Ctrl-C ends us as usual. */
	pthread_sigmask(SIG_SETMASK, &r->before, NULL);
	stopped = stop(r, args);
	shown = deliver(r, args);
	return shown ? shown : stopped;
}

static int record_process(const struct cli_args *args)
{
	struct recording r = { .file = { .fd = -1 } };
	int result;

	r.signals = cli_hold_signals(&r.before);
	result = cli_attach(args, "record", &r.attach);
	if (!result) {
		(void)cli_process_look(r.attach.proc.pid, &r.who);
		result = record(&r, args);
		cli_temp_remove(&r.file);
		ch_attach_close(&r.attach);
	}
	pthread_sigmask(SIG_SETMASK, &r.before, NULL);
	ch_closep(&r.signals);
	return result;
}

int cli_record(const struct cli_args *args)
{
	int r = cli_recording_check(args);

	if (r)
		return r;
	if (args->command_at == SIZE_MAX)
		return record_process(args);
	if (!args->command_at && args->n_inputs)
		return cli_record_command(args);
	cli_say_error("record takes a pid, or -- and a command: charcloth record -- java -jar "
	              "app.jar");
	return EXIT_USAGE;
}
