/*
 * For measuring the agent itself: with CHARCLOTH_HANDLER_LOG=FILE in the environment the CPU time
 * of every call of the signal handler is kept and written at the end of a recording.
 */
#ifndef CH_AGENT_COST_LOG_H
#define CH_AGENT_COST_LOG_H

/* Before handlers run. Does nothing unless it is asked for and there is memory. */
void ch_cost_log_begin(void);
/* After the last handler: the file gets one number of nanoseconds a line. */
void ch_cost_log_end(void);

#endif
