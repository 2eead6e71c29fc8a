/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_from_value.h"

#include "jmx_http/value/java_type.h"

#include <math.h>
#include <string.h>

#define ARRAY_DIMENSIONS   8
#define DESCRIPTOR_IN_LINE 1 /* javax.management.MBeanInfo.writeObject() */

/* Writing simple values */

static void write_as_text(struct java_output *o, const struct value *v)
{
	struct text shown = { 0 };

	text_puts(&shown, "");
	if (value_text_of(v))
		java_output_string(o, v->text.at, v->text.len);
	else {
		value_cell(&shown, v);
		java_output_string(o, shown.bytes, shown.len);
	}
	text_release(&shown);
}

/* The carrier's cut numbers are NaN or infinite; a primitive cannot be null. */
static bool write_primitive(struct text *out, const struct value *v,
			    const struct java_primitive *p)
{
	static const struct value nan = { .kind = VALUE_REAL, .real = NAN };
	bool is_real = p->letter == 'D' || p->letter == 'F';

	if (is_real && v->kind == VALUE_CUT)
		v = &nan;
	return java_write_primitive(out, v, p, error_unused()) == 0;
}

static bool write_box(struct java_output *o, const struct value *v,
		      const struct java_primitive *p)
{
	struct text bytes = { 0 };
	bool fits = write_primitive(&bytes, v, p);

	if (fits) {
		java_output_object(o, java_box_shape(p));
		text_add(o->out, bytes.bytes, bytes.len);
	}
	text_release(&bytes);
	return fits;
}

static bool write_big(struct java_output *o, const struct value *v,
		      bool is_decimal)
{
	struct text digits = { 0 };
	bool done = v->kind == VALUE_INTEGER || v->kind == VALUE_NUMBER;

	if (done)
		value_cell(&digits, v);
	done = done && java_output_big(o, digits.bytes, is_decimal);
	text_release(&digits);
	return done;
}

static bool write_date(struct java_output *o, const struct value *v)
{
	if (v->kind != VALUE_DATE)
		return false;
	java_output_date(o, v->integer);
	return true;
}

static bool write_name(struct java_output *o, const struct value *v)
{
	if (v->kind != VALUE_NAME && v->kind != VALUE_STRING)
		return false;
	java_output_object_name(o, v->text.at);
	return true;
}

static bool write_string(struct java_output *o, const struct value *v)
{
	if (value_text_of(v))
		java_output_string(o, v->text.at, v->text.len);
	return value_text_of(v) != NULL;
}

/* Writes a value as an object of a simple class; false if it is none. */
static bool write_simple(struct java_output *o, const struct value *v,
			 const char *class)
{
	const struct java_primitive *p = java_primitive_named(class,
							      strlen(class));

	if (p)
		return write_box(o, v, p);
	if (strcmp(class, java_open_classes[OPEN_STRING]) == 0)
		return write_string(o, v);
	if (strcmp(class, java_open_classes[OPEN_NAME]) == 0)
		return write_name(o, v);
	if (strcmp(class, java_open_classes[OPEN_DATE]) == 0)
		return write_date(o, v);
	if (strcmp(class, java_open_classes[OPEN_BIG_INTEGER]) == 0 ||
	    strcmp(class, java_open_classes[OPEN_BIG_DECIMAL]) == 0)
		return write_big(o, v, class[13] == 'D');
	return false;
}

/* Writing open data */

static void open_write(struct java_from_value *f, const struct value *v,
		       struct open_type *t);

static void open_write_composite(struct java_from_value *f,
				 const struct value *v, struct open_type *t)
{
	struct java_output *o = f->output;

	java_output_object(o, &java_shape_composite_data_support);
	java_open_write_type(o, t);
	java_output_sorted_map(o, (uint32_t)v->members.count);
	for (size_t i = 0; i < v->members.count; i++) {
		java_output_text(o, v->members.at[i].name);
		open_write(f, v->members.at[i].value, t->items[i].type);
	}
	java_write_end(o->out);
}

