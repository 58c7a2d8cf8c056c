/*
 * What Java code wants said in the answer to `status`, behind the agent's own lines: the Spark plugin
 * tells of its executors there.
 */
#ifndef CH_AGENT_REMARKS_H
#define CH_AGENT_REMARKS_H

#include "base/buf.h"

/* In the place of what was said before; what is very long is cut. Any thread. */
void ch_remarks_set(const char *text);
void ch_remarks_put(struct ch_buf *out);

#endif
