/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a graph of Java objects within a budget, and makes values of it. */
#include "jmx_http/java/java_to_value.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "jmx_http/java/java_convert.h"
#include "jmx_http/java/java_stream.h"
#include "jmx_http/value/java_type.h"

#include <stdlib.h>
#include <string.h>

struct java_convert java_convert_into(struct arena *a)
{
	return (struct java_convert){ .arena = a, .left = CONVERT_COST_MAX };
}

void java_convert_end(struct java_convert *c)
{
	map64_release(&c->text_ids);
	map64_release(&c->class_ids);
	free(c->texts);
}

bool java_convert_pay(struct java_convert *c, size_t cost)
{
	if (c->left < cost) {
		c->left = 0;
		return false;
	}
	c->left -= cost;
	return true;
}

/*
 * Limit for the growth of one text.  Invalid bytes become U+FFFD, up to three
 * times as long, and JSON writes a control character as six.
 */
#define GROWTH_MAX ((size_t)16 << 20)
#define PIECE      ((size_t)1 << 20)

/* True if a text may be split before `at`. */
static bool convert_is_boundary(const uint8_t *at, size_t left)
{
	bool is_low = left > 1 && at[0] == 0xed && at[1] >= 0xb0;

	return (at[0] & 0xc0) != 0x80 && !is_low;
}

/* The length of the next piece, which splits no character. */
static size_t convert_piece(const char *text, size_t len)
{
	const uint8_t *bytes = (const uint8_t *)text;

	if (len <= PIECE)
		return len;
	/* The longest character, a surrogate pair, has six bytes. */
	for (size_t end = PIECE; end > PIECE - 6; end--)
		if (convert_is_boundary(bytes + end, len - end))
			return end;
	return PIECE;
}

/* The growth of a text in JSON, which writes control characters as \u001b. */
static size_t convert_growth(const char *text, size_t len)
{
	size_t controls = 0;

	for (size_t i = 0; i < len; i++) {
		uint8_t c = (uint8_t)text[i];

		controls += c < 0x20 && c != '\n' && c != '\t' && c != '\r';
	}
	return 5 * controls;
}

static void convert_make_valid(struct text *utf8, struct java_bytes bytes)
{
	size_t at = 0, growth = 0;

	while (at < bytes.len && utf8->len + growth < at + GROWTH_MAX) {
		size_t len = convert_piece(bytes.at + at, bytes.len - at);

		safe_text_valid(utf8, bytes.at + at, len);
		growth += convert_growth(bytes.at + at, len);
		at += len;
	}
	if (at < bytes.len)
		text_puts(utf8, "... (truncated: mostly binary)");
}

struct value_text java_to_text(struct java_bytes bytes, struct arena *a)
{
	struct value_text text = { .len = bytes.len };
	struct text utf8 = { 0 };

	if (safe_text_is(bytes.at, bytes.len)) {
		text.at = arena_copy(a, bytes.at, bytes.len);
		return text;
	}
	convert_make_valid(&utf8, bytes);
	text.at = arena_copy(a, utf8.bytes, utf8.len);
	text.len = utf8.len;
	text_release(&utf8);
	return text;
}

struct value_text java_convert_text(struct java_convert *c,
				    struct java_bytes bytes)
{
	uint64_t key = (uint64_t)(uintptr_t)bytes.at;
	size_t cost;
	uint32_t id;

	cost = convert_growth(bytes.at, bytes.len);
	cost = (bytes.len + (cost < GROWTH_MAX ? cost : GROWTH_MAX)) / 64;
	if (!bytes.len || !java_convert_pay(c, cost))
		return (struct value_text){ "", 0 };
	id = map64_get(&c->text_ids, key);
	if (id != MAP64_NONE)
		return c->texts[id];
	array_reserve(c->texts, c->text_cap, c->text_count + 1);
	c->texts[c->text_count] = java_to_text(bytes, c->arena);
	map64_add(&c->text_ids, key, (uint32_t)c->text_count);
	return c->texts[c->text_count++];
}

struct value *java_convert_new(struct java_convert *c, enum value_kind kind,
			       const char *type)
{
	struct value *v = arena_alloc(c->arena, sizeof(*v));

	memset(v, 0, sizeof(*v));
	v->kind = kind;
	v->type = type;
	return v;
}

const struct value *java_convert_cut(struct java_convert *c, const char *why)
{
	struct value *v = java_convert_new(c, VALUE_CUT, "");

	v->text = (struct value_text){ why, strlen(why) };
	return v;
}

