/*
 * Waiting for locks: monitors (synchronized), told by the VM, and locks of java.util.concurrent,
 * seen where their threads park. Every wait counts with its time; those shorter than the threshold
 * are only counted.
 */
#ifndef CH_AGENT_LOCK_H
#define CH_AGENT_LOCK_H

#include "base/buf.h"
#include "base/error.h"

#include <jvmti.h>
#include <stdbool.h>

/* Parks stay unseen when the VM lets nobody look: `out` then says so. */
int ch_lock_start(JNIEnv *env, uint64_t threshold_ns, struct ch_buf *out, struct ch_error *err);
void ch_lock_stop(void);
/* What was too short to be recorded, for status. */
void ch_lock_counts(struct ch_buf *out);

void JNICALL ch_lock_on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object);
void JNICALL ch_lock_on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object);

/* --- shared by lock.c and park.c ------------------------------------------------------------- */

/* The calling thread has just got `lock`, for which it waited since `since_ns`. */
struct ch_thread;
struct ch_wait {
	struct ch_thread *t;
	jthread thread;
	bool park;
	uint64_t since_ns;
};

void ch_lock_waited(JNIEnv *env, const struct ch_wait *w, jobject lock);
bool ch_lock_on(void);
/*
 * Lets every LockSupport.park go through us, for the rest of the VM's life: threads may be inside
 * at any moment. While no locks are recorded it only calls the original.
 */
int ch_park_hook(JNIEnv *env, struct ch_error *err);

#endif
