/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_server.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/version.h"
#include "jmx_http/jmx_read.h"
#include "jmx_http/jolokia/jolokia_answer.h"
#include "jmx_http/value/object_name.h"

#include <stdlib.h>
#include <string.h>

#define PROTOCOL "8.0"

/* read */

/* "ERROR: message (class C)", in place of an attribute's value. */
static const struct value *read_replaced(struct jolokia_answer *a,
					 const struct value *v)
{
	struct jolokia_failure f = jolokia_failure_parse(v->text.at);
	struct text t = { 0 };
	struct value *made;

	text_printf(&t, "ERROR: %.*s (class %.*s)", (int)f.message.len,
		    f.message.text ? f.message.text : "", (int)f.class.len,
		    f.class.text);
	made = value_text(&a->arena, VALUE_STRING, "java.lang.String", t.bytes,
			  t.len);
	text_release(&t);
	return made;
}

/*
 * Agents return a text in place of such an attribute among several: MemoryPool
 * throws this for thresholds that the memory pool does not support.
 */
static bool read_is_unsupported(const struct value *v)
{
	struct jolokia_failure f = jolokia_failure_innermost(v->text.at);

	return line_is(f.class, "java.lang.UnsupportedOperationException");
}

/*
 * Returns the composite of attributes without errors; NULL if an attribute is
 * unreadable and the answer fails.
 */