/* The key of a row is the list of its index columns. */
static void open_write_key(struct java_from_value *f, const struct value *row,
			   const struct open_type *t,
			   const struct open_type *row_type)
{
	struct java_output *o = f->output;

	java_output_list(o, (uint32_t)t->index_count);
	for (size_t i = 0; i < t->index_count; i++) {
		const struct value *key = value_member(row, t->index[i]);
		size_t at = 0;

		while (at < row_type->item_count &&
		       strcmp(row_type->items[at].name, t->index[i]) != 0)
			at++;
		if (key && at < row_type->item_count)
			open_write(f, key, row_type->items[at].type);
		else
			java_write_null(o->out);
	}
	java_write_end(o->out);
}

static void open_write_table(struct java_from_value *f, const struct value *v,
			     struct open_type *t)
{
	struct java_output *o = f->output;
	const struct value *table = java_open_table(f, v);

	java_output_object(o, &java_shape_tabular_data_support);
	java_output_map(o, (uint32_t)table->table.row_count);
	for (size_t i = 0; i < table->table.row_count; i++) {
		const struct value *row = table->table.rows[i];
		struct open_type *own = t->element;

		/* Rows may differ: deserialization does not check them. */
		if (own->kind != OPEN_COMPOSITE || !java_open_fits(f, own, row))
			own = java_open_type_of(f, row);
		open_write_key(f, row, t, own);
		open_write(f, row, own);
	}
	java_output_map_end(o);
	java_open_write_type(o, t);
}

/* Writes a value that fits the type; VALUE_DEPTH_MAX bounds this recursion. */
static void open_write(struct java_from_value *f, const struct value *v,
		       struct open_type *t)
{
	struct java_output *o = f->output;

	if (java_open_is_missing(v)) {
		java_write_null(o->out);
		return;
	}
	switch (t->kind) {
	case OPEN_SIMPLE:
		if (write_simple(o, v, t->name))
			break;
		if (strcmp(t->name, java_open_classes[OPEN_STRING]) == 0)
			write_as_text(o, v);
		else
			java_write_null(o->out);
		break;
	case OPEN_ARRAY:
		java_output_array(o, t->name, (uint32_t)v->list.count);
		for (size_t i = 0; i < v->list.count; i++)
			open_write(f, v->list.at[i], t->element);
		break;
	case OPEN_COMPOSITE:
		open_write_composite(f, v, t);
		break;
	case OPEN_TABLE:
		open_write_table(f, v, t);
		break;
	}
}

/* Writing values of a declared type */

static void from_value_by_kind(struct java_from_value *f,
			       const struct value *v);

static bool type_is_collection(const char *type, const char *interface)
{
	return strncmp(type, "java.util.", 10) == 0 && strstr(type, interface);
}

static void from_value_list(struct java_from_value *f, const struct value *v,
			    bool is_set)
{
	if (is_set)
		java_output_set(f->output, (uint32_t)v->list.count);
	else
		java_output_list(f->output, (uint32_t)v->list.count);
	for (size_t i = 0; i < v->list.count; i++)
		from_value_by_kind(f, v->list.at[i]);
	java_write_end(f->output->out);
}

static void from_value_map(struct java_from_value *f, const struct value *v)
{
	java_output_map(f->output, (uint32_t)v->map.count);
	for (size_t i = 0; i < v->map.count; i++) {
		from_value_by_kind(f, v->map.at[i].key);
		from_value_by_kind(f, v->map.at[i].value);
	}
	java_output_map_end(f->output);
}

static bool from_value_primitives(struct java_from_value *f,
				  const struct value *v,
				  const struct java_primitive *p,
				  const char *type)
{
	struct text bytes = { 0 };
	bool fits = true;

	for (size_t i = 0; fits && i < v->list.count; i++)
		fits = write_primitive(&bytes, v->list.at[i], p);
	if (fits) {
		java_output_array(f->output, type, (uint32_t)v->list.count);
		text_add(f->output->out, bytes.bytes, bytes.len);
	}
	text_release(&bytes);
	return fits;
}

