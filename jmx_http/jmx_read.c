/* SPDX-License-Identifier: Apache-2.0 */
/* Reads batches of MBeans, one jmx_run() for two adjacent batches. */
#include "jmx_http/jmx_read.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Memory for the values of a batch whose attributes are read one at a time. */
#define SEPARATE_BYTES_MAX ((size_t)128 << 20)

/* An MBean that is being read. */
struct item {
	const char *const *names; /* the chosen attributes */
	size_t count;
	struct jmx_bean bean;
};

struct batch {
	struct item items[JMX_READ_BATCH];
	size_t count;
	size_t passed;  /* number of items that take() received */
	struct arena a; /* the memory of the items */
};

/* One run: attributes of one batch, descriptions of the next. */
struct reading {
	struct jmx *jmx;
	const struct jmx_reader *reader;
	struct batch *with_names, *next;
	struct jmx_request requests[2 * JMX_READ_BATCH];
	struct item *items[2 * JMX_READ_BATCH]; /* of each request */
	size_t count, answered;
	size_t lost;     /* MBeans lost since the last reply */
	bool one_by_one; /* send the remaining requests one at a time */
	bool ended;      /* the reader's callback failed */
};

static void item_fail(struct item *item, struct arena *a, const char *why,
		      enum error_kind kind)
{
	item->bean.failure = arena_copy(a, why, strlen(why));
	item->bean.kind = kind;
}

/* Passes the remaining MBeans before end to the reader. */
static int reading_pass_until(struct reading *r, const struct item *end,
			      struct error *err)
{
	struct batch *b = r->with_names;

	while (b->items + b->passed < end) {
		const struct jmx_bean *bean = &b->items[b->passed++].bean;

		if (r->reader->take(r->reader->self, bean, err)) {
			r->ended = true;
			return -1;
		}
	}
	return 0;
}

static int reading_take_values(struct reading *r, struct item *item,
			       const struct jmx_reply *reply, struct error *err)
{
	int ret;

	if (reading_pass_until(r, item, err))
		return -1;
	item->bean.failure = reply->failure;
	item->bean.kind = reply->kind;
	item->bean.values = reply->failure ? NULL : reply->value;
	ret = reading_pass_until(r, item + 1, err);
	/* The reply is valid only during this call. */
	item->bean.failure = NULL;
	item->bean.values = NULL;
	return ret;
}

static int reading_take_info(struct reading *r, struct item *item,
			     const struct jmx_reply *reply, struct error *err)
{
	struct arena *a = &r->next->a;
	const struct jmx_info *info = reply->info;

	if (reply->failure && reply->kind == ERROR_PERMISSION &&
	    r->reader->choose_unseen)
		item->names = r->reader->choose_unseen(
			r->reader->self, a, &item->count, &item->bean.note);
	if (item->names)
		return 0;
	if (reply->failure || !info) {
		item_fail(item, a,
			  reply->failure ? reply->failure
					 : "its description cannot be read",
			  reply->failure ? reply->kind : ERROR_REFUSED);
		return 0;
	}
	item->bean.class = arena_copy(a, info->class, strlen(info->class));
	item->names = r->reader->choose(r->reader->self, item->bean.name, info,
					a, &item->count, &item->bean.note, err);
	r->ended = !item->names;
	return item->names ? 0 : -1;
}

static int reading_take_reply(void *self, size_t index,
			      const struct jmx_reply *reply, struct error *err)
{
	struct reading *r = self;
	size_t at = r->answered++;

	(void)index; /* counts from the first request that was repeated */
	r->lost = 0;
	return r->requests[at].verb == JMX_INFO
		       ? reading_take_info(r, r->items[at], reply, err)
		       : reading_take_values(r, r->items[at], reply, err);
}

static void reading_add_request(struct reading *r, struct item *item,
				enum jmx_verb verb)
{
	r->requests[r->count] = (struct jmx_request){
		.verb = verb,
		.object = item->bean.name,
		.names = item->names,
		.name_count = item->count,
	};
	r->items[r->count++] = item;
}

static void reading_add_requests(struct reading *r)
{
	r->count = r->answered = 0;
	r->one_by_one = false;
	for (size_t i = 0; i < r->with_names->count; i++) {
		struct item *item = &r->with_names->items[i];

		if (!item->bean.failure && item->count)
			reading_add_request(r, item, JMX_GET);
	}
	for (size_t i = 0; i < r->next->count; i++)
		reading_add_request(r, &r->next->items[i], JMX_INFO);
}

/* Takes the reply for one attribute. */
static int separate_take(void *self, size_t index,
			 const struct jmx_reply *reply, struct error *err)
{
	struct value_member *member = self;
	const struct value *v = reply->value;

	(void)index;
	if (reply->failure)
		return fail(err, reply->kind, "%s", reply->failure);
	if (v && v->kind == VALUE_COMPOSITE && v->members.count)
		member->value = v->members.at[0].value;
	return 0;
}