const char *java_convert_type(struct java_convert *c,
			      const struct java_value *v)
{
	return java_convert_text(c, java_class_name_of(v)).at;
}

static const struct value *convert_char(struct java_convert *c, int64_t unit,
					const char *type)
{
	struct value *v = java_convert_new(c, VALUE_STRING, type);
	struct text text = { 0 }, valid = { 0 };

	text_utf8(&text, (uint32_t)unit);
	safe_text_valid(&valid, text.bytes, text.len);
	v->text.at = arena_copy(c->arena, valid.bytes, valid.len);
	v->text.len = valid.len;
	text_release(&text);
	text_release(&valid);
	return v;
}

static const struct value *convert_primitive(struct java_convert *c,
					     const struct java_value *v)
{
	const struct java_primitive *p = java_primitive_of(v->type);
	const char *type = p ? p->name : "";
	struct value *made;

	if (v->type == 'C')
		return convert_char(c, v->integer, type);
	made = java_convert_new(c,
				v->kind == JAVA_REAL ? VALUE_REAL
				: v->type == 'Z'     ? VALUE_BOOLEAN
						     : VALUE_INTEGER,
				type);
	if (v->kind == JAVA_REAL)
		made->real = v->real;
	else
		made->integer = v->integer;
	return made;
}

static const struct value *convert_string(struct java_convert *c,
					  const struct java_value *v)
{
	struct value *made = java_convert_new(c, VALUE_STRING,
					      "java.lang.String");

	made->text = java_convert_text(c, v->bytes);
	if (v->bytes.len && !made->text.len)
		return java_convert_cut(c, "too large");
	return made;
}

static const struct value *convert_enum(struct java_convert *c,
					const struct java_value *v)
{
	struct value *made = java_convert_new(c, VALUE_ENUM, "");

	if (v->constant.class)
		made->type = java_convert_text(c, v->constant.class->name).at;
	made->text = java_convert_text(c, v->constant.name);
	return made;
}

static const struct value *convert_class(struct java_convert *c,
					 const struct java_value *v)
{
	struct value *made = java_convert_new(c, VALUE_STRING,
					      "java.lang.Class");

	made->text = (struct value_text){ "", 0 };
	if (v->class)
		made->text = java_convert_text(c, v->class->name);
	return made;
}

/* Adds an element; false after the last element that the budget allows. */
static bool convert_add_element(struct java_convert *c, const struct value **at,
				size_t *count, const struct java_value *v)
{
	if (!c->left) {
		at[(*count)++] = java_convert_cut(c, "too large");
		return false;
	}
	at[(*count)++] = java_convert_value(c, v);
	return true;
}

static const struct value *convert_array(struct java_convert *c,
					 const struct java_value *v)
{
	const struct java_array *a = &v->array;
	/* An array that contains itself may be incomplete. */
	size_t n = a->raw ? a->count : a->elements.count, count = 0;
	const struct value **at = arena_alloc(
		c->arena, (n < c->left ? n : c->left + 1) * sizeof(*at));
	const struct java_primitive *p = java_primitive_of(a->type);
	struct cursor raw = cursor_over(a->raw, a->raw && p ? n * p->size : 0);
	struct value *made = java_convert_new(
		c, VALUE_ARRAY, java_convert_text(c, a->class->name).at);

	for (size_t i = 0; i < n; i++) {
		struct java_value element;

		if (a->raw)
			element = java_read_primitive(&raw, a->type);
		if (!convert_add_element(c, at, &count,
					 a->raw ? &element : a->elements.at[i]))
			break;
	}
	made->list.at = at;
	made->list.count = count;
	return made;
}

static size_t part_field_count(const struct java_part *part)
{
	return part->fields && part->class ? part->class->field_count : 0;
}

/* The number of objects in the annotations of a class. */
static size_t list_count_objects(const struct java_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += list->at[i]->kind != JAVA_BLOCK;
	return count;
}

static const struct value *convert_written(struct java_convert *c,
					   const struct java_list *list)
{
	struct value *made = java_convert_new(c, VALUE_ARRAY, "");
	size_t n = list_count_objects(list), count = 0;
	const struct value **at = arena_alloc(
		c->arena, (n < c->left ? n : c->left + 1) * sizeof(*at));

	for (size_t i = 0; i < list->count; i++)
		if (list->at[i]->kind != JAVA_BLOCK &&
		    !convert_add_element(c, at, &count, list->at[i]))
			break;
	made->list.at = at;
	made->list.count = count;
	return made;
}