/* True if each element may be stored in an array of the class. */
static bool elements_fit(const struct value *v, const char *class)
{
	for (size_t i = 0; i < v->list.count; i++) {
		const struct value *e = v->list.at[i];
		bool fits = java_open_is_missing(e);

		if (strcmp(class, COMPOSITE_DATA) == 0)
			fits |= java_open_is_composite(e);
		else if (strcmp(class, TABULAR_DATA) == 0)
			fits |= java_open_may_be_table(e);
		else
			fits |= java_open_class_fits(class, e);
		if (!fits)
			return false;
	}
	return true;
}

/* Classes of elements that from_value_typed() writes. */
static bool element_is_known(const char *class)
{
	size_t i = 0;

	while (i < OPEN_SIMPLE_TYPES &&
	       strcmp(class, java_open_classes[i]) != 0)
		i++;
	return i < OPEN_SIMPLE_TYPES || strchr(class, '[') ||
	       java_primitive_named(class, strlen(class)) ||
	       strcmp(class, COMPOSITE_DATA) == 0 ||
	       strcmp(class, TABULAR_DATA) == 0;
}

static bool from_value_typed(struct java_from_value *f, const struct value *v,
			     const char *type);

static void from_value_elements(struct java_from_value *f,
				const struct value *v, const char *class)
{
	struct open_type *common = NULL;

	if (strcmp(class, COMPOSITE_DATA) == 0)
		common = java_open_common_type(f, v->list.at, v->list.count);
	for (size_t i = 0; i < v->list.count; i++) {
		const struct value *e = v->list.at[i];

		if (common && common->kind == OPEN_COMPOSITE)
			open_write(f, e, common);
		else if (java_open_is_missing(e) ||
			 !from_value_typed(f, e, class))
			java_write_null(f->output->out);
	}
}

/* Dimensions of the type bound this recursion. */
static bool from_value_array(struct java_from_value *f, const struct value *v,
			     const char *type)
{
	const struct java_primitive *p = type[1] && !type[2]
						 ? java_primitive_of(type[1])
						 : NULL;
	struct text element = { 0 };
	bool fits;

	if (v->kind != VALUE_ARRAY || strspn(type, "[") > ARRAY_DIMENSIONS)
		return false;
	if (p)
		return from_value_primitives(f, v, p, type);
	text_puts(&element, "");
	fits = java_type_element(type, &element) &&
	       element_is_known(element.bytes) &&
	       (element.bytes[0] == '[' || elements_fit(v, element.bytes));
	if (fits) {
		java_output_array(f->output, type, (uint32_t)v->list.count);
		from_value_elements(f, v, element.bytes);
	}
	text_release(&element);
	return fits;
}

/* False, and nothing is written, if the value does not have the type. */
static bool from_value_typed(struct java_from_value *f, const struct value *v,
			     const char *type)
{
	if (type[0] == '[')
		return from_value_array(f, v, type);
	if (strcmp(type, COMPOSITE_DATA) == 0 && java_open_is_composite(v)) {
		open_write(f, v, java_open_type_of(f, v));
		return true;
	}
	if (strcmp(type, TABULAR_DATA) == 0 && java_open_may_be_table(v)) {
		open_write(f, v, java_open_table_type(f, v));
		return true;
	}
	if (v->kind == VALUE_ARRAY && (type_is_collection(type, "List") ||
				       type_is_collection(type, "Collection") ||
				       type_is_collection(type, "Set"))) {
		from_value_list(f, v, type_is_collection(type, "Set"));
		return true;
	}
	if (v->kind == VALUE_MAP && type_is_collection(type, "Map")) {
		from_value_map(f, v);
		return true;
	}
	return write_simple(f->output, v, type);
}

/* The depth of the value bounds this recursion. */
static void from_value_by_kind(struct java_from_value *f, const struct value *v)
{
	if (java_open_is_missing(v))
		java_write_null(f->output->out);
	else if (v->kind == VALUE_ARRAY)
		from_value_list(f, v, false);
	else if (v->kind == VALUE_MAP)
		from_value_map(f, v);
	else
		open_write(f, v, java_open_type_of(f, v));
}

