/*
 * Locks of java.util.concurrent wait in Unsafe.park. Its native method is bound to ours, which
 * calls the VM's own.
 */
#include "agent/lock.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/bind.h"
#include "agent/callback.h"
#include "hotspot/code.h"
#include "sys/elf.h"
#include "sys/peek.h"

typedef void JNICALL park_fn(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time);

static struct {
	park_fn *original; /* NULL: not hooked */
	jclass unsafe, synchronizer, stamped, latch;
	jfieldID blocker; /* of java.lang.Thread */
} park;

/* --- the hook -------------------------------------------------------------------------------- */

/*
 * What the calling thread is about to wait for, when that is a lock: a synchronizer that can be
 * owned, or a StampedLock. A latch is one by birth, but waits for work, not for its turn; threads
 * that park for other reasons (conditions, futures, queues) say so by another object or none.
 */
static jobject lock_of(JNIEnv *env, jthread thread)
{
	jobject o = (*env)->GetObjectField(env, thread, park.blocker);

	if (!o)
		return NULL;
	if ((*env)->IsInstanceOf(env, o, park.synchronizer))
		return (*env)->IsInstanceOf(env, o, park.latch) ? NULL : o;
	return (*env)->IsInstanceOf(env, o, park.stamped) ? o : NULL;
}

static void JNICALL park_hook(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time)
{
	struct ch_wait w = { .t = ch_lock_on() ? ch_callback_thread() : NULL, .park = true };
	jobject lock = NULL;

	if (w.t &&
	    (*ch_agent.jvmti)->GetCurrentThread(ch_agent.jvmti, &w.thread) == JVMTI_ERROR_NONE)
		lock = lock_of(env, w.thread);
	w.since_ns = lock ? ch_now_ns() : 0;
	park.original(env, unsafe, absolute, time);
	if (lock)
		ch_lock_waited(env, &w, lock);
}

/* --- what the VM has bound ------------------------------------------------------------------- */

static bool in_libjvm(void *address)
{
	Dl_info ours, theirs;
	void *function;

	memcpy(&function, &(*ch_agent.vm)->GetEnv, sizeof(function));
	return dladdr(address, &ours) && dladdr(function, &theirs) &&
	       ours.dli_fbase == theirs.dli_fbase;
}

/* Behind the Method of a native method lies the function that it is bound to. */
static void *bound_to(jmethodID id)
{
	union {
		struct ch_method_copy copy;
		char room[CH_METHOD_COPY_MAX];
	} m;
	uint64_t method = ch_peek64((uintptr_t)id, 0);
	void *function;

	if (ch_sampler.asgct || !ch_method_plausible(&ch_sampler.vm, method))
		return NULL;
	ch_method_copy_sig(&ch_sampler.vm, method, &m.copy);
	if (m.copy.name_len != 4 || memcmp(m.copy.bytes + m.copy.class_len, "park", 4))
		return NULL;
	function = (void *)ch_peek64(method + (uint64_t)ch_sampler.vm.method_size, 0);
	return function && in_libjvm(function) ? function : NULL;
}

static void *symbol_of_park(void)
{
	struct ch_error ignored;
	void *function;
	uint64_t value;
	Dl_info info;

	memcpy(&function, &(*ch_agent.vm)->GetEnv, sizeof(function));
	if (!dladdr(function, &info) ||
	    ch_elf_symbol(ch_agent.libjvm_path, "Unsafe_Park", &value, &ignored) < 0)
		return NULL;
	return (char *)info.dli_fbase + value;
}

/* --- binding --------------------------------------------------------------------------------- */

static jclass class_of(JNIEnv *env, const char *name)
{
	jclass local = (*env)->FindClass(env, name);

	return local ? (*env)->NewGlobalRef(env, local) : NULL;
}

static bool find_classes(JNIEnv *env)
{
	jclass thread = (*env)->FindClass(env, "java/lang/Thread");

	park.unsafe = class_of(env, "jdk/internal/misc/Unsafe");
	park.synchronizer = class_of(env, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
	park.stamped = class_of(env, "java/util/concurrent/locks/StampedLock");
	park.latch = class_of(env, "java/util/concurrent/CountDownLatch$Sync");
	park.blocker =
	    thread ? (*env)->GetFieldID(env, thread, "parkBlocker", "Ljava/lang/Object;") : NULL;
	return park.unsafe && park.synchronizer && park.stamped && park.latch && park.blocker;
}

static int hook(JNIEnv *env, struct ch_error *err)
{
	JNINativeMethod method = { (char *)"park", (char *)"(ZJ)V", NULL };
	park_fn *ours = park_hook;
	void *function = NULL;
	jmethodID id;

	if (!find_classes(env))
		return ch_fail(err, -ENOTSUP, "this JDK has other locks");
	id = (*env)->GetMethodID(env, park.unsafe, "park", "(ZJ)V");
	if (id)
		function = bound_to(id);
	if (id && !function)
		function = symbol_of_park();
	if (!function)
		return ch_fail(err, -ENOTSUP, "Unsafe.park was not found in libjvm");
	memcpy(&park.original, &function, sizeof(function));
	memcpy(&method.fnPtr, &ours, sizeof(ours));
	if (!ch_bind(env, park.unsafe, &method)) {
		park.original = NULL;
		return ch_fail(err, -ENOTSUP, "Unsafe.park cannot be bound to another function");
	}
	return 0;
}

int ch_park_hook(JNIEnv *env, struct ch_error *err)
{
	return park.original ? 0 : ch_bind_hook(env, hook, err);
}
