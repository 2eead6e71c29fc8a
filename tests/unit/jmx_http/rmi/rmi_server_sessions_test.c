/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct rmi_credentials login = { .has_credentials = true,
					      .user = "u",
					      .password = "p" };

static bool exists(struct rmi_sessions *s, const struct jrmp_id *id)
{
	struct rmi_credentials found = { 0 };

	return rmi_sessions_find(s, id, &found) &&
	       strcmp(found.password, "p") == 0;
}

static void removed_session_is_not_found(void **state)
{
	struct rmi_sessions *s = rmi_sessions_new();
	struct jrmp_id one = rmi_sessions_add(s, &login);
	struct jrmp_id two = rmi_sessions_add(s, &login);

	(void)state;
	assert_memory_not_equal(&one, &two, sizeof(one));
	rmi_sessions_remove(s, &one);
	assert_false(exists(s, &one));
	assert_true(exists(s, &two));
	rmi_sessions_remove(s, &one);
	rmi_sessions_free(s);
}

/* All bits of an unused entry are 0. */
static void zero_id_is_no_session(void **state)
{
	struct rmi_sessions *s = rmi_sessions_new();
	const struct jrmp_id zero = { { 0 } };

	(void)state;
	assert_false(exists(s, &zero));
	rmi_sessions_free(s);
}

static void full_table_ends_the_session_that_was_idle_longest(void **state)
{
	struct rmi_sessions *s = rmi_sessions_new();
	struct jrmp_id ids[RMI_SESSIONS_MAX];

	(void)state;
	for (size_t i = 0; i < RMI_SESSIONS_MAX; i++)
		ids[i] = rmi_sessions_add(s, &login);
	assert_true(exists(s, &ids[0]));
	rmi_sessions_add(s, &login);
	assert_true(exists(s, &ids[0]));
	assert_false(exists(s, &ids[1]));
	assert_true(exists(s, &ids[2]));
	rmi_sessions_free(s);
}

static void workers_share_sessions_and_numbers(void **state)
{
	struct rmi_sessions *s = rmi_sessions_new();
	struct jrmp_id id;
	int fds[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(rmi_sessions_next(s), 1);
	child = fork();
	if (child == 0) {
		id = rmi_sessions_add(s, &login);
		_exit(write(fds[1], &id, sizeof(id)) != sizeof(id) ||
		      rmi_sessions_next(s) != 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(read(fds[0], &id, sizeof(id)), sizeof(id));
	assert_true(exists(s, &id));
	assert_int_equal(rmi_sessions_next(s), 3);
	close(fds[0]);
	close(fds[1]);
	rmi_sessions_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(removed_session_is_not_found),
		cmocka_unit_test(zero_id_is_no_session),
		cmocka_unit_test(
			full_table_ends_the_session_that_was_idle_longest),
		cmocka_unit_test(workers_share_sessions_and_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
