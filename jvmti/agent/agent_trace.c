/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published probes.
 *
 * The client has written a library with a stub for the entry and one for the
 * return of each method (jvmti/client/client_usdt.c).  Tracers find its notes
 * by the path in /proc/PID/maps, so it is mapped like any other library, but
 * without the JVM's loader, which would keep it, and at reserved addresses.
 */
#include "jvmti/agent/agent_class_file.h"
#include "jvmti/agent/agent_probes.h"
#include "jvmti/agent/agent_system.h"
#include "jvmti/agent/agent_weave.h"

enum {
	PAGE = 4096,
	PATH = 512,
	PROT_READ_EXECUTE = 5,
	END_MS = 1000, /* for threads that are in a stub */
};

typedef void trace_stub(uint64_t, uint64_t, uint64_t, uint64_t);

static struct {
	void *class;   /* global reference */
	uint8_t *base; /* the reserved addresses: stubs, then semaphores */
	bool is_tried;
	uint32_t stubs_at, stubs_end;
	uint32_t first_id;
	bool is_on;
	bool is_mapped;
	uint32_t inside; /* threads that may be in a stub */
	char path[PATH]; /* of the library, until it is removed */
} trace;

/* The natives pass calls on, as those of agent_probe_calls.c do. */
struct trace_functions {
	void (*call)(unsigned which, int id, const uint64_t *arguments);
};

/* ---- calls ---- */

static trace_stub *trace_find_stub(unsigned which, uint32_t id)
{
	uint64_t at = trace.stubs_at +
		      ((uint64_t)(id - trace.first_id) * 2 + which) *
			      PROBE_STUB;

	if (id < trace.first_id || at > trace.stubs_end - PROBE_STUB)
		return NULL;
	return (trace_stub *)(uintptr_t)(trace.base + at);
}

static void trace_call(unsigned which, int id, const uint64_t *a)
{
	trace_stub *stub = NULL;

	if (id == PROBE_TRIAL) {
		trace.is_tried = true;
		return;
	}
	/* trace_end() clears is_on and then reads the number. */
	__atomic_fetch_add(&trace.inside, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&trace.is_on, __ATOMIC_SEQ_CST))
		stub = trace_find_stub(which, (uint32_t)id);
	if (stub)
		stub(a[0], a[1], 0, a[2]);
	__atomic_fetch_sub(&trace.inside, 1, __ATOMIC_SEQ_CST);
}

static const struct trace_functions trace_functions = { .call = trace_call };

#define NATIVE(name)                                                           \
	__attribute__((                                                        \
		visibility("default"))) void Java_java_lang_SjkcTrace_##name

NATIVE(entry0)
(jvm_table *jni, void *class, const struct trace_functions *table, int32_t id,
 int64_t thread);
NATIVE(return0)
(jvm_table *jni, void *class, const struct trace_functions *table, int32_t id,
 int64_t ns, int32_t thrown, int64_t thread);

NATIVE(entry0)
(jvm_table *jni, void *class, const struct trace_functions *table, int32_t id,
 int64_t thread)
{
	const uint64_t arguments[3] = { (uint64_t)thread, 0, 0 };

	(void)jni;
	(void)class;
	table->call(0, id, arguments);
}

NATIVE(return0)
(jvm_table *jni, void *class, const struct trace_functions *table, int32_t id,
 int64_t ns, int32_t thrown, int64_t thread)
{
	const uint64_t arguments[3] = { (uint64_t)ns, (uint64_t)thrown,
					(uint64_t)thread };

	(void)jni;
	(void)class;
	table->call(1, id, arguments);
}

/* ---- the class ---- */

/* Finds or reserves the addresses, which are a constant of compiled code. */
static bool trace_reserve(jvm_table *jni)
{
	void *field = helper_field_of(jni, trace.class, "SEMAPHORES", "J");
	uint8_t *semaphores;
	long at;

	if (trace.base || !field)
		return trace.base;
	semaphores = (uint8_t *)JNI_CALL(jni, JNI_GET_STATIC_LONG_FIELD,
					 int64_t, void *,
					 void *)(jni, trace.class, field);
	if (!semaphores) {
		at = system_call(SYSTEM_MMAP, 0, PROBE_STUBS + PROBE_SEMAPHORES,
				 SYSTEM_PROT_READ_WRITE,
				 SYSTEM_MAP_PRIVATE_ANONYMOUS |
					 SYSTEM_MAP_NORESERVE,
				 -1, 0);
		if (at < 0 && at > -4096)
			return false;
		semaphores = (uint8_t *)at + PROBE_STUBS;
		JNI_CALL(jni, JNI_SET_STATIC_LONG_FIELD, void, void *, void *,
			 int64_t)
		(jni, trace.class, field, (int64_t)semaphores);
	}
	trace.base = semaphores - PROBE_STUBS;
	return true;
}

/* Calls a native as woven code would. */
static bool trace_try_native(jvm_table *jni, const char *name, const char *type)
{
	void *method = jni_member(jni, JNI_GET_STATIC_METHOD_ID, trace.class,
				  name, type);
	union jni_value args[5] = { { .j = (int64_t)&trace_functions },
				    { .i = PROBE_TRIAL } };

	trace.is_tried = false;
	if (jni_clear(jni) || !method)
		return false;
	JNI_CALL(jni, JNI_CALL_STATIC_VOID_METHOD_A, void, void *, void *,
		 const union jni_value *)
	(jni, trace.class, method, args);
	return !jni_clear(jni) && trace.is_tried;
}

/*
 * The class of an earlier version, which the JVM keeps, may have other methods:
 * woven code would throw NoSuchMethodError into the application.
 */
