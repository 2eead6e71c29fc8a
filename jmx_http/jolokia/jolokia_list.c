/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_answer.h"

#include <stdlib.h>
#include <string.h>

/* A composite that grows up to the room that it was made with. */
struct list_object {
	struct value *value;
	struct value_member *members;
};

static struct list_object list_open(struct arena *a, size_t room)
{
	struct list_object o = { value_new(a, VALUE_COMPOSITE, ""),
				 arena_alloc(a,
					     (room + 1) * sizeof(*o.members)) };

	o.value->members.at = o.members;
	return o;
}

static void list_add(struct list_object *o, const char *name,
		     const struct value *v)
{
	o->members[o->value->members.count++] = (struct value_member){ name,
								       v };
}

static void list_add_text(struct list_object *o, const char *name,
			  const char *text, struct arena *a)
{
	list_add(o, name, value_string(a, text));
}

static void list_add_flag(struct list_object *o, const char *name, bool flag,
			  struct arena *a)
{
	struct value *v = value_new(a, VALUE_BOOLEAN, "boolean");

	v->integer = flag;
	list_add(o, name, v);
}

static const char *list_copy(const char *text, struct arena *a)
{
	return arena_copy(a, text, strlen(text));
}

static struct value *list_array(struct arena *a,
				const struct value *const *items, size_t count)
{
	struct value *v = value_new(a, VALUE_ARRAY, "");

	v->list.at = items;
	v->list.count = count;
	return v;
}

static const struct value *list_parameters(const struct jmx_feature *f,
					   struct arena *a)
{
	const struct value **items = arena_alloc(a, (f->parameter_count + 1) *
							    sizeof(*items));

	for (size_t i = 0; i < f->parameter_count; i++) {
		const struct jmx_feature *p = &f->parameters[i];
		struct list_object o = list_open(a, 3);

		list_add_text(&o, "name", p->name, a);
		list_add_text(&o, "type", p->type, a);
		list_add_text(&o, "desc", p->description, a);
		items[i] = o.value;
	}
	return list_array(a, items, f->parameter_count);
}

static const struct value *list_operation(const struct jmx_feature *f,
					  struct arena *a)
{
	struct list_object o = list_open(a, 3);

	list_add(&o, "args", list_parameters(f, a));
	list_add_text(&o, "ret", f->type, a);
	list_add_text(&o, "desc", f->description, a);
	return o.value;
}

static int list_compare_features(const void *a, const void *b)
{
	const struct jmx_feature *const *x = a, *const *y = b;
	int by_name = strcmp((*x)->name, (*y)->name);

	return by_name ? by_name : (*x > *y) - (*x < *y);
}

