/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the weaver on small class files that the tests build, and on those of
 * javac in the fuzzer's corpus.
 */
#include "jvmti/agent/agent_class_file.c"
#include "jvmti/agent/agent_weave.c"
#include "jvmti/agent/agent_weave_code.c"

#include "tests/fuzz/weave_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { CAP = 1 << 20, METHODS = 64 };

static struct weaver weaver;
static struct check check;
static uint8_t in[CAP], out[CAP * 4];
static size_t in_len, out_len;
static struct weave_method methods[METHODS];
static struct checked_method found[METHODS];
static size_t count;

/* ---- a class file with one method m ---- */

struct shape {
	const char *name, *descriptor;
	unsigned access, locals, version;
	const uint8_t *code;
	size_t len;
	const uint8_t *frames; /* StackMapTable; NULL = none */
	size_t frames_len;
	unsigned constants; /* additional ones */
	bool has_code;
};

static void put_text(struct class_out *o, const char *text)
{
	class_put_u1(o, CLASS_UTF8);
	class_put_u2(o, (unsigned)strlen(text));
	class_put(o, text, strlen(text));
}

static void put_code(struct class_out *o, const struct shape *s)
{
	size_t attributes = s->frames ? 6 + s->frames_len : 0;

	class_put_u2(o, 5);
	class_put_u4(o, (uint32_t)(12 + s->len + attributes));
	class_put_u2(o, 2);
	class_put_u2(o, s->locals);
	class_put_u4(o, (uint32_t)s->len);
	class_put(o, s->code, s->len);
	class_put_u2(o, 0);
	class_put_u2(o, s->frames ? 1 : 0);
	if (s->frames) {
		class_put_u2(o, 6);
		class_put_u4(o, (uint32_t)s->frames_len);
		class_put(o, s->frames, s->frames_len);
	}
}

static void build(const struct shape *s)
{
	struct class_out o = { in, 0, CAP, false };

	class_put_u4(&o, CLASS_MAGIC);
	class_put_u4(&o, s->version ? s->version : 52);
	class_put_u2(&o, 7 + s->constants);
	put_text(&o, "C");
	class_put_u1(&o, CLASS_CLASS);
	class_put_u2(&o, 1);
	put_text(&o, s->name ? s->name : "m");
	put_text(&o, s->descriptor ? s->descriptor : "()V");
	put_text(&o, "Code");
	put_text(&o, "StackMapTable");
	for (unsigned i = 0; i < s->constants; i++)
		put_text(&o, "");
	class_put_u2(&o, 0);
	class_put_u2(&o, 2);
	class_put_u2(&o, 0);
	class_put_u2(&o, 0);
	class_put_u2(&o, 0);
	class_put_u2(&o, 1);
	class_put_u2(&o, s->access);
	class_put_u2(&o, 3);
	class_put_u2(&o, 4);
	class_put_u2(&o, s->has_code);
	if (s->has_code)
		put_code(&o, s);
	class_put_u2(&o, 0);
	assert_false(o.is_full);
	in_len = o.len;
}

static enum probe_refusal weave_built(const struct shape *s, uint8_t mode)
{
	methods[0] = (struct weave_method){
		.name = class_text_of(s->name ? s->name : "m"),
		.descriptor = class_text_of(s->descriptor ? s->descriptor
							  : "()V"),
		.id = 7,
		.mode = mode,
	};
	count = 1;
	return weave_class(&weaver, in, in_len, methods, 1, out, sizeof(out),
			   &out_len);
}

/* Weaves a method of this code, and finds its new code. */
static void weave_shape(const struct shape *s, uint8_t mode)
{
	build(s);
	assert_int_equal(weave_built(s, mode), PROBE_ARMED);
	assert_int_equal(methods[0].refusal, PROBE_ARMED);
	assert_true(check_class(&check, out, out_len, found, METHODS, &count));
	assert_int_equal(count, 1);
}

static enum probe_refusal refusal_of(const struct shape *s, uint8_t mode)
{
	build(s);
	assert_int_not_equal(weave_built(s, mode), PROBE_ARMED);
	return methods[0].refusal;
}

#define SHAPE(...)                                                             \
	.code = (const uint8_t[]){ __VA_ARGS__ },                              \
	.len = sizeof((const uint8_t[]){ __VA_ARGS__ }), .has_code = true

