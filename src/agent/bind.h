/* Native methods of the platform that go through a function of ours. */
#ifndef CH_AGENT_BIND_H
#define CH_AGENT_BIND_H

#include "base/error.h"

#include <jni.h>
#include <stdbool.h>

/*
 * Binds a native method of a platform class to another function, for the rest of the VM's life and
 * without a word on the host's output. One thread at a time; false when the VM refuses.
 */
bool ch_bind(JNIEnv *env, jclass class, const JNINativeMethod *method);
/* Calls a function that prepares and binds; what it leaves of references and exceptions is gone. */
int ch_bind_hook(JNIEnv *env, int (*hook)(JNIEnv *env, struct ch_error *err), struct ch_error *err);

/*
 * Lets Thread.setName tell us what a thread is called from now on, for VMs in which the name cannot
 * be read at the moment of a sample. Once; the calling thread is attached.
 */
int ch_rename_hook(JNIEnv *env, struct ch_error *err);

#endif
