/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttop --screen: prints the screen as text, for tests and documents.
 */
#include "cmd/ttop/ttop_session.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/base/saturate.h"
#include "render/top/keys.h"

struct print {
	struct ttop_session session;
	struct output out;
};

static void print_show(struct print *p)
{
	struct text text = { 0 };

	top_draw(&p->session.top, &p->session.screen);
	screen_text(&p->session.screen, &text);
	output_write(&p->out, text.bytes, text.len);
	text_release(&text);
}

/* Takes the next sample, after a wait unless replaying; false: stop. */
static bool print_tick(struct print *p)
{
	const struct ttop_options *o = p->session.o;
	int64_t due = clock_after(clock_monotonic_ns(),
				  p->session.top.interval_ns);
	unsigned why = o->is_replay || !p->session.samples ? TTOP_DUE : 0;

	while (!why)
		why = ttop_wait(o, due, -1, -1);
	return !(why & TTOP_STOP) && ttop_session_sample(&p->session) &&
	       !p->session.top.ended;
}

static void print_press(struct print *p, const struct key *key)
{
	switch (key->code) {
	case KEYS_TICK:
		print_tick(p);
		break;
	case KEYS_SHOW:
		print_show(p);
		break;
	case KEYS_SIZE:
		screen_resize(&p->session.screen, key->column, key->row);
		break;
	default:
		/* Mouse clicks need the positions of drawn lines. */
		top_draw(&p->session.top, &p->session.screen);
		top_key(&p->session.top, key);
	}
	ttop_session_run_actions(&p->session);
}

/* Presses the keys; ttop_screen_check() has validated the script. */
static void print_type(struct print *p, const char *script)
{
	struct key key;

	while (script && keys_next(&script, &key, error_unused()) == 0 &&
	       key.code != KEYS_NONE)
		print_press(p, &key);
}

int ttop_screen_check(const char *size, const char *keys, struct error *err)
{
	unsigned columns, rows;
	struct key key;

	if (size && keys_size(size, &columns, &rows, err))
		return fail_in(err, "option --screen");
	do {
		if (keys && keys_next(&keys, &key, err))
			return fail_in(err, "option --keys");
	} while (keys && key.code != KEYS_NONE);
	return 0;
}

/* Takes the samples for the wanted number of rates. */
static void print_take_samples(struct print *p)
{
	const struct ttop_options *o = p->session.o;
	uint64_t wanted = o->iterations ? saturate_add(o->iterations, 1)
			  : o->is_replay && !o->keys ? UINT64_MAX
						     : 2;

	while (p->session.samples < wanted && print_tick(p))
		;
}

int ttop_screen_print(const struct ttop_options *o, const char *size,
		      struct error *err)
{
	struct print p;
	unsigned columns, rows;
	int ret;

	if (keys_size(size, &columns, &rows, err))
		return -1;
	ttop_session_open(&p.session, o);
	screen_resize(&p.session.screen, columns, rows);
	ret = output_open(&p.out, "-", err);
	if (ret == 0) {
		print_take_samples(&p);
		ret = ttop_session_end(&p.session, err);
	}
	/* Remove the message about the end of the samples. */
	p.session.top.message[0] = '\0';
	/* Print a truncated recording as far as it goes. */
	if (p.session.samples && (ret == 0 || err->kind == ERROR_PARTIAL)) {
		print_type(&p, o->keys);
		print_show(&p);
		if (output_commit(&p.out, err))
			ret = -1;
	}
	output_close(&p.out);
	ttop_session_close(&p.session);
	return ret;
}
