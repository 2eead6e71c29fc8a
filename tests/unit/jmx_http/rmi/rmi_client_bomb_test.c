/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replies that are made to use much time or memory.  Each replaces every reply
 * of a session in turn.  The client is a child process with limited time and
 * memory.
 */
#include "core/base/input.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/jrmp.h"
#include "tests/fuzz/memory_server.h"
#include "tests/unit/sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The limits of a client, for a slow machine. */
#define CPU_S     10
#define MEMORY_KB (300L << 10)

/* Sanitizers are slow and need memory themselves. */
#define OF(count) ((count) / (IS_SANITIZED ? 64 : 1))

#define HEAD                                                                   \
	"Q\xac\xed\0\5w\17\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0" /* a value follows   \
							   */
#define THROWN "Q\xac\xed\0\5w\17\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static struct input in;
static size_t ends[32], count; /* positions after the session's returns */

static void add_bytes(struct text *t, const char *bytes, size_t len)
{
	text_add(t, bytes, len);
}

#define ADD(t, literal) add_bytes(t, literal, sizeof(literal) - 1)

/* A class descriptor without fields. */
static void add_class(struct text *t, const char *name, uint8_t flags)
{
	text_putc(t, 0x72);
	java_write_u16(t, (uint16_t)strlen(name));
	text_puts(t, name);
	java_write_u64(t, 1);
	text_putc(t, (char)flags);
	java_write_u16(t, 0);
	ADD(t, "\x78\x70");
}

static void add_reference(struct text *t, uint32_t handle)
{
	text_putc(t, 0x71);
	java_write_u32(t, 0x7e0000 + handle);
}

/*
 * An Object[] of len elements, which follow.  Its class is handle 0, the array
 * 1.
 */
static void add_objects(struct text *t, uint32_t len)
{
	text_putc(t, 0x75);
	add_class(t, "[Ljava.lang.Object;", 2);
	java_write_u32(t, len);
}

static void largest_array(struct text *t)
{
	ADD(t, HEAD);
	add_objects(t, INT32_MAX);
	for (int i = 0; i < 1000; i++)
		text_putc(t, 0x70);
}

static void negative_array(struct text *t)
{
	ADD(t, HEAD);
	add_objects(t, UINT32_MAX);
}

static void largest_bytes(struct text *t)
{
	ADD(t, HEAD "\x75");
	add_class(t, "[B", 2);
	java_write_u32(t, INT32_MAX);
	text_puts(t, "abc");
}

static void largest_string(struct text *t)
{
	ADD(t, HEAD "\x7c\x7f\xff\xff\xff\xff\xff\xff\xff");
	text_puts(t, "abc");
}

static void negative_string(struct text *t)
{
	ADD(t, HEAD "\x7c\xff\xff\xff\xff\xff\xff\xff\xff");
	text_puts(t, "abc");
}

/* A string of the maximum length that is no valid UTF-8. */
static void large_string(struct text *t)
{
	ADD(t, HEAD);
	text_putc(t, 0x7c);
	java_write_u64(t, OF(60 << 20));
	for (int i = 0; i < OF(60 << 20); i++)
		text_putc(t, (char)0x9b);
}

static void many_strings(struct text *t)
{
	ADD(t, HEAD);
	add_objects(t, OF(900000));
	for (uint32_t i = 0; i < OF(900000); i++) {
		text_putc(t, 0x74);
		java_write_u16(t, 12);
		text_printf(t, "%012u", i);
	}
}

static void many_nulls(struct text *t)
{
	ADD(t, HEAD);
	add_objects(t, OF(20 << 20));
	for (int i = 0; i < OF(20 << 20); i++)
		text_putc(t, 0x70);
}

static void many_bytes(struct text *t)
{
	ADD(t, HEAD "\x75");
	add_class(t, "[B", 2);
	java_write_u32(t, OF(60 << 20));
	for (int i = 0; i < OF(60 << 20); i++)
		text_putc(t, (char)i);
}

/* Nested arrays. */
static void deep_nest(struct text *t)
{
	ADD(t, HEAD);
	add_objects(t, 1);
	for (int i = 0; i < OF(1000000); i++) {
		text_putc(t, 0x75);
		add_reference(t, 0);
		java_write_u32(t, 1);
	}
	text_putc(t, 0x70);
}

