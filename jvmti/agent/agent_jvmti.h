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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An environment points to its table: jvmtiEnv, JNIEnv, JavaVM. */
typedef void *const *jvm_table;

#define JNI_VERSION 0x00010006
/* JVMTI 1.2; GetEnv returns the newest minor version. */
#define JVMTI_VERSION 0x30010200
/* JVMTI 11, the first version with SampledObjectAlloc. */
#define JVMTI_VERSION_ALLOC 0x300b0000

/* Indexes in the tables of JavaVM and JNIEnv. */
enum jni_function {
	JAVA_VM_GET_ENV = 6,
	JNI_GET_VERSION = 4,
	JNI_DEFINE_CLASS = 5,
	JNI_FIND_CLASS = 6,
	JNI_IS_ASSIGNABLE_FROM = 11,
	JNI_EXCEPTION_CLEAR = 17,
	JNI_NEW_GLOBAL_REF = 21,
	JNI_DELETE_LOCAL_REF = 23,
	JNI_IS_SAME_OBJECT = 24,
	JNI_NEW_LOCAL_REF = 25,
	JNI_NEW_OBJECT_A = 30,
	JNI_GET_OBJECT_CLASS = 31,
	JNI_GET_METHOD_ID = 33,
	JNI_GET_FIELD_ID = 94,
	JNI_GET_LONG_FIELD = 101,
	JNI_GET_STATIC_METHOD_ID = 113,
	JNI_CALL_STATIC_OBJECT_METHOD_A = 116,
	JNI_CALL_STATIC_INT_METHOD_A = 131,
	JNI_CALL_STATIC_VOID_METHOD_A = 143,
	JNI_GET_STATIC_FIELD_ID = 144,
	JNI_GET_STATIC_OBJECT_FIELD = 145,
	JNI_GET_STATIC_LONG_FIELD = 151,
	JNI_SET_STATIC_LONG_FIELD = 160,
	JNI_GET_STRING_LENGTH = 164,
	JNI_NEW_STRING_UTF = 167,
	JNI_SET_OBJECT_ARRAY_ELEMENT = 174,
	JNI_GET_STRING_UTF_REGION = 221,
	JNI_NEW_WEAK_GLOBAL_REF = 226,
	JNI_DELETE_WEAK_GLOBAL_REF = 227,
	JNI_EXCEPTION_CHECK = 228,
};

/* Numbers of functions; JVMTI's start at 1. */
enum jvmti_function {
	JVMTI_SET_EVENT_NOTIFICATION_MODE = 2,
	JVMTI_GET_THREAD_INFO = 9,
	JVMTI_RUN_AGENT_THREAD = 12,
	JVMTI_GET_CURRENT_THREAD = 18,
	JVMTI_IS_MODIFIABLE_CLASS = 45,
	JVMTI_ALLOCATE = 46,
	JVMTI_DEALLOCATE = 47,
	JVMTI_GET_CLASS_SIGNATURE = 48,
	JVMTI_GET_CLASS_MODIFIERS = 51,
	JVMTI_GET_CLASS_METHODS = 52,
	JVMTI_GET_CLASS_LOADER = 57,
	JVMTI_GET_METHOD_NAME = 64,
	JVMTI_GET_METHOD_DECLARING_CLASS = 65,
	JVMTI_GET_METHOD_MODIFIERS = 66,
	JVMTI_GET_LINE_NUMBER_TABLE = 70,
	JVMTI_GET_LOADED_CLASSES = 78,
	JVMTI_GET_THREAD_LOCAL_STORAGE = 102,
	JVMTI_SET_THREAD_LOCAL_STORAGE = 103,
	JVMTI_GET_STACK_TRACE = 104,
	JVMTI_SET_EVENT_CALLBACKS = 122,
	JVMTI_GENERATE_EVENTS = 123,
	JVMTI_ADD_CAPABILITIES = 142,
	JVMTI_RELINQUISH_CAPABILITIES = 143,
	JVMTI_RETRANSFORM_CLASSES = 152,
	JVMTI_SET_HEAP_SAMPLING_INTERVAL = 156,
};