bool java_from_value_of_type(struct java_from_value *f, const struct value *v,
			     const char *type)
{
	java_open_begin(f);
	return from_value_typed(f, v, type);
}

void java_from_value(struct java_from_value *f, const struct value *v,
		     const char *type)
{
	java_open_begin(f);
	if (java_open_is_missing(v) || !from_value_typed(f, v, type))
		from_value_by_kind(f, v);
}

/* MBeanInfo */

/* javax.management.MBeanInfo and MBeanFeatureInfo write it after the fields. */
static void info_write_descriptor(struct java_output *o)
{
	java_write_block(o->out, 1);
	text_putc(o->out, DESCRIPTOR_IN_LINE);
	java_output_array(o, "[Ljava.lang.String;", 0);
	java_output_array(o, "[Ljava.lang.Object;", 0);
	java_write_end(o->out);
}

static void info_write_feature(struct java_output *o,
			       const struct java_shape *shape,
			       const struct jmx_feature *feature)
{
	java_output_object(o, shape);
	java_output_text(o, feature->description);
	java_output_text(o, feature->name);
	info_write_descriptor(o);
}

static void info_write_attributes(struct java_output *o,
				  const struct jmx_info *info)
{
	java_output_array(o, "[Ljavax.management.MBeanAttributeInfo;",
			  (uint32_t)info->attribute_count);
	for (size_t i = 0; i < info->attribute_count; i++) {
		const struct jmx_feature *a = &info->attributes[i];

		info_write_feature(o, &java_shape_mbean_attribute_info, a);
		text_putc(o->out, a->is_getter);
		text_putc(o->out, a->readable);
		text_putc(o->out, a->writable);
		java_output_text(o, a->type);
	}
}

static void info_write_parameters(struct java_output *o,
				  const struct jmx_feature *operation)
{
	java_output_array(o, "[Ljavax.management.MBeanParameterInfo;",
			  (uint32_t)operation->parameter_count);
	for (size_t i = 0; i < operation->parameter_count; i++) {
		info_write_feature(o, &java_shape_mbean_parameter_info,
				   &operation->parameters[i]);
		java_output_text(o, operation->parameters[i].type);
	}
}

static void info_write_operations(struct java_output *o,
				  const struct jmx_info *info)
{
	java_output_array(o, "[Ljavax.management.MBeanOperationInfo;",
			  (uint32_t)info->operation_count);
	for (size_t i = 0; i < info->operation_count; i++) {
		const struct jmx_feature *op = &info->operations[i];

		info_write_feature(o, &java_shape_mbean_operation_info, op);
		java_write_u32(o->out, (uint32_t)op->impact);
		info_write_parameters(o, op);
		java_output_text(o, op->type);
	}
}

/* The types of a notification are one text, "a, b", in jmx_info. */
static void info_write_types(struct java_output *o, const char *types)
{
	uint32_t count = 1;

	for (const char *at = types; (at = strstr(at, ", ")); at += 2)
		count++;
	java_output_array(o, "[Ljava.lang.String;", *types ? count : 0);
	while (*types) {
		const char *end = strstr(types, ", ");
		size_t len = end ? (size_t)(end - types) : strlen(types);

		java_output_string(o, types, len);
		types += end ? len + 2 : len;
	}
}

static void info_write_notifications(struct java_output *o,
				     const struct jmx_info *info)
{
	java_output_array(o, "[Ljavax.management.MBeanNotificationInfo;",
			  (uint32_t)info->notification_count);
	for (size_t i = 0; i < info->notification_count; i++) {
		const struct jmx_feature *n = &info->notifications[i];

		info_write_feature(o, &java_shape_mbean_notification_info, n);
		info_write_types(o, n->type);
	}
}

void java_from_info(struct java_output *o, const struct jmx_info *info)
{
	java_output_object(o, &java_shape_mbean_info);
	info_write_attributes(o, info);
	java_output_text(o, info->class);
	java_output_array(o, "[Ljavax.management.MBeanConstructorInfo;", 0);
	java_output_text(o, info->description);
	info_write_notifications(o, info);
	info_write_operations(o, info);
	info_write_descriptor(o);
}
