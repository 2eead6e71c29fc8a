/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/dump_owners.h"

#include "core/base/clock.h"
#include "core/formats/reader.h"
#include "core/hotspot/java_threads.h"
#include "core/hotspot/lock_owners.h"

/* A deadlock is the same in two readings that are so far apart. */
#define DEADLOCK_NS (50 * CLOCK_NS_PER_MS)

void dump_owners_open(struct dump_owners *o, const struct jvm *jvm)
{
	o->view = process_view_open(jvm, NULL, &o->why);
	if (o->view && !o->view->structs)
		fail(&o->why, ERROR_UNAVAILABLE, "%s", o->view->limits);
	else if (o->view)
		o->names = java_thread_names_open(o->view->structs,
						  o->view->memory, &o->why);
	if (o->names)
		o->owners = lock_owners_open(o->view->structs, o->view->memory,
					     &o->why);
}

void dump_owners_close(struct dump_owners *o)
{
	lock_waits_release(&o->before);
	lock_waits_release(&o->after);
	lock_owners_close(o->owners);
	java_thread_names_close(o->names);
	process_view_close(o->view);
}

void dump_owners_before(struct dump_owners *o)
{
	if (o->owners)
		lock_owners_read(o->owners, &o->before);
}

void dump_owners_after(struct dump_owners *o)
{
	int64_t due_ns = clock_after(o->before.at_ns, DEADLOCK_NS);
	bool is_early = true;

	while (o->owners && is_early) {
		lock_owners_read(o->owners, &o->after);
		lock_waits_intersect(&o->after, &o->before);
		lock_waits_read_names(&o->after, o->names);
		is_early = lock_waits_have_cycle(&o->after) &&
			   clock_monotonic_ns() < due_ns;
		if (is_early)
			clock_sleep_until(due_ns);
	}
}

int dump_owners_take(struct dump_owners *o, struct attach *attach,
		     const char *options, struct dump_series *s,
		     struct error *err)
{
	const struct attach_request request = {
		.operation = "threaddump",
		.args = { options },
	};
	struct text reply = { 0 };
	int ret;

	dump_owners_before(o);
	ret = attach_call(attach, &request, &reply, err);
	dump_owners_after(o);
	if (ret == 0)
		ret = dump_reader.read((const uint8_t *)reply.bytes, reply.len,
				       s->profile, err);
	text_release(&reply);
	return ret;
}

void dump_owners_add(const struct dump_owners *o, struct dump_series *s)
{
	if (o->owners)
		dump_series_set_owners(s, &o->after);
}
