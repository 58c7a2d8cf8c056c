/* Who this process is, as labels of the recording: host, pid, and its part in Spark. */
#ifndef CH_AGENT_LABELS_H
#define CH_AGENT_LABELS_H

#include "agent/chunk.h"

/* At the start of a chunk. `command` is the main class with its arguments, NULL unknown. */
void ch_labels_write(struct ch_chunk *c, const char *command);

#endif
