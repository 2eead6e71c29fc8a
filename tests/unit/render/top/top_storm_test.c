/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the screen with random keys, sizes and threads. */
#include "core/threads/thread_rates.h"
#include "render/top/top.h"
#include "tests/unit/sanitizers.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

enum { THREADS = 60, STEPS = IS_SANITIZED ? 1500 : 6000 };

/* A fixed seed: the test is the same on every machine. */
static uint64_t state = 88172645463325252u;

static unsigned below(unsigned limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % limit);
}

static const char *const names[] = {
	"main",
	"pool-1-thread-%u",
	"",
	"\x1b[31m%u\xc2\x9b",
	"\xe6\xbc\xa2\xe5\xad\x97-%u",
	"e\xcc\x81\xcc\x81\xcc\x81 %u",
	"\xff\xc0\x80 %u",
	"request-0f8fad5b-d9cb-469f-a165-70867728950e",
	"a name that is longer than any column of a screen is going to be %u",
};

enum { NAMES = sizeof(names) / sizeof(*names) };

static char text_of[THREADS][128];
static struct thread_sample threads[THREADS];

static int64_t some(int64_t limit)
{
	return below(4) ? (int64_t)below((unsigned)limit) : COUNTER_ABSENT;
}

static void make_thread(struct thread_sample *t, char *name)
{
	unsigned n = below(30);

	snprintf(name, 128, names[below(NAMES)], n);
	*t = (struct thread_sample){
		.tid = (pid_t)below(200),
		.java_id = below(200),
		.virtual_id = below(5) ? 0 : 1,
		.start = below(3),
		.name = name,
		.kind = (enum thread_kind)below(THREAD_NATIVE + 1),
		.state = (enum thread_run_state)below(RUN_STOPPED + 1),
		.state_is_old = below(2),
		.alloc_is_coarse = below(2),
	};
	for (size_t c = 0; c < THREAD_COUNTERS; c++)
		t->counters[c] = some(2000000000);
}

static void make_sample(struct top_sample *s)
{
	static int64_t now;

	now += 1 + below(2000000000);
	*s = (struct top_sample){ .monotonic_ns = now, .threads = threads };
	s->thread_count = below(THREADS + 1);
	for (size_t i = 0; i < s->thread_count; i++)
		make_thread(&threads[i], text_of[i]);
	s->process = (struct process_sample){
		.cpu_ns = some(1 << 30),
		.user_ns = some(1 << 30),
		.sys_ns = some(1 << 30),
		.safepoints = some(1000),
		.safepoint_ns = some(1 << 30),
		.sync_ns = some(1 << 30),
		.heap_used = some(1 << 30),
		.gc_count = below(GC_COLLECTORS_MAX + 1),
		.cpus = 2,
	};
	s->note_count = below(SOURCE_NOTES_MAX + 1);
	for (size_t i = 0; i < s->note_count; i++) {
		s->notes[i].figure = "figure";
		s->notes[i].is_absent = below(2);
		memset(s->notes[i].text, 'x', below(150));
	}
}

/* Checks that the cells of each row have the width of the screen. */
static void assert_whole(const struct screen *s)
{
	for (unsigned row = 0; row < s->rows; row++) {
		unsigned wide = 0;

		for (unsigned column = 0; column < s->columns; column++) {
			const struct screen_cell *c = screen_cell(s, row,
								  column);
			wchar_t first = 0;

			if (!c->len) {
				assert_int_equal(wide, 1);
				wide = 0;
				continue;
			}
			assert_int_equal(wide, 0);
			assert_true(c->len <= CELL_BYTES);
			assert_true(mbtowc(&first, c->bytes, c->len) > 0);
			assert_true(first >= 0x20 && first != 0x7f &&
				    !(first >= 0x80 && first < 0xa0));
			wide = first != 0xfffd && wcwidth(first) == 2;
		}
		assert_int_equal(wide, 0);
	}
}

static struct key some_key(const struct screen *s)
{
	static const uint32_t codes[] = {
		KEYS_ENTER,    KEYS_ESCAPE,       KEYS_BACKSPACE,
		KEYS_UP,       KEYS_DOWN,         KEYS_LEFT,
		KEYS_RIGHT,    KEYS_PAGE_UP,      KEYS_PAGE_DOWN,
		KEYS_HOME,     KEYS_END,          KEYS_CLICK,
		KEYS_WHEEL_UP, KEYS_WHEEL_DOWN,   KEYS_F1,
		0x6f22,        KEYS_CONTROL('U'),
	};
	struct key key = { .row = below(s->rows + 2),
			   .column = below(s->columns + 2) };

	key.code = below(2) ? codes[below(sizeof(codes) / sizeof(*codes))]
			    : ' ' + below(95);
	return key;
}

static void run_errands(struct top *t)
{
	static const char trace[] = "\"a\"\n\tat b.C.d(C.java:1)\n\n"
				    "- locked <0x1>\n\x1b[2J\r\n";
	struct text text = { 0 };

	text_add(&text, trace, below(sizeof(trace)));
	if (t->actions & TOP_ACTION_STACK)
		top_set_page(t, PAGE_STACK, &text, below(1000));
	if (t->actions & TOP_ACTION_DEADLOCKS)
		top_set_page(t, PAGE_DEADLOCKS, &text, below(1000));
	top_take_actions(t);
	text_release(&text);
}

static void storm(bool ascii)
{
	struct thread_rates *rates = thread_rates_new();
	struct screen s = { .ascii = ascii };
	struct top_order order = { 0 };
	struct top_sample sample;
	struct error err;
	struct top t;

	assert_int_equal(top_order_parse("CPU,-NAME", &order, &err), 0);
	top_init(&t, &order);
	t.title = "4711 \x1b]0;x\x07";
	t.source = "hand-made";
	screen_resize(&s, 80, 24);
	for (unsigned step = 0; step < STEPS; step++) {
		struct key key = some_key(&s);

		if (below(8) == 0) {
			make_sample(&sample);
			top_update(&t, &sample,
				   thread_rates_update(rates, &sample));
		}
		if (below(20) == 0)
			screen_resize(&s, below(250), below(70));
		top_key(&t, &key);
		run_errands(&t);
		top_draw(&t, &s);
		if (step % 16 == 0)
			assert_whole(&s);
		assert_true(t.line_count == 0 || t.chosen < t.line_count);
	}
	top_release(&t);
	screen_release(&s);
	thread_rates_free(rates);
}

static void random_keys_and_sizes_keep_the_screen_consistent(void **unused)
{
	(void)unused;
	storm(false);
}

static void random_keys_keep_an_ascii_screen_consistent(void **unused)
{
	(void)unused;
	storm(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			random_keys_and_sizes_keep_the_screen_consistent),
		cmocka_unit_test(random_keys_keep_an_ascii_screen_consistent),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
