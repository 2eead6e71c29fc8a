/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the machine's CPU time and the limits of cgroups (versions 1 and 2). */
#include "core/threads/tasks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char mount[] = "/tmp/sjkc-machine-XXXXXX";
static struct text mounts;

static void put_directory(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", mount, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void put_file(const char *name, const char *content)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", mount, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

static int make(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(mount));
	put_directory("pod");
	put_directory("pod/app");
	put_file("pod/cpu.max", "150000 100000\n");
	put_file("pod/cpu.stat", "usage_usec 9\nnr_periods 8\nnr_throttled 3\n"
				 "throttled_usec 2500\n");
	put_file("pod/app/cpu.max", "max 100000\n");
	put_file("pod/memory.max", "4096000\n");
	put_file("pod/app/memory.max", "max\n");
	put_directory("cpu,cpuacct");
	put_directory("cpu,cpuacct/a");
	put_file("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
	put_file("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
	put_file("cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
	put_file("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
	put_directory("memory");
	put_directory("memory/b");
	put_file("memory/memory.limit_in_bytes", "9223372036854771712\n");
	put_file("memory/b/memory.limit_in_bytes", "8192000\n");
	put_file("cpu,cpuacct/a/cpu.stat",
		 "nr_periods 1\nnr_throttled 1\nthrottled_time 777\n");
	/* Two hierarchies, and those that containers see of their own. */
	text_printf(&mounts,
		    "30 23 0:27 / %s rw,relatime - cgroup2 cgroup2 rw\n"
		    "31 30 0:28 / %s/cpu,cpuacct rw shared:9 master:1 - cgroup "
		    "cgroup rw,cpu,cpuacct\n"
		    "32 30 0:29 / %s/memory rw - cgroup cgroup rw,memory\n"
		    "33 30 0:28 /kubepods/x %s/cpu,cpuacct/a ro - cgroup "
		    "cgroup rw,cpu,cpuacct\n"
		    "34 30 0:27 /../x %s ro - cgroup2 cgroup rw\n"
		    "35 30 0:30 /other %s/pod ro - tmpfs tmpfs rw\n35 30\n",
		    mount, mount, mount, mount, mount, mount);
	return 0;
}

static int drop(void **state)
{
	static const char *const names[] = { "pod/app/cpu.max",
					     "pod/app/memory.max",
					     "pod/app",
					     "pod/cpu.max",
					     "pod/cpu.stat",
					     "pod/memory.max",
					     "pod",
					     "cpu,cpuacct/a/cpu.cfs_quota_us",
					     "cpu,cpuacct/a/cpu.cfs_period_us",
					     "cpu,cpuacct/a/cpu.stat",
					     "cpu,cpuacct/a",
					     "cpu,cpuacct/cpu.cfs_quota_us",
					     "cpu,cpuacct/cpu.cfs_period_us",
					     "cpu,cpuacct",
					     "memory/b/memory.limit_in_bytes",
					     "memory/b",
					     "memory/memory.limit_in_bytes",
					     "memory",
					     "." };
	char path[256];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", mount, names[i]);
		if (unlink(path))
			rmdir(path);
	}
	rmdir(mount);
	text_release(&mounts);
	return 0;
}

static struct process_sample sample_of(const char *groups)
{
	struct machine_load m = { .stat = -1,
				  .cpu_stat = -1,
				  .cpu_limit = COUNTER_ABSENT };
	struct text text = { 0 };
	struct cgroup_limits limits;
	struct process_sample s;

	process_sample_clear(&s);
	text_puts(&text, groups);
	cgroup_limits_find(&limits, &(struct cgroup_view){ .groups = &text,
							   .mount = mount,
							   .mounts = &mounts });
	machine_load_set_limit(&m, &limits);
	cgroup_limits_release(&limits);
	machine_load_add(&m, &s);
	machine_load_close(&m);
	text_release(&text);
	return s;
}

static void limit_of_a_parent_group_applies_version_2(void **state)
{
	struct process_sample s = sample_of("0::/pod/app\n");

	(void)state;
	assert_int_equal(s.cpu_limit, 1500);
	assert_int_equal(s.throttled_ns, 2500000);
	assert_int_equal(s.cfs_periods, 8);
	assert_int_equal(s.throttled_periods, 3);
}

static void limit_of_version_1_is_found_by_controller(void **state)
{
	struct process_sample s = sample_of("5:cpuset:/a\n4:cpu,cpuacct:/a\n");

	(void)state;
	assert_int_equal(s.cpu_limit, 500);
	assert_int_equal(s.throttled_ns, 777);
}

static int64_t memory_of(const char *groups, const char *path)
{
	struct cgroup_limits limits;
	struct text text = { 0 };
	int64_t memory;

	text_puts(&text, groups);
	cgroup_limits_find(&limits, &(struct cgroup_view){ .groups = &text,
							   .mount = mount,
							   .mounts = &mounts });
	memory = limits.memory;
	assert_string_equal(limits.path.bytes, path);
	cgroup_limits_release(&limits);
	text_release(&text);
	return memory;
}

static void memory_limits_of_both_versions_are_found(void **state)
{
	(void)state;
	assert_int_equal(memory_of("0::/pod/app\n", "/pod/app"), 4096000);
	assert_int_equal(memory_of("5:cpuset:/a\n4:memory:/b\n0::/\n", "/a"),
			 8192000);
	assert_int_equal(memory_of("4:memory:/\n", "/"), -1);
}

static void throttling_without_a_limit_is_absent(void **state)
{
	static const char *const groups[] = { "",
					      "0::/\n",
					      "4:cpu,cpuacct:/\n",
					      "4:cpuset:/a\n",
					      "no colons at all\n",
					      ":\n::\n:::\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		struct process_sample s = sample_of(groups[i]);

		assert_true(s.cpu_limit == COUNTER_ABSENT);
		assert_true(s.throttled_ns == COUNTER_ABSENT);
	}
}

static void limits_of_a_container_are_found_by_its_mounts(void **state)
{
	struct process_sample s = sample_of("4:cpu,cpuacct:/kubepods/x\n");

	(void)state;
	assert_int_equal(s.cpu_limit, 500);
	assert_int_equal(s.throttled_ns, 777);
	s = sample_of("0::/../x/pod/app\n");
	assert_int_equal(s.cpu_limit, 1500);
	assert_int_equal(s.throttled_ns, 2500000);
	assert_int_equal(memory_of("0::/../x/pod\n", "/../x/pod"), 4096000);
}

static void limits_of_groups_outside_of_all_mounts_are_unknown(void **state)
{
	static const char *const groups[] = {
		"4:cpu,cpuacct,memory:/kubepods/y\n",
		"4:cpu,cpuacct:/kubepods/xy\n",
		"0::/../y\n",
		"0::/other\n",
		"0::/../../x\n",
		"0::/pod/absent\n"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		struct process_sample s = sample_of(groups[i]);

		assert_int_equal(s.cpu_limit, CPU_LIMIT_UNKNOWN);
		assert_true(s.throttled_ns == COUNTER_ABSENT);
	}
	assert_int_equal(memory_of(groups[0], "/kubepods/y"), CGROUP_UNKNOWN);
}

static void idle_and_iowait_are_not_busy(void **state)
{
	static const char stat[] = "cpu  100 20 30 4000 50 6 7 8 9 10\n"
				   "cpu0 1 2 3 4 5 6 7 8 9 10\n";
	struct process_sample s;
	int64_t tick = 1000000000 / sysconf(_SC_CLK_TCK);

	(void)state;
	process_sample_clear(&s);
	assert_true(machine_load_parse(stat, strlen(stat), &s));
	/* Guest time (the last two values) is included in user and nice. */
	assert_int_equal(s.machine_busy_ns, (100 + 20 + 30 + 6 + 7 + 8) * tick);
	assert_int_equal(s.machine_idle_ns, 4050 * tick);
	process_sample_clear(&s);
	assert_false(machine_load_parse("cpu  1 2 3\n", 11, &s));
	assert_false(machine_load_parse("", 0, &s));
	assert_true(s.machine_busy_ns == COUNTER_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_of_a_parent_group_applies_version_2),
		cmocka_unit_test(limit_of_version_1_is_found_by_controller),
		cmocka_unit_test(memory_limits_of_both_versions_are_found),
		cmocka_unit_test(throttling_without_a_limit_is_absent),
		cmocka_unit_test(limits_of_a_container_are_found_by_its_mounts),
		cmocka_unit_test(
			limits_of_groups_outside_of_all_mounts_are_unknown),
		cmocka_unit_test(idle_and_iowait_are_not_busy),
	};

	return cmocka_run_group_tests(tests, make, drop);
}
