# SPDX-License-Identifier: Apache-2.0
# Each JDK: it compares with the header of each.
# The agent is built without a JDK and declares the JVMTI functions, events and
# capabilities that it uses.  Their positions equal those in each JDK's headers.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

cat >"$scratch/numbers.c" <<'END'
#include <jvmti.h>
#include <jvmticmlr.h>

#include <stddef.h>
#include <string.h>

#undef JVMTI_VERSION
#include "jvmti/agent/agent_jvmti.h"

#define SAME(a, b) _Static_assert((a) == (b), #a)
#define FUNCTION(number, name)                                                 \
	SAME(offsetof(jvmtiInterface_1, name),                                 \
	     ((number)-1) * sizeof(void *))
#define JNI(number, name)                                                      \
	SAME(offsetof(struct JNINativeInterface_, name),                       \
	     (number) * sizeof(void *))
#define EVENT(number, event, callback)                                         \
	SAME((int)(number), (int)(event));                                     \
	SAME(offsetof(jvmtiEventCallbacks, callback),                          \
	     ((number)-JVMTI_FIRST_EVENT) * sizeof(void *))

FUNCTION(JVMTI_SET_EVENT_NOTIFICATION_MODE, SetEventNotificationMode);
FUNCTION(JVMTI_GET_THREAD_INFO, GetThreadInfo);
FUNCTION(JVMTI_RUN_AGENT_THREAD, RunAgentThread);
FUNCTION(JVMTI_GET_CURRENT_THREAD, GetCurrentThread);
FUNCTION(JVMTI_IS_MODIFIABLE_CLASS, IsModifiableClass);
FUNCTION(JVMTI_ALLOCATE, Allocate);
FUNCTION(JVMTI_DEALLOCATE, Deallocate);
FUNCTION(JVMTI_GET_CLASS_MODIFIERS, GetClassModifiers);
FUNCTION(JVMTI_GET_CLASS_METHODS, GetClassMethods);
FUNCTION(JVMTI_GET_CLASS_LOADER, GetClassLoader);
FUNCTION(JVMTI_GET_METHOD_MODIFIERS, GetMethodModifiers);
FUNCTION(JVMTI_GET_LOADED_CLASSES, GetLoadedClasses);
FUNCTION(JVMTI_GET_STACK_TRACE, GetStackTrace);
FUNCTION(JVMTI_RETRANSFORM_CLASSES, RetransformClasses);
FUNCTION(JVMTI_GET_CLASS_SIGNATURE, GetClassSignature);
FUNCTION(JVMTI_GET_METHOD_NAME, GetMethodName);
FUNCTION(JVMTI_GET_METHOD_DECLARING_CLASS, GetMethodDeclaringClass);
FUNCTION(JVMTI_GET_LINE_NUMBER_TABLE, GetLineNumberTable);
FUNCTION(JVMTI_GET_THREAD_LOCAL_STORAGE, GetThreadLocalStorage);
FUNCTION(JVMTI_SET_THREAD_LOCAL_STORAGE, SetThreadLocalStorage);
FUNCTION(JVMTI_SET_EVENT_CALLBACKS, SetEventCallbacks);
FUNCTION(JVMTI_GENERATE_EVENTS, GenerateEvents);
FUNCTION(JVMTI_ADD_CAPABILITIES, AddCapabilities);
FUNCTION(JVMTI_RELINQUISH_CAPABILITIES, RelinquishCapabilities);
FUNCTION(JVMTI_SET_HEAP_SAMPLING_INTERVAL, SetHeapSamplingInterval);

EVENT(JVMTI_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
      ClassFileLoadHook);
EVENT(JVMTI_COMPILED_METHOD_LOAD, JVMTI_EVENT_COMPILED_METHOD_LOAD,
      CompiledMethodLoad);
EVENT(JVMTI_COMPILED_METHOD_UNLOAD, JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
      CompiledMethodUnload);
EVENT(JVMTI_DYNAMIC_CODE_GENERATED, JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
      DynamicCodeGenerated);
EVENT(JVMTI_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
      MonitorContendedEnter);
EVENT(JVMTI_MONITOR_CONTENDED_ENTERED, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
      MonitorContendedEntered);
EVENT(JVMTI_SAMPLED_OBJECT_ALLOC, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
      SampledObjectAlloc);

SAME(offsetof(struct JNIInvokeInterface_, GetEnv),
     JAVA_VM_GET_ENV * sizeof(void *));
