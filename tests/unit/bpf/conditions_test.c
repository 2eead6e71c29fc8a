/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/conditions.h"

#include "bpf/ticks.h"

#include <linux/capability.h>
#include <stdarg.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static const struct bpf_facts good = {
	.release = "6.18.44-amd64",
	.lockdown = "none",
	.has_btf = true,
	.in_first_user_ns = true,
	.shows_symbols = true,
	.capabilities = UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_PERFMON,
	.paranoid = 3,
	.has_perf_events = true,
	.perf = BPF_PERF_OPENED,
	.locked_bytes = 8 << 20,
};

/* Returns the first condition that fails; its name is "" if none does. */
static struct condition first_bad(const struct bpf_facts *f)
{
	struct condition list[BPF_CONDITIONS_MAX];
	size_t count = bpf_conditions(f, list);

	for (size_t i = 0; i < count; i++) {
		assert_true(list[i].detail[0]);
		if (list[i].state == CONDITION_FAILS) {
			assert_true(list[i].remedy[0]);
			return list[i];
		}
	}
	return (struct condition){ .name = "" };
}

static void is_bad(const struct bpf_facts *f, const char *name,
		   enum error_kind kind)
{
	struct condition c = first_bad(f);

	assert_string_equal(c.name, name);
	assert_int_equal(c.kind, kind);
}

static void complete_facts_fail_no_condition(void **state)
{
	struct bpf_facts f = good;

	(void)state;
	assert_string_equal(first_bad(&f).name, "");
	f.capabilities = UINT64_C(1) << CAP_SYS_ADMIN;
	assert_string_equal(first_bad(&f).name, "");
	snprintf(f.lockdown, sizeof(f.lockdown), "integrity");
	assert_string_equal(first_bad(&f).name, "");
}

static void missing_fact_fails_its_condition(void **state)
{
	struct bpf_facts f = good;

	(void)state;
	snprintf(f.release, sizeof(f.release), "4.18.0-348.el8");
	is_bad(&f, "kernel", ERROR_UNAVAILABLE);
	f = good, f.in_first_user_ns = false;
	is_bad(&f, "user namespace", ERROR_PERMISSION);
	f = good, f.capabilities = 0;
	is_bad(&f, "BPF rights", ERROR_PERMISSION);
	f = good, f.seccomp = 2, f.bpf_is_eperm = true;
	is_bad(&f, "seccomp", ERROR_PERMISSION);
	f.bpf_is_eperm = false, f.filters_perf = true;
	is_bad(&f, "seccomp", ERROR_PERMISSION);
	f = good;
	snprintf(f.lockdown, sizeof(f.lockdown), "confidentiality");
	is_bad(&f, "lockdown", ERROR_UNAVAILABLE);
	f = good, f.has_btf = false;
	is_bad(&f, "BTF", ERROR_UNAVAILABLE);
	f = good, f.has_perf_events = false;
	is_bad(&f, "perf events", ERROR_UNAVAILABLE);
	f = good, f.perf = BPF_PERF_REFUSED;
	is_bad(&f, "perf rights", ERROR_PERMISSION);
	f = good, f.shows_symbols = false;
	is_bad(&f, "", ERROR_NONE);
	snprintf(f.release, sizeof(f.release), "5.13.19");
	is_bad(&f, "kernel symbols", ERROR_NONE);
}

static struct condition named(const struct bpf_facts *f, const char *name)
{
	struct condition list[BPF_CONDITIONS_MAX];
	size_t count = bpf_conditions(f, list);

	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, name) == 0)
			return list[i];
	fail_msg("no %s", name);
	return (struct condition){ 0 };
}

static void remedy_helps_in_this_situation(void **state)
{
	struct bpf_facts f = good;
	struct condition c;

	(void)state;
	f.perf = BPF_PERF_REFUSED;
	assert_non_null(strstr(named(&f, "perf rights").remedy, "paranoid"));
	/*
	 * The setting is 2 already, or the setting alone would not be enough.
	 */
	f.paranoid = 2;
	assert_null(strstr(named(&f, "perf rights").remedy, "paranoid"));
	f.paranoid = 3, f.capabilities = UINT64_C(1) << CAP_BPF;
	c = named(&f, "perf rights");
	assert_null(strstr(c.remedy, "paranoid"));
	assert_non_null(strstr(c.remedy, "CAP_PERFMON"));
	assert_non_null(strstr(c.detail, "which requires CAP_PERFMON"));
}

static void untried_condition_is_unknown(void **state)
{
	struct bpf_facts f = good;
	struct condition c;

	(void)state;
	f.perf = BPF_PERF_UNKNOWN, f.seccomp = 2, f.filters_perf = true;
	c = named(&f, "perf rights");
	assert_int_equal(c.state, CONDITION_UNKNOWN);
	assert_null(strstr(c.detail, "allows"));
	assert_string_equal(c.remedy, "");
	is_bad(&f, "seccomp", ERROR_PERMISSION);
	f.filters_perf = f.has_perf_events = false;
	assert_int_equal(named(&f, "perf rights").state, CONDITION_UNKNOWN);
	is_bad(&f, "perf events", ERROR_UNAVAILABLE);
}