/* Each array refers twice to the previous one: 2^200 leaves. */
static void shared(struct text *t, int levels, uint32_t width)
{
	ADD(t, HEAD);
	add_objects(t, (uint32_t)levels + 1);
	for (int i = 0; i < levels; i++) {
		text_putc(t, 0x75);
		add_reference(t, 0);
		java_write_u32(t, width);
		for (uint32_t e = 0; e < width; e++)
			if (i)
				add_reference(t, (uint32_t)i + 1);
			else
				text_putc(t, 0x70);
	}
	text_putc(t, 0x70);
}

static void doubled(struct text *t) { shared(t, 200, 2); }

static void thousandfold(struct text *t) { shared(t, 40, 1000); }

/* An array that contains itself. */
static void endless(struct text *t)
{
	ADD(t, HEAD);
	add_objects(t, OF(1000000));
	for (int i = 0; i < OF(1000000); i++)
		add_reference(t, 1);
}

/* Many references to a string of 1 MB. */
static void same_string(struct text *t)
{
	ADD(t, HEAD);
	add_objects(t, OF(1000000) + 1);
	text_putc(t, 0x7c);
	java_write_u64(t, 1 << 20);
	for (int i = 0; i < 1 << 20; i++)
		text_putc(t, '"');
	for (int i = 0; i < OF(1000000); i++)
		add_reference(t, 2);
}

/* A chain of classes, each with a number of fields. */
static void add_wide_class(struct text *t, const char *name, int supers,
			   uint16_t fields)
{
	for (int i = 0; i <= supers; i++) {
		text_putc(t, 0x72);
		java_write_u16(t, (uint16_t)strlen(name));
		text_puts(t, name);
		java_write_u64(t, 1);
		text_putc(t, 2);
		java_write_u16(t, fields);
		for (unsigned f = 0; f < fields; f++) {
			ADD(t, "B\0\5");
			text_printf(t, "%05u", f);
		}
		text_putc(t, 0x78);
	}
	text_putc(t, 0x70);
}

/*
 * Many references to one feature, whose class makes the lookup of a field slow.
 */
static void slow_features(struct text *t)
{
	static const char info[] = "javax.management.MBeanInfo";
	enum { SUPERS = 20, FIELDS = OF(40000), FEATURES = OF(1000000) };

	ADD(t, HEAD "\x73\x72");
	java_write_u16(t, sizeof(info) - 1);
	ADD(t, "javax.management.MBeanInfo");
	java_write_u64(t, 1);
	ADD(t, "\2\0\1[\0\12attributes\x74\0\3[LA\x78\x70");
	add_objects(t, FEATURES);
	text_putc(t, 0x73);
	add_wide_class(t, "Feature", SUPERS, FIELDS);
	for (int i = 0; i < (SUPERS + 1) * FIELDS; i++)
		text_putc(t, 0);
	/* Handles 0, 1: class and signature; 2: info; 3, 4: array. */
	for (int i = 1; i < FEATURES; i++)
		add_reference(t, 5 + SUPERS + 1);
}

/* Many references to such an object in a list. */
static void slow_objects(struct text *t)
{
	enum { SUPERS = 20, FIELDS = OF(40000), OBJECTS = OF(1000000) };

	ADD(t, HEAD);
	add_objects(t, OBJECTS);
	text_putc(t, 0x73);
	add_wide_class(t, "javax.management.Attribute", SUPERS, FIELDS);
	for (int i = 0; i < (SUPERS + 1) * FIELDS; i++)
		text_putc(t, 0);
	for (int i = 1; i < OBJECTS; i++)
		add_reference(t, 2 + SUPERS + 1);
}

/* An AttributeList of such objects, which are no Attributes. */
static void slow_list(struct text *t)
{
	enum { SUPERS = 20, FIELDS = OF(40000), OBJECTS = OF(1000000) };

	ADD(t, HEAD "\x73");
	add_class(t, "java.util.ArrayList", 3);
	java_write_block(t, 4);
	java_write_u32(t, OBJECTS);
	text_putc(t, 0x73);
	add_wide_class(t, "javax.management.Attribute", SUPERS, FIELDS);
	for (int i = 0; i < (SUPERS + 1) * FIELDS; i++)
		text_putc(t, 0);
	for (int i = 1; i < OBJECTS; i++)
		add_reference(t, 2 + SUPERS + 1);
	text_putc(t, 0x78);
}