static bool trace_has_methods(jvm_table *jni)
{
	static const char *const names[] = { "exit", "fail" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		jni_member(jni, JNI_GET_STATIC_METHOD_ID, trace.class, names[i],
			   "(JI)J");
		if (jni_clear(jni))
			return false;
	}
	return true;
}

/* The class file, which the Makefile includes. */
extern const uint8_t jdk8_SjkcTrace_start[], jdk8_SjkcTrace_end[],
	jdk9_SjkcTrace_start[], jdk9_SjkcTrace_end[];

bool trace_prepare(jvm_table *jni)
{
	const struct helper_class class = { WEAVE_TRACE, jdk8_SjkcTrace_start,
					    jdk8_SjkcTrace_end,
					    jdk9_SjkcTrace_start,
					    jdk9_SjkcTrace_end };
	void *table;

	if (!trace.class)
		trace.class = helper_define(jni, &class);
	if (!trace.class || !trace_has_methods(jni) || !trace_reserve(jni))
		return false;
	table = helper_field_of(jni, trace.class, "TABLE", "J");
	if (!table)
		return false;
	JNI_CALL(jni, JNI_SET_STATIC_LONG_FIELD, void, void *, void *, int64_t)
	(jni, trace.class, table, (int64_t)&trace_functions);
	return trace_try_native(jni, "entry0", "(JIJ)V") &&
	       trace_try_native(jni, "return0", "(JIJIJ)V");
}

bool trace_is_found(jvm_table *jni, void *loader)
{
	return !trace.class ||
	       helper_loader_finds(jni, loader, "java.lang.SjkcTrace",
				   trace.class);
}

/* ---- the library ---- */

static int trace_map_part(size_t at, size_t size, int protection, int fd,
			  size_t offset)
{
	long ret = system_call(
		SYSTEM_MMAP, (long)(trace.base + at), (long)size, protection,
		SYSTEM_MAP_FIXED | SYSTEM_MAP_PRIVATE, fd, (long)offset);

	return ret < 0 && ret > -4096 ? (int)-ret : 0;
}

/* Waits until no thread is in a stub; returns false if one stays. */
static bool trace_wait_outside(void)
{
	static const int64_t nap[2] = { 0, 1000000 };

	for (int i = 0; i < END_MS; i++) {
		if (!__atomic_load_n(&trace.inside, __ATOMIC_SEQ_CST))
			return true;
		system_call(SYSTEM_NANOSLEEP, (long)nap, 0, 0, 0, 0, 0);
	}
	return false;
}

/* The client does this, too, but may be killed with its cleanup process. */
static void trace_remove_file(void)
{
	size_t len = 0, slash = 0;

	if (!trace.path[0])
		return;
	for (; trace.path[len]; len++) {
		if (trace.path[len] == '/')
			slash = len;
	}
	system_call(SYSTEM_UNLINKAT, SYSTEM_AT_FDCWD, (long)trace.path, 0, 0, 0,
		    0);
	trace.path[slash] = '\0';
	system_call(SYSTEM_UNLINKAT, SYSTEM_AT_FDCWD, (long)trace.path,
		    SYSTEM_AT_REMOVEDIR, 0, 0, 0);
	trace.path[0] = '\0';
}

void trace_end(void)
{
	trace_remove_file();
	if (!trace.is_mapped)
		return;
	helper_map(trace.base + PROBE_STUBS, PROBE_SEMAPHORES, -1, 0);
	__atomic_store_n(&trace.is_on, false, __ATOMIC_SEQ_CST);
	if (trace_wait_outside() &&
	    helper_map(trace.base, PROBE_STUBS, -1, 0) == 0)
		trace.is_mapped = false;
}

static int trace_map(const char *path, uint32_t semaphores_at)
{
	long fd = system_call(SYSTEM_OPENAT, SYSTEM_AT_FDCWD, (long)path,
			      SYSTEM_O_NOFOLLOW | SYSTEM_O_CLOEXEC, 0, 0, 0);
	int code;

	if (fd < 0)
		return (int)-fd;
	trace.is_mapped = true;
	code = trace_map_part(0, trace.stubs_end, PROT_READ_EXECUTE, (int)fd,
			      0);
	if (!code)
		code = trace_map_part(PROBE_STUBS, PROBE_SEMAPHORES,
				      SYSTEM_PROT_READ_WRITE, (int)fd,
				      semaphores_at);
	system_call(SYSTEM_CLOSE, fd, 0, 0, 0, 0, 0);
	return code;
}

enum probe_step trace_publish(const uint8_t *request, uint32_t len, int *code)
{
	struct class_reader r = { request, len, 0, false };
	uint32_t stubs_at = class_u4(&r), stubs_end = class_u4(&r);
	uint32_t semaphores_at = class_u4(&r);
	const uint8_t *path = class_read(&r, len - r.at);
	size_t path_len = len - 12;

	if (r.is_bad || !path || path_len >= PATH || !trace.base ||
	    stubs_at >= stubs_end || stubs_end > PROBE_STUBS ||
	    stubs_end % PAGE || semaphores_at % PAGE)
		return PROBE_AT_REQUEST;
	/* A thread may have stayed in a stub since the last session. */
	trace_end();
	if (trace.is_mapped) {
		*code = SYSTEM_EBUSY;
		return PROBE_AT_LIBRARY;
	}
	memcpy(trace.path, path, path_len);
	trace.path[path_len] = '\0';
	trace.stubs_at = stubs_at;
	trace.stubs_end = stubs_end;
	trace.first_id = helper_control()->first_id;
	*code = trace_map(trace.path, semaphores_at);
	if (*code) {
		trace_end();
		return PROBE_AT_LIBRARY;
	}
	__atomic_store_n(&trace.is_on, true, __ATOMIC_SEQ_CST);
	return PROBE_AT_NOTHING;
}
