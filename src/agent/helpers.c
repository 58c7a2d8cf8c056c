#include "agent/helpers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/spans.h"

/*
 * How the names of such threads begin. Threads of pools are not among them: they may work for one
 * task after the other. Nor is "stderr reader for ", which is also what reads from the daemon of all
 * Python workers, for as long as the executor lives.
 */
static const char *const prefixes[] = {
	"stdout writer for ", /* feeds rows to a Python worker */
	"Worker Monitor for ",
	"stdin writer for ", /* of RDD.pipe */
	"Thread-ScriptTransformation-Feed",
};

/* dev.charcloth.Agent, of whichever class loader was first, and its method; once known, for ever. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jclass agent_class;
static jmethodID inherited;
static atomic_bool known;

static void know(JNIEnv *env, jclass class)
{
	inherited = (*env)->GetStaticMethodID(env, class, "inherited", "()J");
	if (!inherited) {
		(*env)->ExceptionClear(env); /* a Java side of another version */
		return;
	}
	agent_class = (*env)->NewGlobalRef(env, class);
	atomic_store(&known, agent_class != NULL);
}

void ch_helpers_know(JNIEnv *env, jclass class)
{
	if (atomic_load(&known))
		return;
	pthread_mutex_lock(&lock);
	if (!atomic_load(&known))
		know(env, class);
	pthread_mutex_unlock(&lock);
}

static bool is_helper(const struct ch_thread *t)
{
	for (size_t i = 0; i < CH_LEN(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (t->name_len >= n && !memcmp(t->name, prefixes[i], n))
			return true;
	}
	return false;
}

void ch_helper_start(JNIEnv *env, const struct ch_thread *t)
{
	jlong task;

	if (!atomic_load(&known) || !is_helper(t))
		return;
	task = (*env)->CallStaticLongMethod(env, agent_class, inherited);
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	else if (task >= 0)
		ch_span_join(task);
}
