/* Work on several cores: n jobs, as many threads as pay. */
#ifndef CH_SYS_PAR_H
#define CH_SYS_PAR_H

/* Cores this process may run on (its affinity mask), or what ch_par_limit said. At least 1. */
unsigned ch_par_cores(void);
/* Use at most n cores from now on; 0 takes the limit away. Call before any work starts. */
void ch_par_limit(unsigned n);
/*
 * Runs job(ctx, i) for every i < n and returns when all have ended. Jobs are taken in order by
 * min(n, cores) threads, the caller being one; with one core there is no thread at all. Work that
 * a job starts in turn runs on the job's own thread, unless it was the only job.
 */
void ch_par_run(unsigned n, void (*job)(void *ctx, unsigned i), void *ctx);

#endif