/* The features by name, and in their order if they have the same name. */
static const struct jmx_feature **list_sort(const struct jmx_feature *f,
					    size_t count, struct arena *a)
{
	const struct jmx_feature **sorted = arena_alloc(
		a, (count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &f[i];
	qsort(sorted, count, sizeof(*sorted), list_compare_features);
	return sorted;
}

static const struct value *list_operations(const struct jmx_info *info,
					   struct arena *a)
{
	size_t count = info->operation_count, same;
	const struct jmx_feature **f = list_sort(info->operations, count, a);
	struct list_object o = list_open(a, count);

	for (size_t i = 0; i < count; i += same) {
		const struct value **items;

		for (same = 1; i + same < count &&
			       strcmp(f[i]->name, f[i + same]->name) == 0;)
			same++;
		items = arena_alloc(a, same * sizeof(*items));
		for (size_t k = 0; k < same; k++)
			items[k] = list_operation(f[i + k], a);
		list_add(&o, list_copy(f[i]->name, a),
			 same == 1 ? *items : list_array(a, items, same));
	}
	return o.value;
}

/* Agents of version 1 have only "rw", those of version 2 "r" and "w", too. */
static const struct value *list_attributes(const struct jmx_info *info,
					   struct arena *a)
{
	struct list_object all = list_open(a, info->attribute_count);

	for (size_t i = 0; i < info->attribute_count; i++) {
		const struct jmx_feature *f = &info->attributes[i];
		struct list_object o = list_open(a, 6);

		list_add_flag(&o, "r", f->readable, a);
		list_add_flag(&o, "w", f->writable, a);
		list_add_flag(&o, "rw", f->readable && f->writable, a);
		list_add_flag(&o, "is", f->is_getter, a);
		list_add_text(&o, "type", f->type, a);
		list_add_text(&o, "desc", f->description, a);
		list_add(&all, list_copy(f->name, a), o.value);
	}
	return all.value;
}

/* The types of a notification are "first, second". */
static const struct value *list_types(const char *types, struct arena *a)
{
	const struct value **items = arena_alloc(a, (strlen(types) / 2 + 1) *
							    sizeof(*items));
	size_t count = 0;

	while (*types) {
		const char *end = strstr(types, ", ");
		size_t len = end ? (size_t)(end - types) : strlen(types);

		items[count++] = value_text(a, VALUE_STRING, "java.lang.String",
					    types, len);
		types += len + (end ? 2 : 0);
	}
	return list_array(a, items, count);
}

static const struct value *list_notifications(const struct jmx_info *info,
					      struct arena *a)
{
	struct list_object all = list_open(a, info->notification_count);

	for (size_t i = 0; i < info->notification_count; i++) {
		const struct jmx_feature *f = &info->notifications[i];
		struct list_object o = list_open(a, 3);

		list_add(&o, "types", list_types(f->type, a));
		list_add_text(&o, "name", f->name, a);
		list_add_text(&o, "desc", f->description, a);
		list_add(&all, list_copy(f->name, a), o.value);
	}
	return all.value;
}

const struct value *jolokia_list_bean(const struct jmx_info *info,
				      struct arena *a)
{
	struct list_object o = list_open(a, 5);

	if (info->operation_count)
		list_add(&o, "op", list_operations(info, a));
	if (info->notification_count)
		list_add(&o, "notif", list_notifications(info, a));
	if (info->attribute_count)
		list_add(&o, "attr", list_attributes(info, a));
	list_add_text(&o, "class", info->class, a);
	list_add_text(&o, "desc", info->description, a);
	return o.value;
}

static const struct value *list_json(const struct value *v, struct arena *a)
{
	struct text t = { 0 };
	struct json j = json_into(&t);
	const struct value *made;

	value_json(&j, v);
	made = value_string(a, t.bytes);
	text_release(&t);
	return made;
}

/* Objects are "1"; arrays, and objects in arrays, are their JSON. */
static const struct value *list_as_text(const struct value *v, bool is_element,
					struct arena *a)
{
	if (v->kind == VALUE_COMPOSITE && !is_element)
		return value_string(a, "1");
	return v->kind == VALUE_STRING ? v : list_json(v, a);
}

static const struct value *list_cut(const struct value *v, bool is_element,
				    int64_t levels, struct arena *a);

static const struct value *list_cut_elements(const struct value *v,
					     int64_t levels, struct arena *a)
{
	size_t count = v->list.count;
	const struct value **items = arena_alloc(a,
						 (count + 1) * sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = list_cut(v->list.at[i], true, levels - 1, a);
	return list_array(a, items, count);
}

/* A description has at most seven levels, which bound the recursion. */
static const struct value *list_cut(const struct value *v, bool is_element,
				    int64_t levels, struct arena *a)
{
	struct list_object o;

	if (!levels)
		return list_as_text(v, is_element, a);
	if (v->kind == VALUE_ARRAY)
		return list_cut_elements(v, levels, a);
	if (v->kind != VALUE_COMPOSITE)
		return v;
	o = list_open(a, v->members.count);
	for (size_t i = 0; i < v->members.count; i++)
		list_add(
			&o, v->members.at[i].name,
			list_cut(v->members.at[i].value, false, levels - 1, a));
	return o.value;
}

const struct value *jolokia_list_truncate(const struct value *v, int64_t levels,
					  struct arena *a)
{
	return levels ? list_cut(v, false, levels, a) : v;
}
