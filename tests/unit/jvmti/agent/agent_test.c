/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the agent without a JVM: its session ends without a client. */
/*
 * clang-format off: the test program also contains the agent's own functions.
 */
#define stream_is_watched  test_stream_is_watched
#define system_try         test_system_try
#define system_wait        test_system_wait
#define stream_open        test_stream_open
#define stream_orders      test_stream_orders
#define stream_report_busy test_stream_say_busy
#define stream_close       test_stream_close
#define stream_report      test_stream_report
#define probes_begin       test_probes_begin
#define probes_stop        test_probes_stop
#define symbols_begin      test_symbols_begin
#define symbols_end        test_symbols_end
#define symbols_loaded     test_symbols_loaded
#define symbols_unloaded   test_symbols_unloaded
#define symbols_generated  test_symbols_generated
/* clang-format on */
#include "jvmti/agent/agent.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static unsigned looks;
static bool is_watched;

bool stream_is_watched(void)
{
	looks++;
	return is_watched;
}

bool system_try(int *lock)
{
	*lock = 1;
	return true;
}

bool system_wait(int *lock) { return system_try(lock); }
int stream_open(const char *path) { return path ? 0 : -1; }
const struct agent_orders *stream_orders(void)
{
	static const struct agent_orders none;

	return &none;
}

void stream_report_busy(const char *path) { (void)path; }
bool stream_close(void) { return true; }

void stream_report(enum agent_state state, enum agent_step step, int code,
		   uint64_t replay_ns, const void *jni)
{
	(void)state, (void)step, (void)code, (void)replay_ns, (void)jni;
}

int symbols_begin(void) { return 0; }
bool symbols_end(void) { return true; }

enum agent_step probes_begin(jvm_table *vm, jvm_table *jni,
			     const struct agent_orders *o, int *code,
			     bool *is_busy)
{
	(void)vm, (void)jni, (void)o, (void)code, (void)is_busy;
	return AGENT_AT_NOTHING;
}

void probes_stop(void) {}

void symbols_loaded(jvm_table *env, void *method, int32_t size,
		    const void *code, int32_t map_length, const void *map,
		    const struct jvmti_compile_record *records)
{
	(void)env, (void)method, (void)size, (void)code, (void)map_length;
	(void)map, (void)records;
}

void symbols_unloaded(jvm_table *env, void *method, const void *code)
{
	(void)env, (void)method, (void)code;
}

void symbols_generated(jvm_table *env, const char *name, const void *code,
		       int32_t size)
{
	(void)env, (void)name, (void)code, (void)size;
}

static void frequent_events_check_for_the_client_once(void **state)
{
	(void)state;
	is_watched = true;
	looks = 0;
	agent.checked = 0;
	for (int i = 0; i < 100; i++)
		agent_check_client();
	/*
	 * Two calls are closer together than two checks, unless the machine is
	 * stopped.
	 */
	assert_in_range(looks, 1, 50);
}

static void session_without_a_client_ends(void **state)
{
	(void)state;
	is_watched = false;
	agent.session = 7;
	agent.checked = system_ticks() - CHECK_TICKS;
	agent_check_client();
	assert_int_equal(agent.session, 0);
	assert_int_equal(agent.lock, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequent_events_check_for_the_client_once),
		cmocka_unit_test(session_without_a_client_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
