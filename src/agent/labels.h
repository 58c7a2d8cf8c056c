/*
 * Who this process is, as labels of the recording: what we were told, host, pid, and its part in
 * Spark.
 */
#ifndef CH_AGENT_LABELS_H
#define CH_AGENT_LABELS_H

#include "agent/chunk.h"

/*
 * At the start of a chunk. `told` is KEY=VALUE;KEY=VALUE, where %2C stands for a comma and so on; it
 * holds against what we find out. `command` is the main class with its arguments, NULL unknown.
 */
void ch_labels_write(struct ch_chunk *c, const char *told, const char *command);

#endif
