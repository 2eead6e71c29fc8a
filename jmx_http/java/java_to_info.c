/* SPDX-License-Identifier: Apache-2.0 */
/* javax.management.MBeanInfo, its open and model kinds, too: they are below. */
#include "jmx_http/java/java_convert.h"
#include "jmx_http/java/java_to_value.h"

#include <string.h>

#define IMPACT_UNKNOWN 3 /* MBeanOperationInfo.UNKNOWN */

static const char *text_of(struct java_convert *c, const struct java_value *v,
			   const char *field)
{
	return java_convert_text(c, java_string_of(java_field_of(v, field))).at;
}

static bool flag_of(const struct java_value *v, const char *field)
{
	const struct java_value *flag = java_field_of(v, field);

	return flag && flag->kind == JAVA_INTEGER && flag->integer;
}

static void read_feature(struct java_convert *c, const struct java_value *v,
			 struct jmx_feature *f)
{
	f->name = text_of(c, v, "name");
	f->description = text_of(c, v, "description");
	f->type = text_of(c, v, "type");
}

static void read_attribute(struct java_convert *c, const struct java_value *v,
			   struct jmx_feature *f)
{
	read_feature(c, v, f);
	f->type = text_of(c, v, "attributeType");
	f->readable = flag_of(v, "isRead");
	f->writable = flag_of(v, "isWrite");
	f->is_getter = flag_of(v, "is");
}

typedef void read_fn(struct java_convert *c, const struct java_value *v,
		     struct jmx_feature *f);

/* The features of an array, in their order; what is no object is left out. */
static const struct jmx_feature *read_array(struct java_convert *c,
					    const struct java_value *array,
					    read_fn *read, size_t *count)
{
	const struct java_list *list;
	struct jmx_feature *made;
	size_t n;

	*count = 0;
	if (!array || array->kind != JAVA_ARRAY)
		return NULL;
	list = &array->array.elements;
	n = list->count < c->left ? list->count : c->left;
	made = arena_alloc(c->arena, n * sizeof(*made));
	for (size_t i = 0; i < n && java_convert_pay(c, 1); i++) {
		struct jmx_feature *f = &made[*count];

		if (list->at[i]->kind != JAVA_OBJECT ||
		    !java_convert_pay_fields(c, list->at[i]))
			continue;
		*f = (struct jmx_feature){ .impact = IMPACT_UNKNOWN };
		read(c, list->at[i], f);
		++*count;
	}
	return made;
}

static void read_operation(struct java_convert *c, const struct java_value *v,
			   struct jmx_feature *f)
{
	const struct java_value *impact = java_field_of(v, "impact");

	read_feature(c, v, f);
	if (impact && impact->kind == JAVA_INTEGER && impact->integer >= 0 &&
	    impact->integer < IMPACT_UNKNOWN)
		f->impact = (int)impact->integer;
	f->parameters = read_array(c, java_field_of(v, "signature"),
				   read_feature, &f->parameter_count);
}

/* Its name is the class of what is sent, its types are in the notification. */
static void read_notification(struct java_convert *c,
			      const struct java_value *v, struct jmx_feature *f)
{
	const struct java_value *types = java_field_of(v, "types");
	struct text joined = { 0 };

	read_feature(c, v, f);
	if (!types || types->kind != JAVA_ARRAY)
		return;
	for (size_t i = 0; i < types->array.elements.count; i++) {
		struct java_bytes one = java_string_of(
			types->array.elements.at[i]);

		if (!java_convert_pay(c, 1 + one.len / 64))
			break;
		text_puts(&joined, i ? ", " : "");
		text_add(&joined, one.at, one.len);
	}
	if (joined.len)
		f->type = java_to_text((struct java_bytes){ joined.bytes,
							    joined.len },
				       c->arena)
				  .at;
	text_release(&joined);
}

const struct jmx_info *java_to_info(const struct java_value *v, struct arena *a)
{
	struct java_convert c = java_convert_into(a);
	struct jmx_info *info;

	if (!java_is(v, "javax.management.MBeanInfo"))
		return NULL;
	info = arena_alloc(a, sizeof(*info));
	memset(info, 0, sizeof(*info));
	info->class = text_of(&c, v, "className");
	info->description = text_of(&c, v, "description");
	info->attributes = read_array(&c, java_field_of(v, "attributes"),
				      read_attribute, &info->attribute_count);
	info->operations = read_array(&c, java_field_of(v, "operations"),
				      read_operation, &info->operation_count);
	info->notifications = read_array(&c, java_field_of(v, "notifications"),
					 read_notification,
					 &info->notification_count);
	java_convert_end(&c);
	return info;
}
