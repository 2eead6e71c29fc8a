/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/scripted_jmx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct scripted_mbean *find(const struct scripted_jmx *s,
					 const char *name)
{
	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->mbeans[i].name, name) == 0)
			return &s->mbeans[i];
	}
	fail_msg("%s was asked for", name);
	return NULL;
}

static void give_info(const struct scripted_mbean *m, struct jmx_reply *reply,
		      struct arena *a)
{
	struct jmx_feature *features = arena_alloc(
		a, m->count * sizeof(*features));
	struct jmx_info *info = arena_alloc(a, sizeof(*info));

	for (size_t i = 0; i < m->count; i++)
		features[i] = (struct jmx_feature){
			.name = m->attributes[i].name,
			.type = "int",
			.description = "",
			.readable = m->attributes[i].value != NULL,
		};
	*info = (struct jmx_info){
		.class = m->class,
		.description = "",
		.attributes = features,
		.attribute_count = m->count,
	};
	reply->failure = m->info_failure;
	reply->info = m->info_failure ? NULL : info;
}

static const struct value *value_of(const struct scripted_mbean *m,
				    const char *name)
{
	for (size_t i = 0; i < m->count; i++) {
		if (strcmp(m->attributes[i].name, name) == 0)
			return m->attributes[i].value;
	}
	fail_msg("%s has no %s", m->name, name);
	return NULL;
}

static void give_values(const struct scripted_mbean *m,
			const struct jmx_request *request,
			struct jmx_reply *reply, struct arena *a)
{
	struct value_member *members = arena_alloc(a, request->name_count *
							      sizeof(*members));
	struct value *v = value_new(a, VALUE_COMPOSITE, "");

	for (size_t i = 0; i < request->name_count; i++) {
		members[i].name = request->names[i];
		members[i].value = value_of(m, request->names[i]);
	}
	v->members.at = members;
	v->members.count = request->name_count;
	reply->failure = m->get_failure;
	reply->value = m->get_failure ? NULL : v;
}

static bool is_lost(struct scripted_jmx *s)
{
	s->requests++;
	for (size_t i = 0; i < SCRIPTED_LOSSES_MAX; i++) {
		if (s->losses[i] == s->requests)
			return true;
	}
	return false;
}

static int run(struct jmx *j, const struct jmx_request *requests, size_t count,
	       jmx_reply_fn *fn, void *self, struct error *err)
{
	struct scripted_jmx *s = (struct scripted_jmx *)j;

	s->runs++;
	s->most = count > s->most ? count : s->most;
	for (size_t i = 0; i < count; i++) {
		const struct scripted_mbean *m = find(s, requests[i].object);
		struct jmx_reply reply = { .kind = ERROR_NO_TARGET };
		struct arena own = { 0 }, *a = j->keep ? j->keep : &own;
		int ret;

		if (is_lost(s))
			return (fail)(err, s->lost_kind, "the line is cut");
		if (requests[i].verb == JMX_INFO)
			give_info(m, &reply, a);
		else
			give_values(m, &requests[i], &reply, a);
		ret = fn(self, i, &reply, err);
		arena_release(&own);
		if (ret)
			return -1;
	}
	return 0;
}

static const struct jmx_ops ops = { .name = "script", .run = run };

void scripted_jmx_init(struct scripted_jmx *s,
		       const struct scripted_mbean *mbeans, size_t count)
{
	*s = (struct scripted_jmx){
		.jmx = { .ops = &ops, .title = "script", .version = "" },
		.mbeans = mbeans,
		.count = count,
		.lost_kind = ERROR_REFUSED,
	};
}
