/*
 * Locks of java.util.concurrent wait in Unsafe.park. Its native method is bound to ours, which
 * calls the VM's own.
 */
#include "agent/lock.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"
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

/*
 * The VM warns on the host's output when a method of the platform is bound anew, unless code of
 * the platform does it. So it is done in a call that the platform makes: a file is looked for, in
 * whose native method a function of JNI is ours for that moment.
 */
static struct {
	int tid;
	bool tried;
	jint result;
	jobject(JNICALL *get_object)(JNIEnv *env, jobject object, jfieldID field);
	jsize(JNICALL *array_length)(JNIEnv *env, jarray array);
} door;

static void bind(JNIEnv *env)
{
	park_fn *hook = park_hook;
	JNINativeMethod method = { (char *)"park", (char *)"(ZJ)V", NULL };

	memcpy(&method.fnPtr, &hook, sizeof(hook));
	door.tried = true;
	door.result = (*env)->RegisterNatives(env, park.unsafe, &method, 1);
}

static void bind_here(JNIEnv *env)
{
	if ((int)syscall(SYS_gettid) == door.tid && !door.tried)
		bind(env);
}

static jobject JNICALL get_object(JNIEnv *env, jobject object, jfieldID field)
{
	bind_here(env);
	return door.get_object(env, object, field);
}

static jsize JNICALL array_length(JNIEnv *env, jarray array)
{
	bind_here(env);
	return door.array_length(env, array);
}

static void look_for_file(JNIEnv *env)
{
	jclass class = (*env)->FindClass(env, "java/io/File");
	jmethodID make = (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V");
	jmethodID exists = (*env)->GetMethodID(env, class, "exists", "()Z");
	jstring name = (*env)->NewStringUTF(env, "/");
	jobject file = name ? (*env)->NewObject(env, class, make, name) : NULL;
	jniNativeInterface *table;

	if (!file ||
	    (*ch_agent.jvmti)->GetJNIFunctionTable(ch_agent.jvmti, &table) != JVMTI_ERROR_NONE)
		return;
	door.get_object = table->GetObjectField;
	door.array_length = table->GetArrayLength;
	table->GetObjectField = get_object;
	table->GetArrayLength = array_length;
	(*ch_agent.jvmti)->SetJNIFunctionTable(ch_agent.jvmti, table);
	(*env)->CallBooleanMethod(env, file, exists);
	table->GetObjectField = door.get_object;
	table->GetArrayLength = door.array_length;
	(*ch_agent.jvmti)->SetJNIFunctionTable(ch_agent.jvmti, table);
	(*ch_agent.jvmti)->Deallocate(ch_agent.jvmti, (unsigned char *)table);
}

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
	jmethodID id;
	void *function = NULL;

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
	door.tid = (int)syscall(SYS_gettid);
	door.tried = false;
	look_for_file(env);
	if (!door.tried)
		bind(env);
	if (door.result != JNI_OK) {
		park.original = NULL;
		return ch_fail(err, -ENOTSUP, "Unsafe.park cannot be bound to another function");
	}
	return 0;
}

int ch_park_hook(JNIEnv *env, struct ch_error *err)
{
	int r;

	if (park.original)
		return 0;
	if ((*env)->PushLocalFrame(env, 16) < 0)
		return ch_fail(err, -ENOMEM, "no room for references");
	r = hook(env, err);
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	(*env)->PopLocalFrame(env, NULL);
	return r;
}
