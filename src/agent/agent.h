/* The agent in its JVM: what is the same for its whole life. */
#ifndef CH_AGENT_AGENT_H
#define CH_AGENT_AGENT_H

#include "agent/args.h"
#include "base/buf.h"

#include <jvmti.h>

struct ch_agent {
	JavaVM *vm;
	jvmtiEnv *jvmti;
	void *libjvm; /* dlopen handle */
	char libjvm_path[4096];
	bool ready;        /* the VM runs and the walker was checked */
	char walker[1200]; /* how stacks are walked, and why not better */
};

extern struct ch_agent ch_agent;

/* Runs a command line of the agent; the answer is appended to out. 0 or negative errno. */
int ch_control_run(const char *text, struct ch_buf *out);
/* The VM is about to end: a recording is finished, and no other begins. */
void ch_control_end(void);
/*
 * Ends all sampling. By a command and by the recorder when its time is over or it fails, also at
 * once; afterwards what was sampled is in the rings, but for handlers that are still under way.
 */
void ch_control_stop_events(void);

/* Chooses and checks the way to walk stacks; once, when the VM runs. */
int ch_walker_choose(JNIEnv *env, struct ch_error *err);
/* Callbacks that AsyncGetCallTrace needs, when it is the one that walks. */
void JNICALL ch_walker_on_load(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class);
void JNICALL ch_walker_on_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class);

/* Registers the threads that are there. `env` belongs to the calling thread. */
void ch_jvm_threads_scan(JNIEnv *env);
/* Native threads that came or went without the VM saying so. */
void ch_native_threads_scan(void);
/* Fills in the callbacks for threads. */
void ch_jvm_callbacks(jvmtiEventCallbacks *to);
/* Asks the VM for an event, or no more. */
int ch_jvm_enable(jvmtiEvent event, bool on, struct ch_error *err);
/* A name of a method by its jmethodID, with the calling thread attached. */
struct ch_jmethod_name;
bool ch_jvm_jmethod(void *arg, uint64_t jmethod, unsigned bci, struct ch_jmethod_name *ret,
                    unsigned *ret_line);

#endif
