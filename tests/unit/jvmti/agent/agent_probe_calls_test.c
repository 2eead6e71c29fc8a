/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests which thread gets a buffer for a call, and the numbers of classes of
 * exceptions.
 */
/*
 * clang-format off: the test program also contains the agent's own functions.
 */
#define stream_add  test_calls_stream_add
#define system_try  test_calls_system_try
#define system_wait test_calls_system_wait
/* clang-format on */
#include "jvmti/agent/agent_probe_calls.c"
#include "jvmti/agent/agent_record.c"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- the rest of the agent ---- */

static struct probe_control control;
static void *helper_kinds[KINDS];

struct probe_control *helper_control(void) { return &control; }

void helper_set_kind(jvm_table *jni, int kind, void *class)
{
	(void)jni;
	helper_kinds[kind] = class;
}

static int no_signature(jvm_table *env, void *class, char **signature,
			char **generic)
{
	(void)env;
	(void)class;
	(void)signature;
	(void)generic;
	return 1;
}

static void *const jvmti[256] = {
	[JVMTI_GET_CLASS_SIGNATURE - 1] = (void *)no_signature,
};
static void *const jvmti_of[] = { (void *)jvmti };

jvm_table *probes_env(void) { return (jvm_table *)jvmti_of; }

static uint8_t is_same(jvm_table *jni, void *a, void *b)
{
	(void)jni;
	return a == b;
}

static int references;

static void *new_reference(jvm_table *jni, void *object)
{
	(void)jni;
	references++;
	return object;
}

static void *const jni[256] = {
	[JNI_IS_SAME_OBJECT] = (void *)is_same,
	[JNI_NEW_WEAK_GLOBAL_REF] = (void *)new_reference,
};
static void *const jni_of[] = { (void *)jni };

bool stream_add(const void *bytes, size_t len, enum stream_count count,
		unsigned methods, bool later)
{
	(void)bytes;
	(void)len;
	(void)count;
	(void)methods;
	(void)later;
	return true;
}

bool system_try(int *lock) { return !*lock; }

bool system_wait(int *lock) { return !*lock; }

/* ---- the tests ---- */

static struct call buffers[CALLS];

static int begin(void **state)
{
	(void)state;
	memset(buffers, 0, sizeof(buffers));
	calls.calls = buffers;
	calls.is_on = true;
	return 0;
}

/* Takes all buffers that another thread can get; returns their number. */
static void *take_all(void *number)
{
	struct call *c;

	while ((c = calls_find_free()))
		++*(int *)number;
	return NULL;
}

static int taken_by_another_thread(void)
{
	pthread_t thread;
	int number = 0;

	assert_int_equal(pthread_create(&thread, NULL, take_all, &number), 0);
	pthread_join(thread, NULL);
	return number;
}

static void old_buffer_in_use_is_not_taken_over(void **state)
{
	struct call *c = calls_find_free();

	(void)state;
	assert_non_null(c);
	c->since = 0;
	assert_int_equal(taken_by_another_thread(), CALLS - 1);
	calls_leave(c, true);
	assert_ptr_equal(calls_find(), c);
}

static void old_buffer_between_two_natives_is_taken_over(void **state)
{
	struct call *c;

	(void)state;
	calls_value(NULL, PROBE_LONG << 8, 1);
	c = calls_find();
	assert_non_null(c);
	calls_leave(c, true);
	c->since = 0;
	assert_int_equal(taken_by_another_thread(), CALLS);
	/* The thread's next argument begins nothing. */
	assert_null(calls_find());
	calls_value(NULL, PROBE_LONG << 8 | 1, 2);
	assert_int_equal(c->count, 0);
}

static void new_buffer_between_two_natives_is_kept(void **state)
{
	struct call *c;

	(void)state;
	calls_value(NULL, PROBE_LONG << 8, 1);
	assert_int_equal(taken_by_another_thread(), CALLS - 1);
	calls_value(NULL, PROBE_LONG << 8 | 1, 2);
	c = calls_find();
	assert_non_null(c);
	assert_int_equal(c->count, 2);
}

/* Each session has all numbers. The same classes need no new references. */
static void each_session_numbers_its_exceptions(void **state)
{
	static char classes[3 * KINDS];

	(void)state;
	calls.string = classes;
	for (int session = 0; session < 4; session++) {
		char *first = &classes[session / 2 * KINDS];

		assert_int_equal(calls_begin((jvm_table *)jni_of), 0);
		for (int i = 1; i < KINDS; i++)
			assert_int_equal(
				calls_kind((jvm_table *)jni_of, first + i), i);
		assert_int_equal(calls_kind((jvm_table *)jni_of, first), 0);
		assert_ptr_equal(helper_kinds[KINDS - 1], first + KINDS - 1);
		calls_end((jvm_table *)jni_of);
		for (int i = 1; i < KINDS; i++)
			assert_null(helper_kinds[i]);
	}
	assert_int_equal(references, 2 * (KINDS - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(old_buffer_in_use_is_not_taken_over,
				       begin),
		cmocka_unit_test_setup(
			old_buffer_between_two_natives_is_taken_over, begin),
		cmocka_unit_test_setup(new_buffer_between_two_natives_is_kept,
				       begin),
		cmocka_unit_test_setup(each_session_numbers_its_exceptions,
				       begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
