/*
 * Commands to a running HotSpot JVM, by the socket that it opens when it is asked to. A process is
 * asked (SIGQUIT) only when it is certain to understand: to anything but a willing JVM that signal
 * means death, or a thread dump in its output.
 */
#ifndef CH_HOTSPOT_ATTACH_H
#define CH_HOTSPOT_ATTACH_H

#include "hotspot/jvm.h"

/* Arguments of one command, and the bytes that a JVM takes for each. */
#define CH_ATTACH_ARGS    3
#define CH_ATTACH_ARG_MAX 1024

struct ch_attach {
	struct ch_proc proc;
	int pidfd;            /* stands for the process; -1 on kernels that have none */
	int tmp;              /* its folder /tmp, which outlives it */
	char agent[PATH_MAX]; /* our agent where it is loaded already, as the process names it */
};

/*
 * Makes a JVM listen, unless it does already. Failure is one sentence: no such process, no JVM,
 * not ours, stopped, attach switched off, still starting, gone meanwhile; none of these has sent
 * it a signal. -EINTR when a signal for us is waiting. No file stays behind in any case.
 */
int ch_attach_open(pid_t pid, struct ch_attach *ret, struct ch_error *err);
void ch_attach_close(struct ch_attach *a);

/* Takes a piece of a reply; a negative result ends the command with that result. */
typedef int ch_attach_sink(void *ctx, const char *data, size_t n);

/*
 * Sends a command (args: CH_ATTACH_ARGS texts, NULL is empty) and hands the text of the reply to the
 * sink, piece by piece. Returns the result code of the JVM (0 is success, the text tells otherwise)
 * or a negative errno with a sentence.
 */
int ch_attach_send(const struct ch_attach *a, const char *command, const char *const *args,
                   ch_attach_sink *sink, void *ctx, struct ch_error *err);

/*
 * Has the JVM load a library, by the name under which it knows the file, and call its Agent_OnAttach
 * with options. 0 when that returned 0; 1 when it returned something else; a negative errno with
 * the JVM's words when the library was not loaded.
 */
int ch_attach_load(const struct ch_attach *a, const char *library, const char *options,
                   struct ch_error *err);

#endif
