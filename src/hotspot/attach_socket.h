/*
 * The socket where a JVM takes commands: /tmp/.java_pid<pid> as the JVM sees it. The name tells little:
 * a JVM that was killed leaves it behind, and another process may get its number, or its place.
 */
#ifndef CH_HOTSPOT_ATTACH_SOCKET_H
#define CH_HOTSPOT_ATTACH_SOCKET_H

#include "hotspot/attach.h"

/* False when there is no socket, or one that nobody listens at. */
bool ch_attach_listens(const struct ch_attach *a);

/* A connection to the JVM itself, or a negative errno with a sentence. */
int ch_attach_dial(const struct ch_attach *a, struct ch_error *err);

#endif