/* ---- the tests ---- */

static void counted_method_calls_the_helper_first(void **state)
{
	const struct shape s = { SHAPE(177), .access = CLASS_STATIC };
	const uint8_t begin[] = { 17, 0, 7, 184 };

	(void)state;
	weave_shape(&s, PROBE_COUNT);
	assert_int_equal(found[0].len, 7);
	assert_memory_equal(found[0].code, begin, sizeof(begin));
	assert_int_equal(found[0].code[6], 177);
}

static void timed_method_ends_with_a_handler(void **state)
{
	const struct shape s = { SHAPE(3, 172), .access = CLASS_STATIC,
				 .descriptor = "()I" };

	(void)state;
	weave_shape(&s, PROBE_TIME);
	/* invokestatic, lstore 0 | iconst_0, lload 0, sipush, call, ireturn */
	assert_int_equal(found[0].code[0], 184);
	assert_int_equal(found[0].code[3], 55);
	assert_int_equal(found[0].code[5], 3);
	assert_int_equal(found[0].code[6], 22);
	assert_int_equal(found[0].code[14], 172);
	assert_int_equal(found[0].code[15], 89);
	assert_int_equal(found[0].code[found[0].len - 1], 191);
}

static void handler_excludes_the_code_after_a_count(void **state)
{
	/* iload_0, ifeq +5, iconst_0, ireturn, iconst_1, ireturn */
	static const uint8_t frames[] = { 0, 1, 6 };
	const struct shape s = { SHAPE(26, 153, 0, 5, 3, 172, 4, 172),
				 .access = CLASS_STATIC,
				 .descriptor = "(I)I",
				 .locals = 1,
				 .frames = frames,
				 .frames_len = sizeof(frames) };

	(void)state;
	/*
	 * The entry has 9 bytes; the count at a return ends 8 bytes after its
	 * begin and precedes 25 bytes, which pass the argument, and the return.
	 */
	weave_shape(&s, PROBE_TIME | PROBE_ARGS);
	assert_int_equal(found[0].code[13], 3);
	assert_int_equal(found[0].code[14], 22);
	assert_int_equal(check.handlers, 2);
	assert_int_equal(check.handler[0].from, 9);
	assert_int_equal(check.handler[0].to, 22);
	assert_int_equal(found[0].code[check.handler[0].to], 55);
	assert_int_equal(found[0].code[check.handler[1].from - 1], 172);
	assert_int_equal(found[0].code[check.handler[1].from], 4);
	assert_int_equal(check.handler[1].to, check.handler[1].from + 9);
	assert_int_equal(check.handler[1].at, check.handler[0].at);
	/* Without arguments, only the return is left. */
	weave_shape(&s, PROBE_TIME);
	assert_int_equal(check.handlers, 2);
	assert_int_equal(found[0].code[check.handler[0].to], 172);
	assert_int_equal(check.handler[1].from, check.handler[0].to + 1);
}

static void constructor_has_no_handler(void **state)
{
	const struct shape s = { SHAPE(177), .name = "<init>", .locals = 1 };

	(void)state;
	weave_shape(&s, PROBE_TIME);
	assert_int_equal(found[0].code[found[0].len - 1], 177);
}

static void jump_to_a_return_reaches_the_call_before_it(void **state)
{
	/* iload_0, ifeq +4, nop, return */
	static const uint8_t frames[] = { 0, 1, 5 };
	const struct shape s = { SHAPE(26, 153, 0, 4, 0, 177),
				 .access = CLASS_STATIC,
				 .descriptor = "(I)V",
				 .locals = 1,
				 .frames = frames,
				 .frames_len = sizeof(frames) };

	(void)state;
	weave_shape(&s, PROBE_TIME);
	/* The entry code has 5 bytes: ifeq at 6, the call at 10. */
	assert_int_equal(found[0].code[6], 153);
	assert_int_equal(class_u2_at(found[0].code + 7), 4);
	assert_int_equal(found[0].code[10], 22);
}

