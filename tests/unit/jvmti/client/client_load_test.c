/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_library.h"
#include "jvmti/client/client_load.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int verdict(const char *reply, struct error *err)
{
	return agent_load_verdict(reply, strlen(reply), err);
}

static void agents_reply_is_a_number(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(verdict("return code: 0\n", &err), 0);
	assert_int_equal(verdict("return code: 0", &err), 0);
	assert_int_equal(verdict("0\n", &err), 0); /* JDK 8 */
	assert_int_equal(verdict("return code: 13\n", &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_int_equal(err.sys, 13);
	assert_int_equal(verdict("2\n", &err), -1);
	assert_int_equal(err.sys, 2);
}

/* JDK 21 and later report this with a status of success. */
static void other_replies_are_a_refusal(void **state)
{
	static const char *const refusals[] = {
		"/tmp/x.so was not loaded.\n/tmp/x.so: cannot open\n",
		"Dynamic agent loading is not enabled. Use -XX:+",
		"",
		"return code: \n",
		"0 but not quite",
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		assert_int_equal(verdict(refusals[i], &err), -1);
		assert_int_equal(err.kind, ERROR_REFUSED);
	}
	assert_int_equal(agent_load_verdict(NULL, 0, &err), -1);
}

static void library_exports_its_functions(void **state)
{
	uint64_t attach, alloc, lock;
	const uint8_t *bytes;
	size_t len;

	(void)state;
	assert_memory_equal(agent_library_bytes(&len), "\177ELF", 4);
	assert_true(agent_library_function("Agent_OnAttach", &attach));
	assert_true(agent_library_function("sjkc_probe_alloc", &alloc));
	assert_true(agent_library_function("sjkc_probe_lock", &lock));
	assert_true(attach < len && alloc < len && lock < len);
	assert_int_not_equal(alloc, lock);
	/* A uprobe is attached to one nop. */
	bytes = agent_library_bytes(&len);
	assert_int_equal(bytes[alloc], 0x90);
	assert_int_equal(bytes[lock], 0x90);
	assert_false(agent_library_function("memcpy", &attach));
	assert_int_equal(strlen(agent_library_name()), 25);
}

/* musl's loader opens the descriptor that the agent has kept. */
static void kept_library_requires_proc_in_the_jvms_root(void **state)
{
	const struct jvm own = { .pid = getpid() };
	struct error err = { 0 };
	struct jvm jvm = { 0 };
	int ready[2];
	char byte;

	(void)state;
	assert_int_equal(agent_load_reachable(&own, "/proc/self/fd/6", &err),
			 0);
	assert_int_equal(pipe(ready), 0);
	jvm.pid = fork();
	if (jvm.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* if an assertion fails */
		byte = chroot("tests") == 0 ? 'c' : 'n';
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	if (byte == 'c') {
		assert_int_equal(
			agent_load_reachable(&jvm, "/proc/self/fd/6", &err),
			-1);
		assert_int_equal(err.kind, ERROR_REFUSED);
		assert_int_equal(agent_load_reachable(&jvm, "/tmp/a.so", &err),
				 0);
	}
	kill(jvm.pid, SIGKILL);
	waitpid(jvm.pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	if (byte != 'c')
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agents_reply_is_a_number),
		cmocka_unit_test(other_replies_are_a_refusal),
		cmocka_unit_test(library_exports_its_functions),
		cmocka_unit_test(kept_library_requires_proc_in_the_jvms_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