/* Each object has another class. */
static void many_classes(struct text *t)
{
	ADD(t, HEAD);
	add_objects(t, OF(100000));
	for (int i = 0; i < OF(100000); i++) {
		char name[32];

		snprintf(name, sizeof(name), "some.package.Class%d", i);
		text_putc(t, 0x73);
		add_class(t, name, 2);
	}
}

/* A map that is its own key and value. */
static void map_of_itself(struct text *t)
{
	ADD(t, HEAD "\x73");
	add_class(t, "java.util.HashMap", 3);
	java_write_block(t, 8);
	java_write_u32(t, 16);
	java_write_u32(t, OF(1000000));
	for (int i = 0; i < OF(1000000); i++)
		add_reference(t, 1);
	text_putc(t, 0x78);
}

/* A Throwable with a long message that is its own cause. */
static void own_cause(struct text *t)
{
	ADD(t, THROWN "\x73\x72\0\23java.lang.Throwable");
	java_write_u64(t, 1);
	ADD(t, "\2\0\2L\0\5cause\x74\0\25Ljava/lang/Throwable;"
	       "L\0\15detailMessage\x74\0\22Ljava/lang/String;\x78\x70");
	add_reference(t, 3);
	text_putc(t, 0x7c);
	java_write_u64(t, 3 << 20);
	for (int i = 0; i < 3 << 20; i++)
		text_putc(t, '\x1b');
}

/* Only resets, no values. */
static void resets(struct text *t)
{
	ADD(t, HEAD);
	for (int i = 0; i < OF(4 << 20); i++)
		text_putc(t, 0x79);
}

static void blocks(struct text *t)
{
	ADD(t, HEAD);
	for (int i = 0; i < OF(20 << 20); i++)
		ADD(t, "w\0");
}

static void proxy_of_all(struct text *t)
{
	ADD(t, HEAD "\x73\x7d\0\0\xff\xff");
	for (int i = 0; i < 65535; i++)
		ADD(t, "\0\5a.b.C");
	ADD(t, "\x78\x70");
}

/* Converting a decimal to text takes time quadratic in its digits. */
static void slow_number(struct text *t)
{
	enum { DIGITS = 8 << 20 };

	ADD(t, HEAD "\x73\x72\0\24java.math.BigInteger");
	java_write_u64(t, 1);
	ADD(t, "\3\0\2I\0\6signum[\0\11magnitude\x74\0\2[B\x78\x70");
	java_write_u32(t, 1);
	text_putc(t, 0x75);
	add_class(t, "[B", 2);
	java_write_u32(t, DIGITS);
	for (int i = 0; i < DIGITS; i++)
		text_putc(t, (char)0xff);
	text_putc(t, 0x78);
}

typedef void bomb_fn(struct text *t);

/* clang-format off */
static const struct {
	const char *name;
	bomb_fn *add;
} bombs[] = {
	{ "the largest array", largest_array },
	{ "a negative array", negative_array },
	{ "the largest array of bytes", largest_bytes },
	{ "the largest string", largest_string },
	{ "a negative string", negative_string },
	{ "a large string", large_string },
	{ "many strings", many_strings },
	{ "many nulls", many_nulls },
	{ "many bytes", many_bytes },
	{ "a deep nest", deep_nest },
	{ "arrays said twice", doubled },
	{ "arrays said a thousand times", thousandfold },
	{ "an array within itself", endless },
	{ "a string said a million times", same_string },
	{ "features with slow field lookups", slow_features },
	{ "objects with slow field lookups", slow_objects },
	{ "attributes with slow field lookups", slow_list },
	{ "many classes", many_classes },
	{ "a map of itself", map_of_itself },
	{ "its own cause", own_cause },
	{ "resets", resets },
	{ "blocks", blocks },
	{ "a proxy of many interfaces", proxy_of_all },
	{ "a number of many digits", slow_number },
};
/* clang-format on */

/* Returns a value of /proc/self/status in KiB. */
static long status_kb(const char *name)
{
	char status[4096], *at;
	FILE *f = fopen("/proc/self/status", "re");
	size_t len = fread(status, 1, sizeof(status) - 1, f);

	fclose(f);
	status[len] = '\0';
	at = strstr(status, name);
	return at ? strtol(at + strlen(name), NULL, 10) : 0;
}