static void jump_to_the_begin_skips_the_entry_code(void **state)
{
	static const uint8_t frames[] = { 0, 1, 0 };
	const struct shape s = { SHAPE(167, 0, 0), .access = CLASS_STATIC,
				 .frames = frames,
				 .frames_len = sizeof(frames) };

	(void)state;
	weave_shape(&s, PROBE_TIME);
	assert_int_equal(found[0].code[5], 167);
	assert_int_equal(class_u2_at(found[0].code + 6), 0);
}

static void switch_is_padded_for_its_new_position(void **state)
{
	/* iconst_0, tableswitch at 1: default and one case to 20: return */
	static const uint8_t frames[] = { 0, 1, 20 };
	const struct shape s = { SHAPE(3, 170, 0, 0, 0, 0, 0, 19, 0, 0, 0, 1, 0,
				       0, 0, 1, 0, 0, 0, 19, 177),
				 .access = CLASS_STATIC, .frames = frames,
				 .frames_len = sizeof(frames) };

	(void)state;
	/* Entry codes of 5 and of 6 bytes: both pads differ. */
	weave_shape(&s, PROBE_TIME);
	weave_shape(&s, PROBE_COUNT);
}

static void arguments_are_copied_behind_the_locals(void **state)
{
	const struct shape s = { SHAPE(177), .access = CLASS_STATIC,
				 .descriptor = "(IJ[Ljava/lang/String;D)V",
				 .locals = 6 };

	(void)state;
	weave_shape(&s, PROBE_TIME | PROBE_ARGS);
	/* lstore 6, then iload 0, istore 8, lload 1, lstore 9, aload 3, … */
	assert_int_equal(found[0].code[3], 55);
	assert_int_equal(found[0].code[5], 21);
	assert_int_equal(found[0].code[8], 8);
	assert_int_equal(found[0].code[12], 9);
	assert_int_equal(found[0].code[13], 25);
	assert_int_equal(found[0].code[16], 11);
}

static void traced_method_calls_its_probes_before_it_counts(void **state)
{
	const struct shape s = { SHAPE(177), .access = CLASS_STATIC };
	const struct shape init = { SHAPE(177), .name = "<init>", .locals = 1 };
	/* sipush 7, invokestatic entry, invokestatic enter, lstore 0 */
	const uint8_t begin[] = { 17, 0, 7, 184 };
	const uint8_t stores_begin[] = { 55, 0 }; /* lstore 0 */
	const uint8_t *code;

	(void)state;
	weave_shape(&s, PROBE_TIME | PROBE_TRACE);
	code = found[0].code;
	assert_memory_equal(code, begin, sizeof(begin));
	assert_int_equal(code[6], 184);
	assert_int_equal(class_u2_at(code + 4), weaver.trace_entry);
	assert_int_equal(class_u2_at(code + 7), weaver.enter);
	/*
	 * lload 0, sipush 7, invokestatic exit of the probe, lstore 0: the
	 * begin without the time of the probe; then the count.
	 */
	assert_int_equal(class_u2_at(code + 17), weaver.trace_exit);
	assert_memory_equal(code + 19, stores_begin, sizeof(stores_begin));
	assert_int_equal(class_u2_at(code + 27), weaver.exit);
	assert_int_equal(code[29], 177);
	assert_int_equal(class_u2_at(code + 36), weaver.trace_fail);
	assert_memory_equal(code + 38, stores_begin, sizeof(stores_begin));
	weave_shape(&s, PROBE_TIME | PROBE_TRACE | PROBE_ARGS);
	weave_shape(&init, PROBE_TIME | PROBE_TRACE);
	/* Without times there is no begin. */
	weave_shape(&s, PROBE_TRACE);
	assert_int_equal(found[0].len, 7);
}

static void methods_without_code_are_refused(void **state)
{
	const struct shape native = { .access = CLASS_NATIVE };
	const struct shape abstract = { .access = CLASS_ABSTRACT };
	const struct shape clinit = { SHAPE(177), .name = "<clinit>",
				      .access = CLASS_STATIC };
	struct shape other = { SHAPE(177), .name = "n" };

	(void)state;
	assert_int_equal(refusal_of(&native, PROBE_TIME), PROBE_IS_NATIVE);
	assert_int_equal(refusal_of(&abstract, PROBE_TIME), PROBE_IS_ABSTRACT);
	assert_int_equal(refusal_of(&clinit, PROBE_TIME), PROBE_IS_INITIALIZER);
	build(&other);
	other.name = "m";
	assert_int_equal(weave_built(&other, PROBE_TIME), PROBE_IS_MISSING);
}