enum jvmti_event {
	JVMTI_FIRST_EVENT = 50,
	JVMTI_CLASS_FILE_LOAD_HOOK = 54,
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
	JVMTI_CAN_RETRANSFORM_CLASSES = 37,
	JVMTI_CAN_RETRANSFORM_ANY_CLASS = 38,
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

struct jvmti_thread { /* jvmtiThreadInfo */
	char *name;
	int32_t priority;
	uint8_t is_daemon;
	void *group, *loader;
};

struct jvmti_frame { /* jvmtiFrameInfo */
	void *method;
	int64_t location; /* -1 in a native method */
};

union jni_value { /* jvalue */
	int32_t i;
	int64_t j;
	void *l;
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

static inline int jvmti_allocate(jvm_table *env, int64_t size, void **memory)
{
	return JVMTI_CALL(env, JVMTI_ALLOCATE, int64_t, void **)(env, size,
								 memory);
}

static inline int jvmti_loaded_classes(jvm_table *env, int32_t *count,
				       void ***classes)
{
	return JVMTI_CALL(env, JVMTI_GET_LOADED_CLASSES, int32_t *,
			  void ***)(env, count, classes);
}

static inline int jvmti_class_methods(jvm_table *env, void *class,
				      int32_t *count, void ***methods)
{
	return JVMTI_CALL(env, JVMTI_GET_CLASS_METHODS, void *, int32_t *,
			  void ***)(env, class, count, methods);
}

static inline int jvmti_class_modifiers(jvm_table *env, void *class,
					int32_t *access)
{
	return JVMTI_CALL(env, JVMTI_GET_CLASS_MODIFIERS, void *,
			  int32_t *)(env, class, access);
}

static inline int jvmti_method_modifiers(jvm_table *env, void *method,
					 int32_t *access)
{
	return JVMTI_CALL(env, JVMTI_GET_METHOD_MODIFIERS, void *,
			  int32_t *)(env, method, access);
}

static inline int jvmti_class_loader(jvm_table *env, void *class, void **loader)
{
	return JVMTI_CALL(env, JVMTI_GET_CLASS_LOADER, void *,
			  void **)(env, class, loader);
}

static inline int jvmti_is_modifiable(jvm_table *env, void *class, uint8_t *is)
{
	return JVMTI_CALL(env, JVMTI_IS_MODIFIABLE_CLASS, void *,
			  uint8_t *)(env, class, is);
}

static inline int jvmti_retransform(jvm_table *env, int count,
				    void *const *classes)
{
	return JVMTI_CALL(env, JVMTI_RETRANSFORM_CLASSES, int,
			  void *const *)(env, count, classes);
}

/* Reads the frames of the calling thread, without the first ones. */
static inline int jvmti_stack(jvm_table *env, int first, int most,
			      struct jvmti_frame *frames, int32_t *count)
{
	return JVMTI_CALL(env, JVMTI_GET_STACK_TRACE, void *, int, int,
			  struct jvmti_frame *,
			  int32_t *)(env, NULL, first, most, frames, count);
}

static inline int jvmti_current_thread(jvm_table *env, void **thread)
{
	return JVMTI_CALL(env, JVMTI_GET_CURRENT_THREAD, void **)(env, thread);
}

static inline int jvmti_thread_info(jvm_table *env, void *thread,
				    struct jvmti_thread *info)
{
	return JVMTI_CALL(env, JVMTI_GET_THREAD_INFO, void *,
			  struct jvmti_thread *)(env, thread, info);
}

/* Starts a daemon thread that runs a function of the agent. */
static inline int jvmti_run_thread(jvm_table *env, void *thread,
				   void (*run)(jvm_table *env, jvm_table *jni,
					       void *self),
				   void *self, int priority)
{
	return JVMTI_CALL(env, JVMTI_RUN_AGENT_THREAD, void *,
			  void (*)(jvm_table *, jvm_table *, void *),
			  const void *, int)(env, thread, run, self, priority);
}

#define JNI_CALL(jni, number, type, ...)                                       \
	((type(*)(jvm_table *, __VA_ARGS__))(*(jni))[number])

/* Returns NULL, with a pending exception, on failure. */
static inline void *jni_define_class(jvm_table *jni, const char *name,
				     const void *bytes, int len)
{
	return JNI_CALL(jni, JNI_DEFINE_CLASS, void *, const char *, void *,
			const void *, int)(jni, name, NULL, bytes, len);
}

static inline void *jni_find_class(jvm_table *jni, const char *name)
{
	return JNI_CALL(jni, JNI_FIND_CLASS, void *, const char *)(jni, name);
}

static inline bool jni_is_assignable(jvm_table *jni, void *from, void *to)
{
	return JNI_CALL(jni, JNI_IS_ASSIGNABLE_FROM, uint8_t, void *,
			void *)(jni, from, to);
}

static inline bool jni_is_same(jvm_table *jni, void *a, void *b)
{
	return JNI_CALL(jni, JNI_IS_SAME_OBJECT, uint8_t, void *, void *)(jni,
									  a, b);
}

/* Clears a pending exception; returns true if there was one. */
static inline bool jni_clear(jvm_table *jni)
{
	bool is = ((uint8_t(*)(jvm_table *))(*jni)[JNI_EXCEPTION_CHECK])(jni);

	if (is)
		((void (*)(jvm_table *))(*jni)[JNI_EXCEPTION_CLEAR])(jni);
	return is;
}

/* Makes a new reference by one of the functions JNI_NEW_…_REF. */
static inline void *jni_ref(jvm_table *jni, enum jni_function function,
			    void *object)
{
	return JNI_CALL(jni, function, void *, void *)(jni, object);
}

static inline void jni_unref(jvm_table *jni, enum jni_function function,
			     void *ref)
{
	JNI_CALL(jni, function, void, void *)(jni, ref);
}

static inline void *jni_class_of(jvm_table *jni, void *object)
{
	return JNI_CALL(jni, JNI_GET_OBJECT_CLASS, void *, void *)(jni, object);
}

/* Finds a field or a method by one of the functions JNI_GET_…_ID. */
static inline void *jni_member(jvm_table *jni, enum jni_function function,
			       void *class, const char *name,
			       const char *descriptor)
{
	return JNI_CALL(jni, function, void *, void *, const char *,
			const char *)(jni, class, name, descriptor);
}

static inline void jni_delete_local(jvm_table *jni, void *object)
{
	((void (*)(jvm_table *, void *))(*jni)[JNI_DELETE_LOCAL_REF])(jni,
								      object);
}

#endif