/* Resets the peak of the memory use. */
static void forget_peak(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "we");

	fputs("5", f);
	fclose(f);
}

/*
 * Runs a client with the session that has the bomb; returns its peak memory in
 * KiB.
 */
static long converse(const struct text *bytes)
{
	struct memory_server server = {
		.connections[0] = { (const uint8_t *)bytes->bytes, bytes->len },
		.count = 1,
		.is_unseen = true,
	};
	struct memory_talk talk;
	long before_kb;

	forget_peak();
	before_kb = status_kb("VmRSS:");
	talk = memory_talk_to(&server);
	if (talk.replies < MEMORY_REQUESTS && !talk.err.kind)
		abort();
	return status_kb("VmHWM:") - before_kb;
}

/*
 * Runs a client in a child process, which exits with 2 if it exceeded a limit.
 */
static _Noreturn void attend(const struct text *bytes, const char *name,
			     size_t place)
{
	struct rlimit limit = { CPU_S, CPU_S + 1 };
	struct rusage used;
	long memory_kb;

	setrlimit(RLIMIT_CPU, &limit);
	memory_kb = converse(bytes);
	getrusage(RUSAGE_SELF, &used);
	if (getenv("BOMBS"))
		fprintf(stderr, "# %s, in place of %zu: %.2f s, %ld MB\n", name,
			place,
			(double)used.ru_utime.tv_sec +
				(double)used.ru_utime.tv_usec / 1e6,
			memory_kb / 1024);
	_exit(memory_kb > MEMORY_KB ? 2 : 0);
}

static void detonate(bomb_fn *add, const char *name, size_t place)
{
	struct text bytes = { 0 };
	int status;
	pid_t child;

	text_add(&bytes, in.bytes, ends[place]);
	add(&bytes);
	text_add(&bytes, (const char *)in.bytes + ends[place + 1],
		 in.len - ends[place + 1]);
	child = fork();
	if (child == 0)
		attend(&bytes, name, place);
	assert_int_equal(waitpid(child, &status, 0), child);
	text_release(&bytes);
	if (getenv("BOMBS"))
		return;
	if (!WIFEXITED(status))
		fail_msg("%s, in place of answer %zu: signal %d", name, place,
			 WTERMSIG(status));
	if (WEXITSTATUS(status) && !IS_SANITIZED)
		fail_msg("%s, in place of answer %zu: more than %ld MB", name,
			 place, MEMORY_KB / 1024);
}

static void expensive_replies_stay_within_limits(void **state)
{
	/* The places of a session, an MBeanInfo, and attributes. */
	static const size_t places[] = { 2, 6, 7 };
	const char *one = getenv("BOMB");

	(void)state;
	assert_true(places[2] < count);
	for (size_t i = 0; i < sizeof(bombs) / sizeof(*bombs); i++)
		for (size_t p = 0; p < sizeof(places) / sizeof(*places); p++)
			if (!one || strstr(bombs[i].name, one))
				detonate(bombs[i].add, bombs[i].name,
					 places[p]);
}

static int split(void **state)
{
	struct jrmp_greeting greeting;
	struct error err;
	size_t at;

	(void)state;
	if (input_open(&in, "tests/data/rmi/session17.s2c", &err) ||
	    input_complete(&in, &err) ||
	    jrmp_read_answer(in.bytes, in.len, &greeting) != JRMP_GREETED)
		return -1;
	at = ends[0] = greeting.len;
	while (at < in.len) {
		struct jrmp_return r = { 0 };
		size_t used;

		if (((const char *)in.bytes)[at] == JRMP_PING_ACK) {
			ends[count] = ++at;
			continue;
		}
		if (jrmp_return_read(&r, (const char *)in.bytes + at,
				     in.len - at, &used) != JAVA_DONE) {
			jrmp_return_release(&r);
			r = (struct jrmp_return){ .is_void = true };
			if (jrmp_return_read(&r, (const char *)in.bytes + at,
					     in.len - at, &used) != JAVA_DONE)
				return -1;
		}
		jrmp_return_release(&r);
		at += used;
		ends[++count] = at;
	}
	return 0;
}

static int release(void **state)
{
	(void)state;
	input_close(&in);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expensive_replies_stay_within_limits),
	};

	return cmocka_run_group_tests(tests, split, release);
}
