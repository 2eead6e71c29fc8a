/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/kernel_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Returns names that a program might have, in two flavours. */
static struct btf *programs(void)
{
	struct btf *b = btf__new_empty();
	int number = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	int pointer = btf__add_ptr(b, 0);

	btf__add_struct(b, "task_struct", 16);
	btf__add_field(b, "pid", number, 0, 0);
	btf__add_field(b, "thread_pid", pointer, 64, 0);
	btf__add_struct(b, "task_struct___before", 4);
	btf__add_field(b, "tgid", number, 0, 0);
	btf__add_struct(b, "of_the_program_alone", 4);
	btf__add_field(b, "tgid", number, 0, 0);
	btf__add_enum(b, "color___new", 4);
	btf__add_enum_value(b, "GREEN___new", 1);
	return b;
}

/* Returns a kernel of a few types, with a member in an anonymous union. */
static struct btf *kernel(void)
{
	struct btf *b = btf__new_empty();
	int number = btf__add_int(b, "int", 4, BTF_INT_SIGNED); /* 1 */

	btf__add_typedef(b, "pid_t", number); /* 2 */
	btf__add_const(b, 2);                 /* 3 */
	btf__add_ptr(b, 0);                   /* 4 */
	btf__add_union(b, NULL, 8);           /* 5 */
	btf__add_field(b, "tgid", 3, 0, 0);
	btf__add_field(b, "other", 4, 0, 0);
	btf__add_array(b, number, 4, 3); /* 6 */
	btf__add_struct(b, "huge", 400); /* 7 */
	btf__add_field(b, "tgid", number, 0, 0);
	btf__add_struct(b, "task_struct", 500); /* 8 */
	btf__add_field(b, "unnamed", number, 0, 0);
	btf__add_field(b, "pid", 2, 32, 0);
	btf__add_field(b, NULL, 5, 64, 0);
	btf__add_field(b, "thread_pid", 6, 128, 0);
	btf__add_field(b, "flag", number, 352, 3);
	btf__add_enum(b, "color", 4); /* 9 */
	btf__add_enum_value(b, "RED", 0);
	btf__add_enum_value(b, "GREEN", 7);
	btf__add_func_proto(b, 1); /* 10 */
	btf__add_func_param(b, "a", 1);
	btf__add_func(b, "f", BTF_FUNC_STATIC, 10); /* 11 */
	return b;
}

static const struct btf_type *find(const struct btf *b, const char *name)
{
	int id = btf__find_by_name(b, name);

	if (id < 0)
		fail_msg("no %s", name);
	return btf__type_by_id(b, (uint32_t)id);
}

/* Returns the offset of a member in bits, also in anonymous members, or -1. */
static long place_of(const struct btf *b, const struct btf_type *t,
		     const char *name)
{
	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *its = btf__name_by_offset(b, m->name_off);
		long at = (long)btf_member_bit_offset(t, i), inner;

		if (strcmp(its, name) == 0)
			return at;
		if (*its)
			continue;
		inner = place_of(b, btf__type_by_id(b, m->type), name);
		if (inner >= 0)
			return at + inner;
	}
	return -1;
}

static void named_types_and_members_are_kept_with_their_offsets(void **state)
{
	struct btf *all = kernel(), *ours = programs(), *chosen;
	const struct btf_type *task, *color;
	__u32 len;
	const void *bytes = btf__raw_data(all, &len);

	(void)state;
	chosen = kernel_types_of(bytes, len, ours);
	assert_non_null(chosen);
	task = find(chosen, "task_struct");
	assert_int_equal(task->size, 500);
	assert_int_equal(place_of(chosen, task, "pid"), 32);
	assert_int_equal(place_of(chosen, task, "tgid"), 64);
	assert_int_equal(place_of(chosen, task, "thread_pid"), 128);
	assert_int_equal(place_of(chosen, task, "unnamed"), -1);
	assert_int_equal(place_of(chosen, task, "other"), -1);
	color = find(chosen, "color");
	assert_int_equal(btf_vlen(color), 1);
	assert_int_equal(btf_enum(color)->val, 7);
	assert_true(btf__find_by_name(chosen, "huge") < 0);
	assert_true(btf__find_by_name(chosen, "f") < 0);
	/* The bytes as libbpf reads them from a file. */
	bytes = btf__raw_data(chosen, &len);
	btf__free(all);
	all = btf__new(bytes, len);
	assert_int_equal(btf__type_cnt(all), btf__type_cnt(chosen));
	btf__free(all);
	btf__free(chosen);
	btf__free(ours);
}

static void damaged_btf_is_rejected_or_has_types(void **state)
{
	struct btf *all = kernel(), *ours = programs();
	__u32 len;
	const void *bytes = btf__raw_data(all, &len);

	(void)state;
	for (size_t cut = 0; cut < len; cut++) {
		/*
		 * A copy of exact size, so that a read beyond its end is
		 * noticed.
		 */
		uint8_t *copy = malloc(cut ? cut : 1);

		memcpy(copy, bytes, cut);
		assert_null(kernel_types_of(copy, cut, ours));
		free(copy);
	}
	for (size_t bit = 0; bit < len * 8; bit++) {
		uint8_t *copy = malloc(len);

		memcpy(copy, bytes, len);
		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		btf__free(kernel_types_of(copy, len, ours));
		free(copy);
	}
	btf__free(all);
	btf__free(ours);
}

static void offsets_of_this_kernel_match_libbpf(void **state)
{
	static const char *const names[] = { "pid", "tgid", "thread_pid" };
	struct btf *all = btf__load_vmlinux_btf(), *ours = programs(), *chosen;
	FILE *file = tmpfile();
	const struct btf_type *task;
	char path[32];

	(void)state;
	if (!all) {
		btf__free(ours);
		fclose(file);
		skip();
	}
	assert_int_equal(kernel_types_write(fileno(file), ours), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	chosen = btf__parse(path, NULL);
	assert_non_null(chosen);
	/* The programs name few types. */
	assert_in_range(btf__type_cnt(chosen), 3, 300);
	task = find(chosen, "task_struct");
	assert_int_equal(task->size, find(all, "task_struct")->size);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		long at = place_of(chosen, task, names[i]);

		assert_true(at > 0);
		assert_int_equal(
			at, place_of(all, find(all, "task_struct"), names[i]));
	}
	btf__free(chosen);
	btf__free(all);
	btf__free(ours);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			named_types_and_members_are_kept_with_their_offsets),
		cmocka_unit_test(damaged_btf_is_rejected_or_has_types),
		cmocka_unit_test(offsets_of_this_kernel_match_libbpf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