static int reading_separate_one(struct reading *r, const struct item *item,
				struct value_member *member, struct error *err)
{
	const struct jmx_request q = {
		.verb = JMX_GET,
		.object = item->bean.name,
		.names = &member->name,
		.name_count = 1,
	};
	int ret;

	r->jmx->keep = &r->with_names->a;
	ret = jmx_run(r->jmx, &q, 1, separate_take, member, err);
	r->jmx->keep = NULL;
	return ret;
}

/*
 * Reads the attributes of an MBean one at a time after the connection was lost,
 * to keep the others of a slow or unreadable one. Each becomes a value; the
 * lost ones, and the rest after JMX_READ_LOST of them, a VALUE_ERROR. 1 if any
 * was read, 0 if all were lost; -1 and *err if the JVM has exited.
 */
static int reading_separate(struct reading *r, struct item *item,
			    struct error *err)
{
	struct arena *a = &r->with_names->a;
	struct value_member *members = arena_alloc(a, item->count *
							      sizeof(*members));
	struct value *values = value_new(a, VALUE_COMPOSITE, "");
	struct error why = { 0 };
	size_t lost = 0;

	for (size_t i = 0; i < item->count; i++) {
		members[i] = (struct value_member){ item->names[i],
						    &value_null };
		if (a->total > SEPARATE_BYTES_MAX)
			fail(&why, ERROR_REFUSED,
			     "the values of the MBean are larger than 128 MiB");
		else if (lost < JMX_READ_LOST &&
			 reading_separate_one(r, item, &members[i], &why) == 0)
			continue;
		if (why.kind == ERROR_NO_TARGET) {
			*err = why;
			return -1;
		}
		lost++;
		members[i].value = value_text(a, VALUE_ERROR, "", why.text,
					      strlen(why.text));
	}
	values->members.at = members;
	values->members.count = item->count;
	item->bean.values = values;
	item->bean.was_lost = lost > 0;
	return lost < item->count;
}

/*
 * Handles a connection that was lost before all replies arrived.  Returns 0 if
 * the remaining requests may be sent again.  Only a request that was sent alone
 * identifies the MBean at fault, because a slow reply delays all later ones.
 */
static int reading_survive(struct reading *r, struct error *why)
{
	size_t at = r->answered;
	bool is_info;

	if (r->ended || why->kind == ERROR_NO_TARGET || at == r->count)
		return -1;
	if (!r->one_by_one && at + 1 < r->count) {
		r->one_by_one = true;
		return 0;
	}
	if (r->lost++ == JMX_READ_LOST)
		return -1;
	is_info = r->requests[at].verb == JMX_INFO;
	if (!is_info && r->items[at]->count > 1) {
		int any = reading_separate(r, r->items[at], why);

		r->answered++;
		if (any) {
			r->lost = 0;
			return any > 0 ? 0 : -1;
		}
	}
	item_fail(r->items[at], is_info ? &r->next->a : &r->with_names->a,
		  why->text, why->kind);
	r->items[at]->bean.was_lost = true;
	r->answered++;
	return 0;
}

static int reading_run(struct reading *r, struct error *err)
{
	while (r->answered < r->count) {
		const struct jmx_request *left = r->requests + r->answered;
		size_t before = r->answered;
		size_t count = r->one_by_one ? 1 : r->count - before;

		if (jmx_run(r->jmx, left, count, reading_take_reply, r, err)) {
			if (reading_survive(r, err))
				return -1;
		} else if (r->answered != before + count) {
			return fail(err, ERROR_REFUSED, "replies are missing");
		}
	}
	return reading_pass_until(
		r, r->with_names->items + r->with_names->count, err);
}

static size_t batch_fill(struct batch *b, const char *const *objects,
			 size_t count)
{
	if (count > JMX_READ_BATCH)
		count = JMX_READ_BATCH;
	arena_release(&b->a);
	b->count = count;
	b->passed = 0;
	for (size_t i = 0; i < count; i++)
		b->items[i] = (struct item){ .bean.name = objects[i] };
	return count;
}

int jmx_read(struct jmx *j, const char *const *objects, size_t count,
	     const struct jmx_reader *reader, struct error *err)
{
	struct batch *batches = xcalloc(2, sizeof(*batches));
	struct reading *r = xcalloc(1, sizeof(*r));
	int ret = 0;

	r->jmx = j;
	r->reader = reader;
	r->with_names = &batches[0];
	r->next = &batches[1];
	do {
		size_t filled = batch_fill(r->next, objects, count);
		struct batch *done = r->with_names;

		objects += filled;
		count -= filled;
		reading_add_requests(r);
		ret = reading_run(r, err);
		r->with_names = r->next;
		r->next = done;
	} while (ret == 0 && r->with_names->count);
	arena_release(&batches[0].a);
	arena_release(&batches[1].a);
	free(r);
	free(batches);
	return ret;
}