static void code_that_grows_too_large_is_refused(void **state)
{
	static uint8_t code[65530];
	const struct shape full = { .code = code,
				    .len = sizeof(code),
				    .access = CLASS_STATIC,
				    .has_code = true };
	struct shape far = full;

	(void)state;
	code[sizeof(code) - 1] = 177;
	assert_int_equal(refusal_of(&full, PROBE_TIME), PROBE_CODE_TOO_LARGE);
	/* A jump over 32,766 bytes and some returns, which grow. */
	memset(code, 177, 64);
	code[0] = 3;
	code[1] = 153;
	code[2] = 0x7f;
	code[3] = 0xfe;
	far.len = 40000;
	code[39999] = 177;
	assert_int_equal(refusal_of(&far, PROBE_TIME), PROBE_CODE_TOO_LARGE);
}

/*
 * The JVM compiles code of at most 8,000 bytes.  Code that is longer already is
 * never compiled, so it may grow.
 */
static void code_that_the_jvm_would_no_longer_compile_is_refused(void **state)
{
	static uint8_t code[8100];
	struct shape s = { .code = code,
			   .access = CLASS_STATIC,
			   .has_code = true };
	size_t added, len;

	(void)state;
	weaver.code_limit = 8000;
	for (uint8_t mode = 0; mode < 8; mode++) {
		s.len = 1;
		code[0] = 177;
		weave_shape(&s, mode);
		added = found[0].len - 1;
		memset(code, 0, sizeof(code));
		for (len = 7900; len <= sizeof(code); len++) {
			bool crosses = len <= 8000 && len + added > 8000;

			s.len = len;
			code[len - 1] = 177;
			if (crosses)
				assert_int_equal(refusal_of(&s, mode),
						 PROBE_IS_HUGE);
			else
				weave_shape(&s, mode);
			code[len - 1] = 0;
		}
	}
	weaver.code_limit = 0;
	s.len = 7999;
	code[7998] = 177;
	weave_shape(&s, PROBE_TIME);
}

static void full_constant_pool_is_refused(void **state)
{
	const struct shape s = { SHAPE(177), .access = CLASS_STATIC,
				 .constants = 65535 - 7 - 5 };

	(void)state;
	assert_int_equal(refusal_of(&s, PROBE_TIME), PROBE_POOL_TOO_LARGE);
}

static void jump_between_instructions_is_refused(void **state)
{
	const struct shape s = { SHAPE(17, 0, 0, 87, 167, 0xff, 0xfd),
				 .access = CLASS_STATIC };

	(void)state;
	assert_int_equal(refusal_of(&s, PROBE_TIME), PROBE_CLASS_BAD);
}

static void methods_of_the_helper_are_refused(void **state)
{
	(void)state;
	assert_true(weave_is_used(class_text_of("java/lang/SjkcProbe"),
				  class_text_of("enter")));
	assert_true(weave_is_used(class_text_of("java/lang/Long"),
				  class_text_of("numberOfLeadingZeros")));
	assert_false(weave_is_used(class_text_of("java/lang/Long"),
				   class_text_of("toString")));
	assert_false(weave_is_used(class_text_of("java/lang/LongX"),
				   class_text_of("numberOfLeadingZeros")));
}

static const char *const corpus[] = { "java17", "java8", "interface",
				      "version49" };

static void read_corpus(const char *name)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/weave/%s.class", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	in_len = fread(in, 1, CAP, f);
	fclose(f);
	assert_true(check_class(&check, in, in_len, found, METHODS, &count));
	for (size_t i = 0; i < count; i++)
		methods[i] = (struct weave_method){
			.name = found[i].name,
			.descriptor = found[i].descriptor,
			.id = (uint16_t)i,
		};
}