static const struct value *read_checked(struct jolokia_answer *a,
					const struct value *values)
{
	struct value *made = value_new(&a->arena, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(
		&a->arena, (values->members.count + 1) * sizeof(*at));

	for (size_t i = 0; i < values->members.count; i++) {
		at[i] = values->members.at[i];
		if (at[i].value->kind != VALUE_ERROR)
			continue;
		if (read_is_unsupported(at[i].value)) {
			at[i].value = value_string(&a->arena, "Unsupported");
			continue;
		}
		if (!a->q.options.ignore_errors) {
			jolokia_answer_fail(a, 0, at[i].value->text.at);
			return NULL;
		}
		at[i].value = read_replaced(a, at[i].value);
	}
	made->members.at = at;
	made->members.count = values->members.count;
	return made;
}

/* The names of the readable attributes. */
static const char *const *read_names(const struct jmx_info *info,
				     struct arena *arena, size_t *count)
{
	const char **names = arena_alloc(arena, (info->attribute_count + 1) *
							sizeof(*names));

	*count = 0;
	for (size_t i = 0; i < info->attribute_count; i++)
		if (info->attributes[i].readable)
			names[(*count)++] = info->attributes[i].name;
	return names;
}

static int read_one(struct jolokia_answer *a)
{
	struct jmx_request q = {
		.verb = JMX_GET,
		.object = a->q.object,
		.names = a->q.attributes,
		.name_count = a->q.attribute_count,
	};
	bool is_single = a->q.attribute_count == 1 && !a->q.has_attribute_list;
	const struct jmx_info *info;
	const struct value *v;
	struct jmx_reply reply;

	if (!q.name_count) {
		info = jolokia_answer_info(a, a->q.object);
		if (!info)
			return -1;
		q.names = read_names(info, &a->arena, &q.name_count);
	}
	if (jolokia_answer_run(a, &q, &reply))
		return -1;
	v = reply.value;
	if (is_single && v->members.at[0].value->kind == VALUE_ERROR)
		return jolokia_answer_fail(a, 0,
					   v->members.at[0].value->text.at);
	v = is_single ? v->members.at[0].value : read_checked(a, v);
	return v ? jolokia_answer_render(a, v) : -1;
}

/* The MBeans of a pattern, as they are read. */
struct read_all {
	struct jolokia_answer *a;
	/* The path does not start with "*", so it names the only MBean. */
	bool is_single;
	bool has_attributes; /* an MBean has one of the attributes */
	bool has_some;
};

static bool read_is_wanted(const struct jolokia_query *q, const char *name)
{
	for (size_t i = 0; i < q->attribute_count; i++)
		if (strcmp(q->attributes[i], name) == 0)
			return true;
	return !q->attribute_count;
}

static const char *const *read_choose(void *self, const char *object,
				      const struct jmx_info *info,
				      struct arena *arena, size_t *count,
				      const void **note, struct error *err)
{
	const struct read_all *all = self;
	const char **names = arena_alloc(arena, (info->attribute_count + 1) *
							sizeof(*names));

	(void)object;
	(void)note;
	(void)err;
	*count = 0;
	for (size_t i = 0; i < info->attribute_count; i++) {
		const struct jmx_feature *f = &info->attributes[i];

		if (f->readable && read_is_wanted(&all->a->q, f->name))
			names[(*count)++] = arena_copy(arena, f->name,
						       strlen(f->name));
	}
	return names;
}

static int read_take(void *self, const struct jmx_bean *bean, struct error *err)
{
	struct read_all *all = self;
	struct jolokia_answer *a = all->a;
	const struct value *v;
	struct text name = { 0 };

	(void)err;
	/* An MBean may be unregistered meanwhile. */
	if (a->failure || !bean->values || !bean->values->members.count)
		return 0;
	all->has_attributes = true;
	v = read_checked(a, bean->values);
	if (!v)
		return 0;
	jolokia_render_name(&a->render, &name, bean->name);
	if (all->is_single && strcmp(a->q.path[0], name.bytes) != 0)
		v = NULL;
	else if (a->q.path_count)
		v = jolokia_find_part(v, a->q.path + 1, a->q.path_count - 1,
				      &a->arena);
	if (v && !all->is_single)
		json_foreign_key(&a->j, name.bytes);
	if (v)
		jolokia_render(&a->render, &a->j, v, !all->is_single);
	all->has_some |= v != NULL;
	text_release(&name);
	return 0;
}

/* No MBean that matches has one of the attributes. */
static int read_fail_attributes(struct jolokia_answer *a)
{
	struct text why = { 0 };

	text_puts(&why, "No matching attributes [");
	for (size_t i = 0; i < a->q.attribute_count; i++)
		text_printf(&why, "%s%s", i ? ", " : "", a->q.attributes[i]);
	text_printf(&why, "] found on MBeans of %s", a->q.object);
	jolokia_answer_fail_request(a, why.bytes);
	text_release(&why);
	return -1;
}

static int read_pattern(struct jolokia_answer *a)
{
	struct read_all all = {
		.a = a,
		.is_single = a->q.path_count && strcmp(a->q.path[0], "*") != 0,
	};
	const struct jmx_reader reader = {
		.choose = read_choose,
		.take = read_take,
		.self = &all,
	};
	struct error err = { 0 };
	const char *const *names;
	struct text t = { 0 };
	size_t count;

	if (jolokia_answer_names(a, a->q.object, &names, &count))
		return -1;
	if (!count) {
		text_printf(
			&t,
			"javax.management.InstanceNotFoundException: No "
			"MBean with pattern %s found for reading attributes",
			a->q.object);
		jolokia_answer_fail(a, 404, t.bytes);
		text_release(&t);
		return -1;
	}
	a->render.objects++;
	if (!all.is_single)
		json_open_object(&a->j);
	if (jmx_read(*a->jmx, names, count, &reader, &err))
		return jolokia_answer_fail_error(a, &err);
	if (a->failure)
		return -1;
	if (!all.has_attributes && a->q.attribute_count)
		return read_fail_attributes(a);
	if (!all.is_single)
		json_close_object(&a->j);
	return all.has_some || !a->q.path_count ? 0
						: jolokia_answer_fail_path(a);
}

static bool answer_has_pattern(const struct jolokia_answer *a)
{
	bool is_pattern = false;

	object_name_check(a->q.object, &is_pattern, error_unused());
	return is_pattern;
}

static int answer_read(struct jolokia_answer *a)
{
	return answer_has_pattern(a) ? read_pattern(a) : read_one(a);
}

/* search */

static int answer_search(struct jolokia_answer *a)
{
	const char *const *names;
	struct text name = { 0 };
	size_t count;

	if (jolokia_answer_names(a, a->q.object, &names, &count))
		return -1;
	json_open_array(&a->j);
	for (size_t i = 0; i < count; i++) {
		text_clear(&name);
		jolokia_render_name(&a->render, &name, names[i]);
		json_text(&a->j, name.bytes);
	}
	json_close_array(&a->j);
	text_release(&name);
	return 0;
}

/* list */

/* The response to a list, MBean by MBean. */
struct list {
	struct jolokia_answer *a;
	const char *const *names; /* sorted: the MBeans of a domain adjoin */
	size_t count;
	bool has_domains; /* the value is an object of domains */
	int64_t levels;   /* below an MBean; -1: the MBean itself is "1" */
	struct line domain;
};

static int list_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_open_domain(struct list *l, struct line domain)
{
	struct json *j = &l->a->j;
	struct text key = { 0 };

	if (!l->has_domains ||
	    (l->domain.text && domain.len == l->domain.len &&
	     memcmp(domain.text, l->domain.text, domain.len) == 0))
		return;
	if (l->domain.text)
		json_close_object(j);
	l->domain = domain;
	text_puts(&key, "");
	text_add(&key, domain.text, domain.len);
	json_foreign_key(j, key.bytes);
	json_open_object(j);
	text_release(&key);
}

static void list_add_bean(struct list *l, const char *name,
			  const struct value *bean)
{
	size_t domain = strcspn(name, ":");

	list_open_domain(l, (struct line){ name, domain });
	json_foreign_key(&l->a->j, name + domain + (name[domain] == ':'));
	jolokia_render(&l->a->render, &l->a->j, bean, l->has_domains ? 2 : 1);
}

/* An MBean may be unregistered meanwhile. */
static int list_take(void *self, size_t index, const struct jmx_reply *reply,
		     struct error *err)
{
	struct list *l = self;
	struct arena arena = { 0 };
	const struct value *bean;

	(void)err;
	if (!reply->info)
		return 0;
	bean = jolokia_list_bean(reply->info, &arena);
	bean = jolokia_list_truncate(bean, l->levels, &arena);
	list_add_bean(l, l->names[index], bean);
	arena_release(&arena);
	return 0;
}

static int list_run(struct list *l)
{
	struct jolokia_answer *a = l->a;
	struct jmx_request *q;
	struct error err = { 0 };
	int ret;

	if (l->levels < 0) {
		for (size_t i = 0; i < l->count; i++)
			list_add_bean(l, l->names[i],
				      value_string(&a->arena, "1"));
		return 0;
	}
	q = arena_alloc(&a->arena, (l->count + 1) * sizeof(*q));
	for (size_t i = 0; i < l->count; i++)
		q[i] = (struct jmx_request){ .verb = JMX_INFO,
					     .object = l->names[i] };
	ret = jmx_run(*a->jmx, q, l->count, list_take, l, &err);
	return ret ? jolokia_answer_fail_error(a, &err) : 0;
}

/* With maxDepth 1, domains are "1", too. */
static void list_write_domains(struct list *l)
{
	struct line last = { 0 };

	for (size_t i = 0; i < l->count; i++) {
		struct line domain = { l->names[i], strcspn(l->names[i], ":") };
		char *key;

		if (last.text && last.len == domain.len &&
		    memcmp(last.text, domain.text, last.len) == 0)
			continue;
		last = domain;
		key = arena_copy(&l->a->arena, domain.text, domain.len);
		json_foreign_key(&l->a->j, key);
		json_text(&l->a->j, "1");
	}
}

/* As the names are listed: with canonical naming, with sorted keys. */
static void list_name(struct list *l, const char *const *names)
{
	const char **made = arena_alloc(&l->a->arena,
					(l->count + 1) * sizeof(*made));
	struct text name = { 0 };

	for (size_t i = 0; i < l->count; i++) {
		text_clear(&name);
		jolokia_render_name(&l->a->render, &name, names[i]);
		made[i] = arena_copy(&l->a->arena, name.bytes, name.len);
	}
	text_release(&name);
	qsort(made, l->count, sizeof(*made), list_compare);
	l->names = made;
}

/* Lists all domains, or the one in the path. */
static int list_many(struct jolokia_answer *a)
{
	struct list l = { .a = a, .has_domains = !a->q.path_count };
	int64_t above = l.has_domains ? 2 : 1, max = a->q.options.max_depth;
	const char *const *names;
	struct text pattern = { 0 };
	int ret;

	text_printf(&pattern, "%s:*", l.has_domains ? "*" : *a->q.path);
	ret = jolokia_answer_names(a, pattern.bytes, &names, &l.count);
	text_release(&pattern);
	if (ret)
		return -1;
	list_name(&l, names);
	l.levels = !max ? 0 : max > above ? max - above : -1;
	json_open_object(&a->j);
	if (max == 1 && l.has_domains)
		list_write_domains(&l);
	else
		ret = list_run(&l);
	if (l.domain.text)
		json_close_object(&a->j);
	json_close_object(&a->j);
	return ret;
}

static int list_fail_path(struct jolokia_answer *a)
{
	struct text why = { 0 };

	text_printf(&why, "Illegal path element %s",
		    a->q.path[a->q.path_count - 1]);
	jolokia_answer_fail_request(a, why.bytes);
	text_release(&why);
	return -1;
}

/* The path has a domain, keys, and a path into the description. */
static int list_one(struct jolokia_answer *a)
{
	struct text object = { 0 };
	const struct jmx_info *info;
	const struct value *v;

	text_printf(&object, "%s:%s", a->q.path[0], a->q.path[1]);
	info = jolokia_answer_info(a, object.bytes);
	text_release(&object);
	if (!info)
		return -1;
	v = jolokia_list_bean(info, &a->arena);
	v = jolokia_find_part(v, a->q.path + 2, a->q.path_count - 2, &a->arena);
	if (!v)
		return list_fail_path(a);
	v = jolokia_list_truncate(v, a->q.options.max_depth, &a->arena);
	jolokia_render(&a->render, &a->j, v, 0);
	return 0;
}

static int answer_list(struct jolokia_answer *a)
{
	return a->q.path_count > 1 ? list_one(a) : list_many(a);
}

/* version */

static int answer_version(struct jolokia_answer *a)
{
	struct json *j = &a->j;

	json_open_object(j);
	json_add_text(j, "agent", SJKC_VERSION);
	json_add_text(j, "protocol", PROTOCOL);
	json_add_object(j, "details");
	json_add_text(j, "agent_version", SJKC_VERSION);
	json_add_text(j, "agent_id", "sjkc-mxprx");
	json_add_text(j, "server_product", "sjkc mxprx");
	json_close_object(j);
	json_add_object(j, "config");
	json_add_text(j, "maxDepth", "15");
	json_add_text(j, "maxCollectionSize", "0");
	json_add_text(j, "maxObjects", "0");
	json_add_text(j, "agentId", "sjkc-mxprx");
	json_close_object(j);
	json_add_object(j, "info");
	json_add_object(j, "jmx");
	json_close_object(j);
	json_close_object(j);
	json_close_object(j);
	return 0;
}

/* Responses */

static int (*const answer_types[])(struct jolokia_answer *a) = {
	[JOLOKIA_QUERY_READ] = answer_read,
	[JOLOKIA_QUERY_WRITE] = jolokia_change_write,
	[JOLOKIA_QUERY_EXEC] = jolokia_change_exec,
	[JOLOKIA_QUERY_SEARCH] = answer_search,
	[JOLOKIA_QUERY_LIST] = answer_list,
	[JOLOKIA_QUERY_VERSION] = answer_version,
};

/* Writes the response object; err: the request is invalid. */
static void answer_write(struct jolokia_answer *a, const struct error *err,
			 struct text *out)
{
	struct json j = json_into(out);

	a->render = (struct jolokia_render){ .options = &a->q.options };
	text_puts(&a->value, "");
	a->j = json_into(&a->value);
	if (err)
		jolokia_answer_fail_request(a, err->text);
	else
		answer_types[a->q.type](a);
	json_open_object(&j);
	if (a->q.options.include_request && a->q.json) {
		json_key(&j, "request");
		jolokia_query_json(&j, &a->q);
	}
	if (a->failure) {
		jolokia_answer_add_failure(a, &j);
	} else {
		text_puts(out, j.nonempty >> j.depth & 1 ? ",\"value\":"
							 : "\"value\":");
		text_add(out, a->value.bytes, a->value.len);
		text_printf(out, ",\"status\":200,\"timestamp\":%lld",
			    (long long)(clock_wall_ns() / CLOCK_NS_PER_S));
	}
	json_close_object(&j);
	text_release(&a->value);
	arena_release(&a->arena);
}

static void answer_one(struct jolokia_operations *o, const cJSON *json,
		       struct line query, struct text *out)
{
	struct jolokia_answer a = { .target = o->target, .jmx = &o->jmx };
	struct error err = { 0 };
	int ret = jolokia_query_parse(&a.q, json, query, &a.arena, &err);

	answer_write(&a, ret ? &err : NULL, out);
}

/*
 * Bulk requests: reads of named attributes that follow each other are sent to
 * the JVM before the first reply has arrived, since each reply takes as long as
 * the JVM and the network need.  Reads of one MBean become one request.  Any
 * other request waits for those before it.
 */

#define BULK_READS 32 /* maximum number of reads that are sent at once */

struct bulk_read {
	struct jolokia_answer answer;
	size_t request; /* index of the request that has its attributes */
	size_t first;   /* index of the first attribute in that request */
	struct jmx_reply reply;
	bool has_reply;
};

struct bulk {
	struct jolokia_operations *o;
	struct text *out;
	bool has_some; /* a response was written */
	struct bulk_read reads[BULK_READS];
	size_t count; /* number of waiting reads */
};

static void bulk_write(struct bulk *b, struct jolokia_answer *a,
		       const struct error *err)
{
	text_puts(b->out, b->has_some ? "," : "");
	b->has_some = true;
	answer_write(a, err, b->out);
}

/* For jmx_run(): divides the reply among the reads of the request. */
static int bulk_keep_reply(void *self, size_t index,
			   const struct jmx_reply *reply, struct error *err)
{
	struct bulk *b = self;

	(void)err;
	for (size_t i = 0; i < b->count; i++) {
		struct bulk_read *r = &b->reads[i];
		struct value *part;

		if (r->request != index)
			continue;
		r->has_reply = true;
		r->reply = *reply;
		if (!reply->value)
			continue;
		part = value_new(b->o->jmx->keep, VALUE_COMPOSITE, "");
		part->members.at = reply->value->members.at + r->first;
		part->members.count = r->answer.q.attribute_count;
		r->reply.value = part;
	}
	return 0;
}

/* Makes one request for each MBean of the waiting reads; returns their number.
 */
static size_t bulk_merge_reads(struct bulk *b, struct jmx_request *requests,
			       struct arena *arena)
{
	const char **names[BULK_READS];
	size_t count = 0;

	for (size_t i = 0; i < b->count; i++) {
		struct bulk_read *r = &b->reads[i];
		const struct jolokia_query *q = &r->answer.q;
		size_t at = 0;

		while (at < count &&
		       strcmp(requests[at].object, q->object) != 0)
			at++;
		if (at == count)
			requests[count++] = (struct jmx_request){
				.verb = JMX_GET,
				.object = q->object,
			};
		r->request = at;
		r->first = requests[at].name_count;
		requests[at].name_count += q->attribute_count;
	}
	for (size_t i = 0; i < count; i++) {
		names[i] = arena_alloc(arena, requests[i].name_count *
						      sizeof(**names));
		requests[i].names = names[i];
	}
	for (size_t i = 0; i < b->count; i++) {
		const struct bulk_read *r = &b->reads[i];

		memcpy(names[r->request] + r->first, r->answer.q.attributes,
		       r->answer.q.attribute_count * sizeof(**names));
	}
	return count;
}

/*
 * Makes the requests of the waiting reads.  If the connection fails, each read
 * without a reply makes its own request and reports the failure.
 */
static void bulk_run_reads(struct bulk *b, struct arena *replies)
{
	struct jmx_request requests[BULK_READS];
	size_t count;

	if (!b->o->jmx)
		b->o->jmx = jmx_open(b->o->target, error_unused());
	if (!b->o->jmx)
		return;
	count = bulk_merge_reads(b, requests, replies);
	b->o->jmx->keep = replies;
	(void)jmx_run(b->o->jmx, requests, count, bulk_keep_reply, b,
		      error_unused());
	b->o->jmx->keep = NULL;
}

/* Writes the responses of the waiting reads. */
static void bulk_flush(struct bulk *b)
{
	struct arena replies = { 0 };

	if (b->count > 1)
		bulk_run_reads(b, &replies);
	for (size_t i = 0; i < b->count; i++) {
		struct bulk_read *r = &b->reads[i];

		if (r->has_reply)
			r->answer.early = &r->reply;
		bulk_write(b, &r->answer, NULL);
	}
	b->count = 0;
	arena_release(&replies);
}

static void bulk_add(struct bulk *b, const cJSON *json, struct line query)
{
	struct jolokia_answer a = { .target = b->o->target, .jmx = &b->o->jmx };
	struct error err = { 0 };
	int ret = jolokia_query_parse(&a.q, json, query, &a.arena, &err);

	if (!ret && a.q.type == JOLOKIA_QUERY_READ && a.q.attribute_count &&
	    !answer_has_pattern(&a)) {
		b->reads[b->count++] = (struct bulk_read){ .answer = a };
		if (b->count == BULK_READS)
			bulk_flush(b);
		return;
	}
	bulk_flush(b);
	bulk_write(b, &a, ret ? &err : NULL);
}

static void answer_bulk(struct jolokia_operations *o, const cJSON *all,
			struct line query, struct text *out)
{
	struct bulk *b = xcalloc(1, sizeof(*b));
	const cJSON *one;

	b->o = o;
	b->out = out;
	text_putc(out, '[');
	cJSON_ArrayForEach(one, all) { bulk_add(b, one, query); }
	bulk_flush(b);
	text_putc(out, ']');
	free(b);
}

/* A JSON document that is not a request. */
static void answer_invalid(struct jolokia_operations *o,
			   const struct error *err, struct text *out)
{
	struct jolokia_answer a = { .target = o->target,
				    .jmx = &o->jmx,
				    .q.type = JOLOKIA_QUERY_NONE };

	answer_write(&a, err, out);
}

void jolokia_operations_post(struct jolokia_operations *o, struct line body,
			     struct line query, struct text *out)
{
	struct error err = { 0 };
	cJSON *json = jolokia_json_parse(body.text, body.len, &err);

	if (!json) {
		answer_invalid(o, &err, out);
		return;
	}
	if (cJSON_IsArray(json))
		answer_bulk(o, json, query, out);
	else
		answer_one(o, json, query, out);
	cJSON_Delete(json);
}

void jolokia_operations_get(struct jolokia_operations *o, struct line target,
			    struct line query, struct text *out)
{
	struct error err = { 0 };
	cJSON *json = jolokia_query_of_path(target, &err);

	if (json)
		answer_one(o, json, query, out);
	else
		answer_invalid(o, &err, out);
	cJSON_Delete(json);
}

void jolokia_operations_release(struct jolokia_operations *o)
{
	jmx_close(o->jmx);
	o->jmx = NULL;
}
