/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_jvmti: the functions of the JVM's native interfaces that the agent
 * uses.
 *
 * JVMTI and JNI are tables of functions.  The positions are part of the
 * specifications (JVMTI 1.2 and later, "Function Index"; JNI, "Interface
 * Function Table"), so building the agent requires no JDK.  A test compares the
 * numbers with the JDK's.
 */
#ifndef JVMTI_AGENT_AGENT_JVMTI_H
#define JVMTI_AGENT_AGENT_JVMTI_H

#include <stddef.h>
#include <stdint.h>

/* An environment points to its table: jvmtiEnv, JNIEnv, JavaVM. */
typedef void *const *jvm_table;

#define JNI_VERSION 0x00010006
/* JVMTI 1.2; GetEnv returns the newest minor version. */
#define JVMTI_VERSION 0x30010200
/* JVMTI 11, the first version with SampledObjectAlloc. */
#define JVMTI_VERSION_ALLOC 0x300b0000

enum {
	JAVA_VM_GET_ENV = 6, /* index in the table of JavaVM */
	JNI_DELETE_LOCAL_REF = 23,
};

/* Numbers of functions; JVMTI's start at 1. */
enum jvmti_function {
	JVMTI_SET_EVENT_NOTIFICATION_MODE = 2,
	JVMTI_DEALLOCATE = 47,
	JVMTI_GET_CLASS_SIGNATURE = 48,
	JVMTI_GET_METHOD_NAME = 64,
	JVMTI_GET_METHOD_DECLARING_CLASS = 65,
	JVMTI_GET_LINE_NUMBER_TABLE = 70,
	JVMTI_GET_THREAD_LOCAL_STORAGE = 102,
	JVMTI_SET_THREAD_LOCAL_STORAGE = 103,
	JVMTI_SET_EVENT_CALLBACKS = 122,
	JVMTI_GENERATE_EVENTS = 123,
	JVMTI_ADD_CAPABILITIES = 142,
	JVMTI_RELINQUISH_CAPABILITIES = 143,
	JVMTI_SET_HEAP_SAMPLING_INTERVAL = 156,
};

enum jvmti_event {
	JVMTI_FIRST_EVENT = 50,
	JVMTI_COMPILED_METHOD_LOAD = 68,
	JVMTI_COMPILED_METHOD_UNLOAD = 69,
	JVMTI_DYNAMIC_CODE_GENERATED = 70,
	JVMTI_MONITOR_CONTENDED_ENTER = 75,
	JVMTI_MONITOR_CONTENDED_ENTERED = 76,
	JVMTI_SAMPLED_OBJECT_ALLOC = 86,
	JVMTI_END_OF_EVENTS = 87,
};

/* Bit numbers in jvmtiCapabilities, which has 128 bits. */
enum jvmti_capability {
	JVMTI_CAN_GET_LINE_NUMBERS = 12,
	JVMTI_CAN_GENERATE_COMPILED_METHOD_LOAD_EVENTS = 27,
	JVMTI_CAN_GENERATE_MONITOR_EVENTS = 28,
	JVMTI_CAN_GENERATE_SAMPLED_OBJECT_ALLOC_EVENTS = 43,
};

struct jvmti_capabilities {
	uint32_t bits[4];
};

/* jvmtiEventCallbacks: one pointer per event. */
struct jvmti_callbacks {
	void *of[JVMTI_END_OF_EVENTS - JVMTI_FIRST_EVENT];
};

struct jvmti_line { /* jvmtiLineNumberEntry */
	int64_t start;
	int32_t line;
};

/*
 * jvmticmlr.h: the structure that compile_info of CompiledMethodLoad points to.
 */
#define JVMTI_INLINE_INFO 2

struct jvmti_compile_record {
	int32_t kind, major, minor;
	const struct jvmti_compile_record *next;
};

struct jvmti_pc {
	const void *pc;
	int32_t count;
	void *const *methods; /* innermost first */
	const int32_t *bcis;
};

struct jvmti_inline_record {
	struct jvmti_compile_record head;
	int32_t count;
	const struct jvmti_pc *pcs;
};

#define JVMTI_CALL(env, number, ...)                                           \
	((int (*)(jvm_table *, __VA_ARGS__))(*(env))[(number)-1])

/* Each returns 0 or a jvmtiError. */
static inline int jvmti_enable(jvm_table *env, int is_on, int event)
{
	/* The function has variable arguments; none are passed. */
	int (*set)(jvm_table *, int, int, void *, ...);

	set = (int (*)(jvm_table *, int, int, void *, ...))(
		*env)[JVMTI_SET_EVENT_NOTIFICATION_MODE - 1];
	return set(env, is_on, event, NULL);
}

static inline void jvmti_deallocate(jvm_table *env, void *memory)
{
	if (memory)
		JVMTI_CALL(env, JVMTI_DEALLOCATE, void *)(env, memory);
}

static inline int jvmti_class_signature(jvm_table *env, void *class,
					char **signature)
{
	return JVMTI_CALL(env, JVMTI_GET_CLASS_SIGNATURE, void *, char **,
			  char **)(env, class, signature, NULL);
}

static inline int jvmti_method_name(jvm_table *env, void *method, char **name,
				    char **signature)
{
	return JVMTI_CALL(env, JVMTI_GET_METHOD_NAME, void *, char **, char **,
			  char **)(env, method, name, signature, NULL);
}

static inline int jvmti_declaring_class(jvm_table *env, void *method,
					void **class)
{
	return JVMTI_CALL(env, JVMTI_GET_METHOD_DECLARING_CLASS, void *,
			  void **)(env, method, class);
}

static inline int jvmti_lines(jvm_table *env, void *method, int32_t *count,
			      struct jvmti_line **lines)
{
	return JVMTI_CALL(env, JVMTI_GET_LINE_NUMBER_TABLE, void *, int32_t *,
			  struct jvmti_line **)(env, method, count, lines);
}

/* Reads the data of the calling thread. */
static inline int jvmti_get_local(jvm_table *env, void **value)
{
	return JVMTI_CALL(env, JVMTI_GET_THREAD_LOCAL_STORAGE, void *,
			  void **)(env, NULL, value);
}

static inline int jvmti_set_local(jvm_table *env, void *value)
{
	return JVMTI_CALL(env, JVMTI_SET_THREAD_LOCAL_STORAGE, void *,
			  void *)(env, NULL, value);
}

static inline int jvmti_set_callbacks(jvm_table *env,
				      const struct jvmti_callbacks *callbacks)
{
	return JVMTI_CALL(env, JVMTI_SET_EVENT_CALLBACKS,
			  const struct jvmti_callbacks *,
			  int)(env, callbacks, (int)sizeof(*callbacks));
}

static inline int jvmti_generate(jvm_table *env, int event)
{
	return JVMTI_CALL(env, JVMTI_GENERATE_EVENTS, int)(env, event);
}

static inline int
jvmti_add_capabilities(jvm_table *env, const struct jvmti_capabilities *wanted)
{
	return JVMTI_CALL(env, JVMTI_ADD_CAPABILITIES,
			  const struct jvmti_capabilities *)(env, wanted);
}

static inline int
jvmti_relinquish_capabilities(jvm_table *env,
			      const struct jvmti_capabilities *unwanted)
{
	return JVMTI_CALL(env, JVMTI_RELINQUISH_CAPABILITIES,
			  const struct jvmti_capabilities *)(env, unwanted);
}

static inline int jvmti_set_interval(jvm_table *env, int bytes)
{
	return JVMTI_CALL(env, JVMTI_SET_HEAP_SAMPLING_INTERVAL, int)(env,
								      bytes);
}

static inline int jvm_get_env(jvm_table *vm, jvm_table **env, int version)
{
	return ((int (*)(jvm_table *, jvm_table **, int))(
		*vm)[JAVA_VM_GET_ENV])(vm, env, version);
}

static inline void jni_delete_local(jvm_table *jni, void *object)
{
	((void (*)(jvm_table *, void *))(*jni)[JNI_DELETE_LOCAL_REF])(jni,
								      object);
}

#endif