static void classes_of_javac_stay_consistent(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(corpus) / sizeof(*corpus); k++) {
		for (uint8_t mode = 0; mode < 8; mode++) {
			size_t before, woven = 0;

			read_corpus(corpus[k]);
			before = count;
			for (size_t i = 0; i < count; i++)
				methods[i].mode = mode;
			assert_int_equal(weave_class(&weaver, in, in_len,
						     methods, count, out,
						     sizeof(out), &out_len),
					 PROBE_ARMED);
			for (size_t i = 0; i < count; i++)
				woven += methods[i].refusal == PROBE_ARMED;
			/* All but a native, an abstract method, <clinit>. */
			assert_in_range(woven, 1, before);
			assert_true(before - woven <= 2);
			assert_true(check_class(&check, out, out_len, found,
						METHODS, &count));
			assert_int_equal(count, before);
		}
	}
}

static void cut_class_is_refused_at_every_byte(void **state)
{
	size_t all;

	(void)state;
	read_corpus("java17");
	all = in_len;
	for (size_t len = 0; len < all; len++) {
		/* Exact memory, so that a sanitizer sees each byte beyond. */
		uint8_t *cut = malloc(len + 1);

		assert_non_null(cut);
		memcpy(cut, in, len);
		for (size_t i = 0; i < count; i++)
			methods[i].mode = PROBE_TIME;
		assert_int_not_equal(weave_class(&weaver, cut, len, methods,
						 count, out, sizeof(out),
						 &out_len),
				     PROBE_ARMED);
		free(cut);
	}
}

static void output_without_room_is_refused(void **state)
{
	(void)state;
	read_corpus("java17");
	for (size_t i = 0; i < count; i++)
		methods[i].mode = PROBE_TIME;
	assert_int_equal(weave_class(&weaver, in, in_len, methods, count, out,
				     in_len, &out_len),
			 PROBE_MEMORY_SHORT);
}

/* A refused method must not hide that a copy before it found no room. */
static void output_without_room_is_refused_whatever_follows(void **state)
{
	static uint8_t whole[sizeof(out)];
	size_t whole_len = 0, refused = 0;

	(void)state;
	read_corpus("java17");
	for (size_t i = 0; i < count; i++)
		methods[i].mode = PROBE_TIME;
	/* Refuses about half of the methods. */
	weaver.code_limit = 40;
	for (size_t cap = sizeof(out); cap;
	     cap = cap == sizeof(out) ? whole_len : cap - 1) {
		enum probe_refusal got = weave_class(&weaver, in, in_len,
						     methods, count, out, cap,
						     &out_len);

		if (cap == sizeof(out)) {
			assert_int_equal(got, PROBE_ARMED);
			for (size_t i = 0; i < count; i++)
				refused += methods[i].refusal == PROBE_IS_HUGE;
			whole_len = out_len;
			memcpy(whole, out, out_len);
		} else if (got == PROBE_ARMED) {
			assert_int_equal(out_len, whole_len);
			assert_memory_equal(out, whole, whole_len);
		} else {
			assert_int_equal(got, PROBE_MEMORY_SHORT);
		}
	}
	assert_in_range(refused, 1, count - 1);
	weaver.code_limit = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted_method_calls_the_helper_first),
		cmocka_unit_test(timed_method_ends_with_a_handler),
		cmocka_unit_test(handler_excludes_the_code_after_a_count),
		cmocka_unit_test(constructor_has_no_handler),
		cmocka_unit_test(jump_to_a_return_reaches_the_call_before_it),
		cmocka_unit_test(jump_to_the_begin_skips_the_entry_code),
		cmocka_unit_test(switch_is_padded_for_its_new_position),
		cmocka_unit_test(arguments_are_copied_behind_the_locals),
		cmocka_unit_test(
			traced_method_calls_its_probes_before_it_counts),
		cmocka_unit_test(methods_without_code_are_refused),
		cmocka_unit_test(code_that_grows_too_large_is_refused),
		cmocka_unit_test(
			code_that_the_jvm_would_no_longer_compile_is_refused),
		cmocka_unit_test(full_constant_pool_is_refused),
		cmocka_unit_test(jump_between_instructions_is_refused),
		cmocka_unit_test(methods_of_the_helper_are_refused),
		cmocka_unit_test(classes_of_javac_stay_consistent),
		cmocka_unit_test(cut_class_is_refused_at_every_byte),
		cmocka_unit_test(output_without_room_is_refused),
		cmocka_unit_test(
			output_without_room_is_refused_whatever_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
