/* SPDX-License-Identifier: Apache-2.0 */
/* mx --info: describes MBeans as text and JSON. */
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

static void info_put_type(struct text *out, const char *type)
{
	struct text shown = { 0 };

	text_puts(&shown, "");
	java_type_add(&shown, type);
	safe_text_puts(out, shown.bytes);
	text_release(&shown);
}

/* Like SJK, omits a description that repeats the name. */
static void info_put_description(struct text *out, const struct jmx_feature *f)
{
	if (*f->description && strcmp(f->name, f->description) != 0) {
		text_puts(out, "  - ");
		safe_text_puts(out, f->description);
		text_putc(out, '\n');
	}
}

static void info_put_attribute(struct text *out, const struct jmx_feature *f)
{
	text_puts(out, " (A) ");
	safe_text_puts(out, f->name);
	text_puts(out, " : ");
	info_put_type(out, f->type);
	if (!f->readable)
		text_puts(out, " - WRITEONLY");
	else if (f->writable)
		text_puts(out, " - WRITEABLE");
	text_putc(out, '\n');
	info_put_description(out, f);
}

static void info_put_operation(struct text *out, const struct jmx_feature *f)
{
	text_puts(out, " (O) ");
	safe_text_puts(out, f->name);
	text_putc(out, '(');
	for (size_t i = 0; i < f->parameter_count; i++) {
		text_puts(out, i ? ", " : "");
		info_put_type(out, f->parameters[i].type);
		text_putc(out, ' ');
		safe_text_puts(out, f->parameters[i].name);
	}
	text_puts(out, ") : ");
	info_put_type(out, f->type);
	text_putc(out, '\n');
	info_put_description(out, f);
}

/* f->type holds the notification types. */
static void info_put_notification(struct text *out, const struct jmx_feature *f)
{
	text_puts(out, " (N) ");
	safe_text_puts(out, f->name);
	text_puts(out, " : ");
	safe_text_puts(out, f->type);
	text_putc(out, '\n');
	info_put_description(out, f);
}

typedef void put_fn(struct text *out, const struct jmx_feature *f);

static void info_put_each(struct text *out, const struct jmx_feature *f,
			  size_t count, put_fn *put)
{
	for (size_t i = 0; i < count; i++)
		put(out, &f[i]);
}

static void info_put_text(struct info *i, const char *object,
			  const struct jmx_info *info)
{
	if (i->count++)
		text_putc(&i->text, '\n');
	safe_text_puts(&i->text, object);
	text_putc(&i->text, '\n');
	safe_text_puts(&i->text, info->class);
	text_puts(&i->text, "\n - ");
	safe_text_puts(&i->text, info->description);
	text_putc(&i->text, '\n');
	info_put_each(&i->text, info->attributes, info->attribute_count,
		      info_put_attribute);
	info_put_each(&i->text, info->operations, info->operation_count,
		      info_put_operation);
	info_put_each(&i->text, info->notifications, info->notification_count,
		      info_put_notification);
}

static void info_json_feature(struct json *j, const struct jmx_feature *f)
{
	struct text type = { 0 };

	text_puts(&type, "");
	java_type_add(&type, f->type);
	json_add_text(j, "name", f->name);
	json_add_text(j, "type", type.bytes);
	json_add_text(j, "description", f->description);
	text_release(&type);
}

static void info_json_attribute(struct json *j, const struct jmx_feature *f)
{
	info_json_feature(j, f);
	json_add_bool(j, "readable", f->readable);
	json_add_bool(j, "writable", f->writable);
}

static void info_json_operation(struct json *j, const struct jmx_feature *f)
{
	info_json_feature(j, f);
	json_add_text(j, "impact",
		      impacts[f->impact >= 0 && f->impact < 3 ? f->impact : 3]);
	json_add_array(j, "parameters");
	for (size_t i = 0; i < f->parameter_count; i++) {
		json_open_object(j);
		info_json_feature(j, &f->parameters[i]);
		json_close_object(j);
	}
	json_close_array(j);
}

typedef void json_fn(struct json *j, const struct jmx_feature *f);

static void info_json_array(struct json *j, const char *key,
			    const struct jmx_feature *f, size_t count,
			    json_fn *put)
{
	json_add_array(j, key);
	for (size_t i = 0; i < count; i++) {
		json_open_object(j);
		put(j, &f[i]);
		json_close_object(j);
	}
	json_close_array(j);
}

static void info_json_bean(struct json *j, const char *object,
			   const struct jmx_info *info)
{
	json_open_object(j);
	json_add_text(j, "name", object);
	json_add_text(j, "class", info->class);
	json_add_text(j, "description", info->description);
	info_json_array(j, "attributes", info->attributes,
			info->attribute_count, info_json_attribute);
	info_json_array(j, "operations", info->operations,
			info->operation_count, info_json_operation);
	info_json_array(j, "notifications", info->notifications,
			info->notification_count, info_json_feature);
	json_close_object(j);
}

static bool info_is_json(const struct info *i)
{
	return i->mx->opt->json || i->mx->opt->json_array;
}

static int info_take_reply(void *self, size_t index,
			   const struct jmx_reply *reply, struct error *err)
{
	struct info *i = self;
	const char *object = i->mx->names[index];

	i->mx->had++;
	if (reply->failure)
		mx_failed(i->mx, reply->kind, "%s: %s", object, reply->failure);
	else if (info_is_json(i))
		info_json_bean(&i->json, object, reply->info);
	else
		info_put_text(i, object, reply->info);
	return mx_flush(i->mx, &i->text, err);
}

static int info_request(struct info *i, struct error *err)
{
	size_t count = i->mx->count;
	struct jmx_request *requests = xcalloc(count, sizeof(*requests));
	int ret;

	for (size_t k = 0; k < count; k++) {
		requests[k].verb = JMX_INFO;
		requests[k].object = i->mx->names[k];
	}
	ret = jmx_run(i->mx->jmx, requests, count, info_take_reply, i, err);
	free(requests);
	return ret;
}

int mx_info(struct mx *m, struct error *err)
{
	struct info i = { .mx = m };
	int ret;

	i.json = json_into(&i.text);
	if (info_is_json(&i)) {
		json_open_object(&i.json);
		json_add_text(&i.json, "schema", "sjkc.mxinfo/1");
		json_add_array(&i.json, "mbeans");
	}
	ret = info_request(&i, err);
	if (info_is_json(&i)) {
		json_close_array(&i.json);
		json_close_object(&i.json);
		text_putc(&i.text, '\n');
	}
	if (mx_flush(m, &i.text, ret ? error_unused() : err))
		ret = -1;
	text_release(&i.text);
	return ret;
}