/* Objects with more fields skip the search for equal names. */
#define SHADOWS_MAX 256

/* True if a derived class has a field of the same name. */
static bool convert_is_shadowed(const struct java_object *o, size_t part,
				struct java_bytes name)
{
	for (size_t i = part + 1; i < o->part_count; i++) {
		const struct java_class *class = o->parts[i].class;

		for (size_t f = 0; f < part_field_count(&o->parts[i]); f++)
			if (class->fields[f].name.len == name.len &&
			    !memcmp(class->fields[f].name.at, name.at,
				    name.len))
				return true;
	}
	return false;
}

/* A field's name; "Class.field" if a derived class hides the field. */
static const char *convert_field_name(struct java_convert *c,
				      const struct java_object *o, size_t part,
				      size_t field, size_t fields)
{
	const struct java_class *class = o->parts[part].class;
	struct value_text name = java_convert_text(c,
						   class->fields[field].name);
	struct text full = { 0 };
	const char *kept;

	if (fields > SHADOWS_MAX || !java_convert_pay(c, fields / 8) ||
	    !convert_is_shadowed(o, part, class->fields[field].name))
		return name.at;
	text_printf(&full, "%s.%s", java_convert_text(c, class->name).at,
		    name.at);
	kept = arena_copy(c->arena, full.bytes, full.len);
	text_release(&full);
	return kept;
}

/* Converts an object of an unknown class to its class name and fields. */
static const struct value *java_convert_fields(struct java_convert *c,
					       const struct java_value *v)
{
	const struct java_object *o = &v->object;
	struct value *made = java_convert_new(c, VALUE_OBJECT,
					      java_convert_type(c, v));
	struct value_member *at;
	size_t n = 0, count = 0;

	for (size_t i = 0; i < o->part_count; i++)
		n += part_field_count(&o->parts[i]) +
		     (list_count_objects(&o->parts[i].annotations) > 0);
	at = arena_alloc(c->arena,
			 (n < c->left ? n : c->left + 1) * sizeof(*at));
	for (size_t i = 0; i < o->part_count; i++) {
		const struct java_part *part = &o->parts[i];

		for (size_t f = 0; f < part_field_count(part) && c->left; f++)
			at[count++] = (struct value_member){
				convert_field_name(c, o, i, f, n),
				java_convert_value(c, part->fields[f])
			};
		if (list_count_objects(&part->annotations) && c->left)
			at[count++] = (struct value_member){
				"@written",
				convert_written(c, &part->annotations)
			};
	}
	if (count < n)
		at[count++] = (struct value_member){
			"@cut", java_convert_cut(c, "too large")
		};
	made->members.at = at;
	made->members.count = count;
	return made;
}

/* The id of the most derived known class among class and its supers; or 0. */
static uint32_t convert_known_class(struct java_convert *c,
				    const struct java_class *class)
{
	uint64_t key = (uint64_t)(uintptr_t) class;
	uint32_t id = map64_get(&c->class_ids, key);

	if (id != MAP64_NONE)
		return id;
	id = 0;
	java_convert_pay(c, class->generation);
	for (; class && !id; class = class->super)
		id = java_known_find(class->name);
	map64_add(&c->class_ids, key, id);
	return id;
}

bool java_convert_pay_fields(struct java_convert *c, const struct java_value *v)
{
	size_t fields = 0;

	if (!v || v->kind != JAVA_OBJECT)
		return true;
	for (size_t i = 0; i < v->object.part_count; i++)
		fields += part_field_count(&v->object.parts[i]) +
			  v->object.parts[i].annotations.count;
	return java_convert_pay(c, fields / 8);
}

static const struct value *convert_object(struct java_convert *c,
					  const struct java_value *v)
{
	const struct value *made = NULL;
	uint32_t id;

	if (!java_convert_pay_fields(c, v))
		return java_convert_cut(c, "too large");
	id = convert_known_class(c, v->object.class);
	if (id)
		made = java_known_convert(c, id, v);
	return made ? made : java_convert_fields(c, v);
}

static bool convert_is_cycle(const struct java_convert *c,
			     const struct java_value *v)
{
	for (size_t i = 0; i < c->depth; i++)
		if (c->path[i] == v)
			return true;
	return false;
}

