/* SPDX-License-Identifier: Apache-2.0 */
/* mx --notifications: prints notifications as they arrive. */
#include "cmd/jmx/mx.h"

#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <string.h>

/* How often to check for signals and for a closed standard output. */
#define SLICE_NS (1 * CLOCK_NS_PER_S)

static const char lost_type[] = "sjkc.lost"; /* jmx_fetch() */

struct listening {
	struct mx *mx;
	struct text text;
	bool has_lost;
	int64_t lost; /* at least this many notifications; 0: unknown */
};

static void notification_put_time(struct text *out, int64_t time_ms)
{
	const struct value time = { .kind = VALUE_DATE,
				    .type = "java.util.Date",
				    .integer = time_ms };

	value_cell(out, &time);
}

static void notification_put_json(struct text *out,
				  const struct jmx_notification *n)
{
	struct json j = json_into(out);
	struct text time = { 0 };

	notification_put_time(&time, n->time_ms);
	json_open_object(&j);
	json_add_text(&j, "time", time.bytes);
	json_add_text(&j, "name", n->object);
	json_add_text(&j, "type", n->type);
	json_add_int(&j, "sequence", n->sequence);
	json_add_text(&j, "message", n->message);
	json_key(&j, "data");
	if (n->user_data)
		value_json(&j, n->user_data);
	else
		json_null(&j);
	json_close_object(&j);
	text_putc(out, '\n');
	text_release(&time);
}

static void notification_put_word(struct text *out, const char *word)
{
	text_putc(out, ' ');
	safe_text_puts(out, word);
}

/* Prints a line and, below it, the user data. */
static void notification_put_text(const struct mx *mx, struct text *out,
				  const struct jmx_notification *n)
{
	notification_put_time(out, n->time_ms);
	if (!mx->opt->quiet)
		notification_put_word(out, n->object);
	notification_put_word(out, n->type);
	text_printf(out, " #%" PRId64, n->sequence);
	notification_put_word(out, n->message);
	text_putc(out, '\n');
	if (n->user_data && n->user_data->kind != VALUE_NULL) {
		text_puts(out, "    ");
		value_print(out, n->user_data, 4, mx->opt->width);
		text_putc(out, '\n');
	}
}

static int listening_fail_lost(const struct listening *l, struct error *err)
{
	if (!l->lost)
		return fail(err, ERROR_PARTIAL,
			    "the session was lost; notifications sent until "
			    "the next session are missing");
	return fail(err, ERROR_PARTIAL,
		    "%" PRId64 " notification%s lost: sjkc read too slowly",
		    l->lost, l->lost == 1 ? " was" : "s were");
}

static int listening_take(void *self, const struct jmx_notification *n,
			  struct error *err)
{
	struct listening *l = self;

	(void)err;
	/* See jmx_fetch(); a real notification names its MBean. */
	if (!*n->object && strcmp(n->type, lost_type) == 0) {
		l->has_lost = true;
		if (n->sequence > 0 &&
		    __builtin_add_overflow(l->lost, n->sequence, &l->lost))
			l->lost = INT64_MAX;
	} else if (l->mx->opt->json || l->mx->opt->json_array) {
		notification_put_json(&l->text, n);
	} else {
		notification_put_text(l->mx, &l->text, n);
	}
	return 0;
}

/* Writes the text at once; later text needs a new output. */
static int listening_flush(struct listening *l, struct error *err)
{
	struct output *out = l->mx->out;

	if (!l->text.len)
		return 0;
	if (mx_flush(l->mx, &l->text, err) || output_commit(out, err))
		return -1;
	output_close(out);
	return output_open(out, "-", err);
}

static int listen_until(struct listening *l, int64_t deadline_ns,
			struct error *err)
{
	for (;;) {
		int64_t left_ns = deadline_ns - clock_monotonic_ns();
		int ret;

		if (left_ns <= 0 || signals_arrived())
			return 0;
		ret = jmx_fetch(l->mx->jmx,
				left_ns < SLICE_NS ? left_ns : SLICE_NS,
				listening_take, l, err);
		if (ret || listening_flush(l, err))
			return -1;
	}
}

int mx_notifications(struct mx *m, struct error *err)
{
	struct listening l = { .mx = m };
	int64_t deadline_ns = INT64_MAX;
	int ret = 0;

	/* A carrier has to unsubscribe, so a signal must not end the process.
	 */
	signals_listen();
	for (size_t i = 0; ret == 0 && i < m->count; i++) {
		ret = jmx_listen(m->jmx, m->names[i], err);
		if (ret)
			fail_in(err, "%s", m->names[i]);
	}
	if (m->opt->duration_ns)
		deadline_ns = clock_after(clock_monotonic_ns(),
					  m->opt->duration_ns);
	if (ret == 0)
		ret = listen_until(&l, deadline_ns, err);
	if (listening_flush(&l, ret ? error_unused() : err))
		ret = -1;
	if (ret == 0 && l.has_lost)
		ret = listening_fail_lost(&l, err);
	text_release(&l.text);
	return ret;
}
