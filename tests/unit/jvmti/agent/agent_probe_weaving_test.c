/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the references and the memory of classes that are to be woven. */
/*
 * clang-format off: the test program also contains the agent's own functions.
 */
#define helper_control     test_weaving_helper_control
#define helper_note_change test_weaving_helper_note_change
#define system_wait        test_weaving_system_wait
#define stream_is_watched  test_weaving_stream_is_watched
#define probes_may_want    test_weaving_probes_may_want
#define probes_list_new    test_weaving_probes_list_new
#define probes_ask_loader  test_weaving_probes_ask_loader
#define probes_send        test_weaving_probes_send
#define trace_prepare      test_weaving_trace_prepare
/* clang-format on */
#include "jvmti/agent/agent_probe_weaving.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- the rest of the agent, and a JVM with one class, which is unloaded ----
 */

enum { FIRST_REF = 100, REFS = 4 };

static bool is_locked, is_alive[REFS];
static unsigned refs, wrong_deletions;
static char objects[FIRST_REF + REFS];

void helper_note_change(void) {}

struct probe_control *helper_control(void)
{
	static struct probe_control control = { .ids = 8 };

	return &control;
}

bool system_wait(int *lock)
{
	*lock = !is_locked;
	return !is_locked;
}

bool stream_is_watched(void) { return true; }

bool probes_may_want(struct class_text name)
{
	(void)name;
	return false;
}

uint32_t probes_list_new(jvm_table *jni)
{
	(void)jni;
	return 0;
}

enum probe_refusal probes_ask_loader(jvm_table *jni, void *loader,
				     bool has_traces)
{
	(void)jni, (void)loader, (void)has_traces;
	return PROBE_ARMED;
}

void probes_send(const struct record *r) { (void)r; }

bool trace_prepare(jvm_table *jni)
{
	(void)jni;
	return true;
}

static void *new_weak(jvm_table *jni, void *object)
{
	(void)jni, (void)object;
	assert_true(refs < REFS);
	is_alive[refs] = true;
	return &objects[FIRST_REF + refs++];
}

static void delete_weak(jvm_table *jni, void *ref)
{
	ptrdiff_t at = (char *)ref - objects - FIRST_REF;

	(void)jni;
	if (at < 0 || at >= REFS || !is_alive[at])
		wrong_deletions++;
	else
		is_alive[at] = false;
}

static void *new_local(jvm_table *jni, void *object)
{
	(void)jni, (void)object;
	return NULL;
}

static uint8_t is_same(jvm_table *jni, void *a, void *b)
{
	(void)jni;
	return a == b;
}

static int set_events(jvm_table *env, int is_on, int event, void *thread, ...)
{
	(void)env, (void)is_on, (void)event, (void)thread;
	return 0;
}

/* Of JNI and of JVMTI: no number is used twice. */
static void *const functions[256] = {
	[JVMTI_SET_EVENT_NOTIFICATION_MODE - 1] = (void *)set_events,
	[JNI_NEW_LOCAL_REF] = (void *)new_local,
	[JNI_IS_SAME_OBJECT] = (void *)is_same,
	[JNI_NEW_WEAK_GLOBAL_REF] = (void *)new_weak,
	[JNI_DELETE_WEAK_GLOBAL_REF] = (void *)delete_weak,
};
static void *const functions_of[] = { (void *)functions };
static jvm_table *const jni = (jvm_table *)functions_of;

/* One method: class 0, id 0, "m", "()V". */
static const uint8_t request[] = { 0, 0, 0, 1,   0, 0, 0,   0,   0,  0,
				   0, 0, 1, 'm', 0, 3, '(', ')', 'V' };

static void *listed[] = { &objects[0] };
static const struct probe_classes classes = { .weak = listed, .count = 1 };

static int begin(void **state)
{
	int code = 0;

	(void)state;
	is_locked = false;
	refs = wrong_deletions = 0;
	memset(is_alive, 0, sizeof(is_alive));
	assert_true(weaving_get_memory(&code));
	assert_int_equal(weaving_read_request(jni, jni, &classes, request,
					      sizeof(request)),
			 PROBE_AT_NOTHING);
	assert_int_equal(weaving.class_count, 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	is_locked = false;
	weaving_forget(jni);
	return 0;
}

/* ---- the tests ---- */

/* A new list deletes the references of the old one. */
static void woven_class_has_its_own_reference(void **state)
{
	(void)state;
	assert_int_equal(refs, 1);
	assert_ptr_equal(weaving.classes[0].weak, &objects[FIRST_REF]);
	weaving_forget(jni);
	assert_int_equal(wrong_deletions, 0);
	assert_false(is_alive[0]);
	assert_null(weaving.classes);
}

/* A hook of another thread may use them. */
static void classes_are_kept_while_a_hook_has_the_lock(void **state)
{
	(void)state;
	is_locked = true;
	weaving_forget(jni);
	assert_int_equal(weaving.class_count, 1);
	assert_true(is_alive[0]);
	is_locked = false;
	weaving_forget(jni);
	assert_int_equal(weaving.class_count, 0);
	assert_false(is_alive[0]);
	assert_int_equal(wrong_deletions, 0);
}

static void lock_that_is_not_free_is_no_lack_of_memory(void **state)
{
	int code = 0;

	(void)state;
	is_locked = true;
	assert_int_equal(weaving_disarm(jni, jni, &code), PROBE_AT_LOCK);
	assert_int_equal(weaving.class_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			woven_class_has_its_own_reference, begin, end),
		cmocka_unit_test_setup_teardown(
			classes_are_kept_while_a_hook_has_the_lock, begin, end),
		cmocka_unit_test_setup_teardown(
			lock_that_is_not_free_is_no_lack_of_memory, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
