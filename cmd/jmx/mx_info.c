/* SPDX-License-Identifier: Apache-2.0 */
/* What MBeans have, as text and as JSON. */
#include "cmd/jmx/mx.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "jmx_http/value/java_type.h"

#include <stdlib.h>
#include <string.h>

/* MBeanOperationInfo's INFO, ACTION, ACTION_INFO, UNKNOWN. */
static const char *const impacts[] = { "info", "action", "both", "unknown" };

struct info {
	struct mx *mx;
	struct text text;
	struct json json;
	size_t count;
};

static void put_safe(struct text *out, const char *text)
{
	safe_text(out, text, strlen(text));
}

static void put_type(struct text *out, const char *type)
{
	struct text shown = { 0 };

	text_puts(&shown, "");
	java_type_add(&shown, type);
	put_safe(out, shown.bytes);
	text_release(&shown);
}

/* SJK's lines: a description only where it says more than the name. */
static void put_description(struct text *out, const struct jmx_feature *f)
{
	if (*f->description && strcmp(f->name, f->description) != 0) {
		text_puts(out, "  - ");
		put_safe(out, f->description);
		text_putc(out, '\n');
	}
}

static void put_attribute(struct text *out, const struct jmx_feature *f)
{
	text_puts(out, " (A) ");
	put_safe(out, f->name);
	text_puts(out, " : ");
	put_type(out, f->type);
	if (!f->readable)
		text_puts(out, " - WRITEONLY");
	else if (f->writable)
		text_puts(out, " - WRITEABLE");
	text_putc(out, '\n');
	put_description(out, f);
}

static void put_operation(struct text *out, const struct jmx_feature *f)
{
	text_puts(out, " (O) ");
	put_safe(out, f->name);
	text_putc(out, '(');
	for (size_t i = 0; i < f->parameter_count; i++) {
		text_puts(out, i ? ", " : "");
		put_type(out, f->parameters[i].type);
		text_putc(out, ' ');
		put_safe(out, f->parameters[i].name);
	}
	text_puts(out, ") : ");
	put_type(out, f->type);
	text_putc(out, '\n');
	put_description(out, f);
}

/* Its types are in the place of a type. */
static void put_notification(struct text *out, const struct jmx_feature *f)
{
	text_puts(out, " (N) ");
	put_safe(out, f->name);
	text_puts(out, " : ");
	put_safe(out, f->type);
	text_putc(out, '\n');
	put_description(out, f);
}

typedef void put_fn(struct text *out, const struct jmx_feature *f);

static void put_each(struct text *out, const struct jmx_feature *f,
		     size_t count, put_fn *put)
{
	for (size_t i = 0; i < count; i++)
		put(out, &f[i]);
}

static void put_text(struct info *i, const char *object,
		     const struct jmx_info *info)
{
	if (i->count++)
		text_putc(&i->text, '\n');
	put_safe(&i->text, object);
	text_putc(&i->text, '\n');
	put_safe(&i->text, info->class);
	text_puts(&i->text, "\n - ");
	put_safe(&i->text, info->description);
	text_putc(&i->text, '\n');
	put_each(&i->text, info->attributes, info->attribute_count,
		 put_attribute);
	put_each(&i->text, info->operations, info->operation_count,
		 put_operation);
	put_each(&i->text, info->notifications, info->notification_count,
		 put_notification);
}

static void put_member(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_text(j, text);
}

static void put_feature(struct json *j, const struct jmx_feature *f)
{
	struct text type = { 0 };

	text_puts(&type, "");
	java_type_add(&type, f->type);
	put_member(j, "name", f->name);
	put_member(j, "type", type.bytes);
	put_member(j, "description", f->description);
	text_release(&type);
}

static void json_attribute(struct json *j, const struct jmx_feature *f)
{
	put_feature(j, f);
	json_key(j, "readable");
	json_bool(j, f->readable);
	json_key(j, "writable");
	json_bool(j, f->writable);
}

static void json_operation(struct json *j, const struct jmx_feature *f)
{
	put_feature(j, f);
	put_member(j, "impact",
		   impacts[f->impact >= 0 && f->impact < 3 ? f->impact : 3]);
	json_key(j, "parameters");
	json_open_array(j);
	for (size_t i = 0; i < f->parameter_count; i++) {
		json_open_object(j);
		put_feature(j, &f->parameters[i]);
		json_close_object(j);
	}
	json_close_array(j);
}

typedef void json_fn(struct json *j, const struct jmx_feature *f);

static void put_array(struct json *j, const char *key,
		      const struct jmx_feature *f, size_t count, json_fn *put)
{
	json_key(j, key);
	json_open_array(j);
	for (size_t i = 0; i < count; i++) {
		json_open_object(j);
		put(j, &f[i]);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_json(struct json *j, const char *object,
		     const struct jmx_info *info)
{
	json_open_object(j);
	put_member(j, "name", object);
	put_member(j, "class", info->class);
	put_member(j, "description", info->description);
	put_array(j, "attributes", info->attributes, info->attribute_count,
		  json_attribute);
	put_array(j, "operations", info->operations, info->operation_count,
		  json_operation);
	put_array(j, "notifications", info->notifications,
		  info->notification_count, put_feature);
	json_close_object(j);
}

static bool is_json(const struct info *i)
{
	return i->mx->opt->json || i->mx->opt->json_array;
}

static int take(void *self, size_t index, const struct jmx_reply *reply,
		struct error *err)
{
	struct info *i = self;
	const char *object = i->mx->names[index];

	i->mx->had++;
	if (reply->failure)
		mx_failed(i->mx, reply->kind, "%s: %s", object, reply->failure);
	else if (is_json(i))
		put_json(&i->json, object, reply->info);
	else
		put_text(i, object, reply->info);
	return mx_flush(i->mx, &i->text, err);
}

static int ask(struct info *i, struct error *err)
{
	size_t count = i->mx->count;
	struct jmx_request *requests = xcalloc(count, sizeof(*requests));
	int ret;

	for (size_t k = 0; k < count; k++) {
		requests[k].verb = JMX_INFO;
		requests[k].object = i->mx->names[k];
	}
	ret = jmx_run(i->mx->jmx, requests, count, take, i, err);
	free(requests);
	return ret;
}

int mx_info(struct mx *m, struct error *err)
{
	struct info i = { .mx = m };
	struct error unused;
	int ret;

	i.json = json_into(&i.text);
	if (is_json(&i)) {
		json_open_object(&i.json);
		put_member(&i.json, "schema", "sjkc.mxinfo/1");
		json_key(&i.json, "mbeans");
		json_open_array(&i.json);
	}
	ret = ask(&i, err);
	if (is_json(&i)) {
		json_close_array(&i.json);
		json_close_object(&i.json);
		text_putc(&i.text, '\n');
	}
	if (mx_flush(m, &i.text, ret ? &unused : err))
		ret = -1;
	text_release(&i.text);
	return ret;
}