/* Converts an object or array; VALUE_DEPTH_MAX bounds the recursion. */
static const struct value *convert_deep(struct java_convert *c,
					const struct java_value *v)
{
	const struct value *made;

	if (convert_is_cycle(c, v))
		return java_convert_cut(c, "refers to an enclosing value");
	if (c->depth == VALUE_DEPTH_MAX)
		return java_convert_cut(c, "too deep");
	c->path[c->depth++] = v;
	made = v->kind == JAVA_ARRAY ? convert_array(c, v)
				     : convert_object(c, v);
	c->depth--;
	return made;
}

const struct value *java_convert_value(struct java_convert *c,
				       const struct java_value *v)
{
	if (!java_convert_pay(c, 1))
		return java_convert_cut(c, "too large");
	if (!v || v->kind == JAVA_NULL)
		return &value_null;
	switch (v->kind) {
	case JAVA_INTEGER:
	case JAVA_REAL:
		return convert_primitive(c, v);
	case JAVA_STRING:
		return convert_string(c, v);
	case JAVA_ENUM:
		return convert_enum(c, v);
	case JAVA_CLASS:
	case JAVA_CLASS_DESC:
		return convert_class(c, v);
	case JAVA_ARRAY:
	case JAVA_OBJECT:
		return convert_deep(c, v);
	default:
		return java_convert_cut(c, "bytes that belong to no object");
	}
}

const struct value *java_to_value(const struct java_value *v, struct arena *a)
{
	struct java_convert c = java_convert_into(a);
	const struct value *made = java_convert_value(&c, v);

	java_convert_end(&c);
	return made;
}

/* The description of an MBean */

#define IMPACT_UNKNOWN 3 /* MBeanOperationInfo.UNKNOWN */

static const char *info_text(struct java_convert *c, const struct java_value *v,
			     const char *field)
{
	return java_convert_text(c, java_string_of(java_field_of(v, field))).at;
}

static bool info_flag(const struct java_value *v, const char *field)
{
	const struct java_value *flag = java_field_of(v, field);

	return flag && flag->kind == JAVA_INTEGER && flag->integer;
}

static void info_read_feature(struct java_convert *c,
			      const struct java_value *v, struct jmx_feature *f)
{
	f->name = info_text(c, v, "name");
	f->description = info_text(c, v, "description");
	f->type = info_text(c, v, "type");
}

static void info_read_attribute(struct java_convert *c,
				const struct java_value *v,
				struct jmx_feature *f)
{
	info_read_feature(c, v, f);
	f->type = info_text(c, v, "attributeType");
	f->readable = info_flag(v, "isRead");
	f->writable = info_flag(v, "isWrite");
	f->is_getter = info_flag(v, "is");
}

typedef void info_read_fn(struct java_convert *c, const struct java_value *v,
			  struct jmx_feature *f);

/* Converts an array of features in order; skips elements of other kinds. */
static const struct jmx_feature *info_read_array(struct java_convert *c,
						 const struct java_value *array,
						 info_read_fn *read,
						 size_t *count)
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

static void info_read_operation(struct java_convert *c,
				const struct java_value *v,
				struct jmx_feature *f)
{
	const struct java_value *impact = java_field_of(v, "impact");

	info_read_feature(c, v, f);
	if (impact && impact->kind == JAVA_INTEGER && impact->integer >= 0 &&
	    impact->integer < IMPACT_UNKNOWN)
		f->impact = (int)impact->integer;
	f->parameters = info_read_array(c, java_field_of(v, "signature"),
					info_read_feature, &f->parameter_count);
}

/*
 * The name of a notification feature is the class of the notification; its
 * types are strings.
 */
static void info_read_notification(struct java_convert *c,
				   const struct java_value *v,
				   struct jmx_feature *f)
{
	const struct java_value *types = java_field_of(v, "types");
	struct text joined = { 0 };

	info_read_feature(c, v, f);
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
	info->class = info_text(&c, v, "className");
	info->description = info_text(&c, v, "description");
	info->attributes = info_read_array(&c, java_field_of(v, "attributes"),
					   info_read_attribute,
					   &info->attribute_count);
	info->operations = info_read_array(&c, java_field_of(v, "operations"),
					   info_read_operation,
					   &info->operation_count);
	info->notifications = info_read_array(
		&c, java_field_of(v, "notifications"), info_read_notification,
		&info->notification_count);
	java_convert_end(&c);
	return info;
}