JNI(JNI_GET_VERSION, GetVersion);
JNI(JNI_DEFINE_CLASS, DefineClass);
JNI(JNI_FIND_CLASS, FindClass);
JNI(JNI_IS_ASSIGNABLE_FROM, IsAssignableFrom);
JNI(JNI_EXCEPTION_CLEAR, ExceptionClear);
JNI(JNI_NEW_GLOBAL_REF, NewGlobalRef);
JNI(JNI_DELETE_LOCAL_REF, DeleteLocalRef);
JNI(JNI_IS_SAME_OBJECT, IsSameObject);
JNI(JNI_NEW_LOCAL_REF, NewLocalRef);
JNI(JNI_NEW_OBJECT_A, NewObjectA);
JNI(JNI_GET_OBJECT_CLASS, GetObjectClass);
JNI(JNI_GET_METHOD_ID, GetMethodID);
JNI(JNI_GET_FIELD_ID, GetFieldID);
JNI(JNI_GET_LONG_FIELD, GetLongField);
JNI(JNI_GET_STATIC_METHOD_ID, GetStaticMethodID);
JNI(JNI_CALL_STATIC_OBJECT_METHOD_A, CallStaticObjectMethodA);
JNI(JNI_CALL_STATIC_INT_METHOD_A, CallStaticIntMethodA);
JNI(JNI_CALL_STATIC_VOID_METHOD_A, CallStaticVoidMethodA);
JNI(JNI_GET_STATIC_FIELD_ID, GetStaticFieldID);
JNI(JNI_GET_STATIC_OBJECT_FIELD, GetStaticObjectField);
JNI(JNI_GET_STATIC_LONG_FIELD, GetStaticLongField);
JNI(JNI_SET_STATIC_LONG_FIELD, SetStaticLongField);
JNI(JNI_GET_STRING_LENGTH, GetStringLength);
JNI(JNI_NEW_STRING_UTF, NewStringUTF);
JNI(JNI_SET_OBJECT_ARRAY_ELEMENT, SetObjectArrayElement);
JNI(JNI_GET_STRING_UTF_REGION, GetStringUTFRegion);
JNI(JNI_NEW_WEAK_GLOBAL_REF, NewWeakGlobalRef);
JNI(JNI_DELETE_WEAK_GLOBAL_REF, DeleteWeakGlobalRef);
JNI(JNI_EXCEPTION_CHECK, ExceptionCheck);
SAME(JNI_VERSION, JNI_VERSION_1_6);
SAME((int)JVMTI_VERSION_ALLOC, (int)JVMTI_VERSION_11);

SAME(sizeof(struct jvmti_thread), sizeof(jvmtiThreadInfo));
SAME(offsetof(struct jvmti_thread, group),
     offsetof(jvmtiThreadInfo, thread_group));
SAME(sizeof(struct jvmti_frame), sizeof(jvmtiFrameInfo));
SAME(offsetof(struct jvmti_frame, location), offsetof(jvmtiFrameInfo, location));
SAME(sizeof(union jni_value), sizeof(jvalue));
SAME(sizeof(struct jvmti_capabilities), sizeof(jvmtiCapabilities));
SAME(sizeof(struct jvmti_line), sizeof(jvmtiLineNumberEntry));
SAME(offsetof(struct jvmti_line, line),
     offsetof(jvmtiLineNumberEntry, line_number));
SAME((int)JVMTI_INLINE_INFO, (int)JVMTI_CMLR_INLINE_INFO);
SAME(sizeof(struct jvmti_inline_record),
     sizeof(jvmtiCompiledMethodLoadInlineRecord));
SAME(offsetof(struct jvmti_inline_record, count),
     offsetof(jvmtiCompiledMethodLoadInlineRecord, numpcs));
SAME(offsetof(struct jvmti_inline_record, pcs),
     offsetof(jvmtiCompiledMethodLoadInlineRecord, pcinfo));
SAME(offsetof(struct jvmti_compile_record, next),
     offsetof(jvmtiCompiledMethodLoadRecordHeader, next));
SAME(sizeof(struct jvmti_pc), sizeof(PCStackInfo));
SAME(offsetof(struct jvmti_pc, methods), offsetof(PCStackInfo, methods));
SAME(offsetof(struct jvmti_pc, bcis), offsetof(PCStackInfo, bcis));

static int is(const jvmtiCapabilities *theirs, int bit)
{
	struct jvmti_capabilities ours = { { 0 } };

	ours.bits[bit / 32] |= 1u << bit % 32;
	return memcmp(&ours, theirs, sizeof(ours)) == 0;
}

int main(void)
{
	jvmtiCapabilities lines = { .can_get_line_numbers = 1 };
	jvmtiCapabilities weaves = { .can_retransform_classes = 1 };
	jvmtiCapabilities any = { .can_retransform_any_class = 1 };
	jvmtiCapabilities loads = { .can_generate_compiled_method_load_events =
					    1 };
	jvmtiCapabilities locks = { .can_generate_monitor_events = 1 };
	jvmtiCapabilities allocs = {
		.can_generate_sampled_object_alloc_events = 1
	};

	return !(is(&weaves, JVMTI_CAN_RETRANSFORM_CLASSES) &&
		 is(&any, JVMTI_CAN_RETRANSFORM_ANY_CLASS) &&
		 is(&lines, JVMTI_CAN_GET_LINE_NUMBERS) &&
		 is(&loads, JVMTI_CAN_GENERATE_COMPILED_METHOD_LOAD_EVENTS) &&
		 is(&locks, JVMTI_CAN_GENERATE_MONITOR_EVENTS) &&
		 is(&allocs, JVMTI_CAN_GENERATE_SAMPLED_OBJECT_ALLOC_EVENTS));
}
END

check() {
	[ -e "$1/include/jvmticmlr.h" ] || { echo 'no headers'; return 1; }
	gcc -std=c11 -I. -I"$1/include" -I"$1/include/linux" \
		-o "$scratch/numbers" "$scratch/numbers.c" 2>&1 || return
	"$scratch/numbers" && return
	echo 'a capability has another bit'
	return 1
}

for_each_jdk check
