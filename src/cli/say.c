#include "cli/say.h"
#include "formats/input.h"
#include "render/names.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SENTENCE_MAX 65536

static bool be_quiet;
static bool shown; /* a progress line stands on the terminal */

bool cli_wants_color(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

void cli_say_init(bool quiet)
{
	be_quiet = quiet;
}

/*
 * Sentences hold names of files and of things in them: what a terminal would obey is spelled out, or
 * without memory for that, left out. That there is no memory is such a sentence itself.
 */
static void put_shown(const char *s)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf b = CH_BUF(SENTENCE_MAX);

	ch_name_show(&b, s, strlen(s));
	if (!b.err) {
		fwrite(b.data, 1, b.len, stderr);
		return;
	}
	for (; *s; s++)
		fputc(*s >= 0x20 && *s < 0x7f ? *s : '?', stderr);
}

static void say(const char *color, const char *sentence)
{
	bool paint = cli_wants_color(STDERR_FILENO);

	cli_progress_stop();
	fprintf(stderr, "%scharcloth:%s ", paint ? color : "", paint ? "\033[0m" : "");
	put_shown(sentence);
	fputc('\n', stderr);
}

void cli_say_error(const char *sentence)
{
	say("\033[1;31m", sentence);
}

void cli_say_warning(const char *sentence)
{
	say("\033[1;33m", sentence);
}

void cli_say_note(const char *fmt, ...)
{
	char text[1024];
	va_list args;

	if (be_quiet)
		return;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	say("\033[2m", text);
}

/* --- progress -------------------------------------------------------------------------------- */

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool running, stop;
	const char *what;
	size_t n_inputs;
	size_t number;
	char name[256];
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

static void draw(void)
{
	unsigned share = ch_input_share();

	fprintf(stderr, "\r\033[K%s", progress.what);
	if (progress.name[0]) {
		fputc(' ', stderr);
		put_shown(progress.name);
	}
	if (progress.n_inputs > 1)
		fprintf(stderr, " (%zu of %zu)", progress.number, progress.n_inputs);
	if (share)
		fprintf(stderr, " %u %%", share);
	fputs(" …", stderr);
	fflush(stderr);
	shown = true;
}

static void *draw_now_and_then(void *arg)
{
	struct timespec until;
	long wait_ms = 500;

	(void)arg;
	pthread_mutex_lock(&progress.lock);
	while (!progress.stop) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += wait_ms * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&progress.wake, &progress.lock, &until);
		if (!progress.stop)
			draw();
		wait_ms = 200;
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void cli_progress_start(const char *what, size_t n_inputs)
{
	if (be_quiet || !isatty(STDERR_FILENO))
		return;
	cli_progress_stop();
	progress.what = what;
	progress.n_inputs = n_inputs;
	progress.name[0] = 0;
	progress.stop = false;
	progress.running = !pthread_create(&progress.thread, NULL, draw_now_and_then, NULL);
}

void cli_progress_input(size_t number, const char *name)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf shown_as = CH_BUF(SENTENCE_MAX);

	ch_name_show(&shown_as, name, strlen(name));
	pthread_mutex_lock(&progress.lock);
	progress.number = number;
	(void)snprintf(progress.name, sizeof(progress.name), "%.*s", (int)shown_as.len,
	               shown_as.len ? shown_as.data : "");
	pthread_mutex_unlock(&progress.lock);
}

void cli_progress_stop(void)
{
	if (progress.running) {
		pthread_mutex_lock(&progress.lock);
		progress.stop = true;
		pthread_cond_signal(&progress.wake);
		pthread_mutex_unlock(&progress.lock);
		pthread_join(progress.thread, NULL);
		progress.running = false;
	}
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}

void cli_progress_line(const char *line)
{
	if (be_quiet || !isatty(STDERR_FILENO))
		return;
	fputs("\r\033[K", stderr);
	put_shown(line);
	fputs(" …", stderr);
	fflush(stderr);
	shown = true;
}