/* Before Linux 6.0, the kernel itself returns the same error without rights. */
static void filter_is_detected_with_capabilities(void **state)
{
	struct bpf_facts f = good;

	(void)state;
	f.seccomp = 2, f.bpf_is_eperm = true;
	assert_int_equal(named(&f, "seccomp").state, CONDITION_FAILS);
	f.capabilities = UINT64_C(1) << CAP_SYS_ADMIN;
	assert_int_equal(named(&f, "seccomp").state, CONDITION_FAILS);
	f.in_first_user_ns = false;
	assert_int_equal(named(&f, "seccomp").state, CONDITION_UNKNOWN);
	f = good, f.seccomp = 2, f.bpf_is_eperm = true;
	f.capabilities = UINT64_C(1) << CAP_PERFMON;
	assert_int_equal(named(&f, "seccomp").state, CONDITION_UNKNOWN);
	is_bad(&f, "BPF rights", ERROR_PERMISSION);
}

static void one_of_two_capabilities_is_not_enough(void **state)
{
	struct bpf_facts f = good;

	(void)state;
	f.capabilities = UINT64_C(1) << CAP_BPF;
	assert_non_null(strstr(first_bad(&f).detail, "CAP_PERFMON"));
	assert_null(strstr(first_bad(&f).detail, "CAP_BPF"));
	f.capabilities = UINT64_C(1) << CAP_PERFMON;
	assert_non_null(strstr(first_bad(&f).detail, "CAP_BPF"));
}

static void kernel_releases_compare_by_number(void **state)
{
	static const struct {
		const char *release;
		bool is_old;
	} cases[] = {
		{ "5.7.19", true },      { "5.8.0", false }, { "5.10", false },
		{ "4.19.0", true },      { "6.1.0", false }, { "10.0", false },
		{ "3.10.0-1160", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bpf_facts f = good;

		f.locked_bytes = ~UINT64_C(0);
		snprintf(f.release, sizeof(f.release), "%s", cases[i].release);
		assert_string_equal(first_bad(&f).name,
				    cases[i].is_old ? "kernel" : "");
	}
}

static void only_old_kernels_charge_maps_to_locked_memory(void **state)
{
	struct bpf_facts f = good;

	(void)state;
	f.locked_bytes = 64 << 10;
	assert_string_equal(first_bad(&f).name, "");
	snprintf(f.release, sizeof(f.release), "5.10.0");
	is_bad(&f, "locked memory", ERROR_PERMISSION);
	f.capabilities |= UINT64_C(1) << CAP_SYS_RESOURCE;
	assert_string_equal(first_bad(&f).name, "");
}

static void hidden_addresses_are_distinguished_from_zeros(void **state)
{
	(void)state;
	assert_true(bpf_symbols_are_shown("ffffffff81000000 T _stext\n"));
	/* Linux 5.10, 6.1 and 6.12. */
	assert_true(
		bpf_symbols_are_shown("0000000000000000 A fixed_percpu_data\n"
				      "0000000000000000 A __per_cpu_start\n"
				      "0000000000001000 A cpu_debug_store\n"));
	assert_false(
		bpf_symbols_are_shown("0000000000000000 A fixed_percpu_data\n"
				      "0000000000000000 A __per_cpu_start\n"
				      "0000000000000000 A cpu_debug_store\n"));
	assert_false(bpf_symbols_are_shown("0000000000000000 T _stext"));
	assert_false(bpf_symbols_are_shown("\n\n"));
	assert_false(bpf_symbols_are_shown(""));
}

static void cpu_list_is_parsed(void **state)
{
	(void)state;
	assert_true(ticks_list_has("0\n", 0));
	assert_false(ticks_list_has("0\n", 1));
	assert_true(ticks_list_has("0-3,5,8-9\n", 0));
	assert_true(ticks_list_has("0-3,5,8-9\n", 3));
	assert_false(ticks_list_has("0-3,5,8-9\n", 4));
	assert_true(ticks_list_has("0-3,5,8-9\n", 5));
	assert_true(ticks_list_has("0-3,5,8-9\n", 9));
	assert_false(ticks_list_has("0-3,5,8-9\n", 10));
	assert_false(ticks_list_has("", 0));
	assert_false(ticks_list_has("\n", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_facts_fail_no_condition),
		cmocka_unit_test(missing_fact_fails_its_condition),
		cmocka_unit_test(remedy_helps_in_this_situation),
		cmocka_unit_test(untried_condition_is_unknown),
		cmocka_unit_test(filter_is_detected_with_capabilities),
		cmocka_unit_test(one_of_two_capabilities_is_not_enough),
		cmocka_unit_test(kernel_releases_compare_by_number),
		cmocka_unit_test(only_old_kernels_charge_maps_to_locked_memory),
		cmocka_unit_test(hidden_addresses_are_distinguished_from_zeros),
		cmocka_unit_test(cpu_list_is_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
