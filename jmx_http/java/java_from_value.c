/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_from_value.h"

#include "jmx_http/java/java_shapes.h"
#include "jmx_http/value/java_type.h"

#include <math.h>
#include <string.h>

#define OPEN               "javax.management.openmbean."
#define COMPOSITE_DATA     OPEN "CompositeData"
#define TABULAR_DATA       OPEN "TabularData"

#define ARRAY_DIMENSIONS   8
#define NOT_WRITTEN        UINT32_MAX
#define DESCRIPTOR_IN_LINE 1 /* javax.management.MBeanInfo.writeObject() */

/* Open types */

enum open_kind {
	OPEN_SIMPLE,
	OPEN_ARRAY,
	OPEN_COMPOSITE,
	OPEN_TABLE,
};

enum open_simple {
	OPEN_BOOLEAN,
	OPEN_INTEGER,
	OPEN_LONG,
	OPEN_DOUBLE,
	OPEN_STRING,
	OPEN_NAME,
	OPEN_DATE,
	OPEN_BIG_INTEGER,
	OPEN_BIG_DECIMAL,
	OPEN_SIMPLE_TYPES,
};

struct open_item {
	const char *name;
	struct open_type *type;
};

/* A javax.management.openmbean.OpenType. */
struct open_type {
	enum open_kind kind;
	/* The class of a simple value or an array; else the type's name. */
	const char *name;
	struct open_type *element; /* of an array; the rows of a table */
	uint32_t dimension;
	const struct open_item *items; /* of a composite, by name */
	size_t item_count;
	const char *const *index; /* of a table */
	size_t index_count;
	uint32_t handle; /* in the stream, or NOT_WRITTEN */
};

/* clang-format off */
static const char *const simple_names[OPEN_SIMPLE_TYPES] = {
	[OPEN_BOOLEAN] = "java.lang.Boolean",
	[OPEN_INTEGER] = "java.lang.Integer",
	[OPEN_LONG] = "java.lang.Long",
	[OPEN_DOUBLE] = "java.lang.Double",
	[OPEN_STRING] = "java.lang.String",
	[OPEN_NAME] = "javax.management.ObjectName",
	[OPEN_DATE] = "java.util.Date",
	[OPEN_BIG_INTEGER] = "java.math.BigInteger",
	[OPEN_BIG_DECIMAL] = "java.math.BigDecimal",
};

/*
 * The CompositeTypes of the MBeans of JDK 17 and 25.  Items are sorted; '?'
 * marks an item that older JDKs lack.  J is a long, I an int, Z a boolean, S a
 * String, @X a composite of this table, [X an array, %X a Map<String, X>.
 */
static const struct known_type {
	const char *package, *name;
	const char *items;
} known_types[] = {
	{ "java.lang.management.", "MemoryUsage",
	  "committed=J init=J max=J used=J" },
	{ "java.lang.", "StackTraceElement",
	  "classLoaderName?=S className=S fileName=S lineNumber=I methodName=S "
	  "moduleName?=S moduleVersion?=S nativeMethod=Z" },
	{ "java.lang.management.", "LockInfo",
	  "className=S identityHashCode=I" },
	{ "java.lang.management.", "MonitorInfo",
	  "className=S identityHashCode=I lockedStackDepth=I "
	  "lockedStackFrame=@StackTraceElement" },
	{ "java.lang.management.", "ThreadInfo",
	  "blockedCount=J blockedTime=J daemon?=Z inNative=Z "
	  "lockInfo?=@LockInfo lockName=S lockOwnerId=J lockOwnerName=S "
	  "lockedMonitors?=[@MonitorInfo lockedSynchronizers?=[@LockInfo "
	  "priority?=I stackTrace=[@StackTraceElement suspended=Z threadId=J "
	  "threadName=S threadState=S waitedCount=J waitedTime=J" },
	{ "com.sun.management.", "GcInfo",
	  "GcThreadCount?=I duration=J endTime=J id=J "
	  "memoryUsageAfterGc=%@MemoryUsage memoryUsageBeforeGc=%@MemoryUsage "
	  "startTime=J" },
	{ "com.sun.management.", "VMOption",
	  "name=S origin=S value=S writeable=Z" },
	{ "jdk.management.jfr.", "ConfigurationInfo",
	  "contents=S description=S label=S name=S provider=S settings=%S" },
	{ "jdk.management.jfr.", "SettingDescriptorInfo",
	  "contentType=S defaultValue=S description=S label=S name=S "
	  "typeName=S" },
	{ "jdk.management.jfr.", "EventTypeInfo",
	  "categoryNames=[S description=S id=J label=S name=S "
	  "settingDescriptors=[@SettingDescriptorInfo" },
	{ "jdk.management.jfr.", "RecordingInfo",
	  "destination=S dumpOnExit=Z duration=J id=J maxAge=J maxSize=J "
	  "name=S settings=%S size=J startTime=J state=S stopTime=J toDisk=Z" },
};
/* clang-format on */

#define KNOWN_TYPES (sizeof(known_types) / sizeof(*known_types))
#define ITEMS_MAX   24 /* of a known type */

static const char *const index_key[] = { "key" };

static struct open_type *open_new(struct java_from_value *f,
				  enum open_kind kind, const char *name)
{
	struct open_type *t = arena_alloc(f->arena, sizeof(*t));

	*t = (struct open_type){ .kind = kind,
				 .name = name,
				 .handle = NOT_WRITTEN };
	return t;
}

/* Types that every stream may use. */
static void from_value_begin(struct java_from_value *f)
{
	size_t known_size = KNOWN_TYPES * sizeof(*f->known);

	if (f->simple)
		return;
	f->simple = arena_alloc(f->arena,
				OPEN_SIMPLE_TYPES * sizeof(*f->simple));
	for (size_t i = 0; i < OPEN_SIMPLE_TYPES; i++)
		f->simple[i] = (struct open_type){ .name = simple_names[i],
						   .handle = NOT_WRITTEN };
	f->known = memset(arena_alloc(f->arena, known_size), 0, known_size);
}

static struct open_type *open_array(struct java_from_value *f,
				    struct open_type *element)
{
	struct open_type *t = open_new(f, OPEN_ARRAY, "");
	const char *class = element->kind == OPEN_COMPOSITE ? COMPOSITE_DATA
			    : element->kind == OPEN_TABLE   ? TABULAR_DATA
							    : element->name;
	struct text name = { 0 };

	/* An array of arrays has one type with two dimensions. */
	if (element->kind == OPEN_ARRAY)
		text_printf(&name, "[%s", class);
	else
		text_printf(&name, "[L%s;", class);
	t->dimension = element->kind == OPEN_ARRAY ? element->dimension + 1 : 1;
	t->element = element;
	t->name = arena_copy(f->arena, name.bytes, name.len);
	text_release(&name);
	return t;
}

static struct open_type *open_composite(struct java_from_value *f,
					const char *name,
					const struct open_item *items,
					size_t count)
{
	struct open_type *t = open_new(f, OPEN_COMPOSITE, name);

	t->items = items;
	t->item_count = count;
	return t;
}

/* The name of a type in the name of a Map, as MXBeans spell it. */
static const char *open_java_name(const struct open_type *t)
{
	return t->kind == OPEN_TABLE ? TABULAR_DATA : t->name;
}

/* The type of the map of an MXBean: a table of the columns key and value. */
static struct open_type *open_map(struct java_from_value *f,
				  struct open_type *key,
				  struct open_type *value)
{
	struct open_item *items = arena_alloc(f->arena, 2 * sizeof(*items));
	struct open_type *t = open_new(f, OPEN_TABLE, "");
	struct text name = { 0 };

	items[0] = (struct open_item){ "key", key };
	items[1] = (struct open_item){ "value", value };
	text_printf(&name, "java.util.Map<%s, %s>", open_java_name(key),
		    open_java_name(value));
	t->name = arena_copy(f->arena, name.bytes, name.len);
	t->element = open_composite(f, t->name, items, 2);
	t->index = index_key;
	t->index_count = 1;
	text_release(&name);
	return t;
}

/* Tables: JSON has several spellings of them. */

static bool row_is_pair(const struct value *row, const char *key)
{
	const char *own = value_text_of(value_member(row, "key"));

	return row->kind == VALUE_COMPOSITE && row->members.count == 2 && own &&
	       strcmp(own, key) == 0 && value_member(row, "value");
}

static const struct value *row_new(struct java_from_value *f,
				   const struct value *key,
				   const struct value *value)
{
	struct value *row = value_new(f->arena, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(f->arena, 2 * sizeof(*at));

	at[0] = (struct value_member){ "key", key };
	at[1] = (struct value_member){ "value", value };
	row->members.at = at;
	row->members.count = 2;
	return row;
}

/* Returns a table for a composite or map of the rows' values by their keys. */
static const struct value *table_of(struct java_from_value *f,
				    const struct value *v)
{
	bool is_map = v->kind == VALUE_MAP;
	size_t count = is_map ? v->map.count : v->members.count;
	struct value *made;
	const struct value **rows;

	if (v->kind == VALUE_TABULAR)
		return v;
	made = value_new(f->arena, VALUE_TABULAR, "");
	rows = arena_alloc(f->arena, (count + 1) * sizeof(*rows));
	for (size_t i = 0; i < count; i++) {
		const struct value_member *m = &v->members.at[i];

		if (is_map)
			rows[i] = row_new(f, v->map.at[i].key,
					  v->map.at[i].value);
		else if (row_is_pair(m->value, m->name))
			rows[i] = m->value;
		else
			rows[i] = row_new(f, value_string(f->arena, m->name),
					  m->value);
	}
	made->table.index = index_key;
	made->table.index_count = 1;
	made->table.rows = rows;
	made->table.row_count = count;
	return made;
}

static bool value_is_composite(const struct value *v)
{
	return v->kind == VALUE_COMPOSITE || v->kind == VALUE_OBJECT;
}

static bool value_may_be_table(const struct value *v)
{
	return v->kind == VALUE_TABULAR || v->kind == VALUE_MAP ||
	       value_is_composite(v);
}

/* Null, and values of which the carrier gives only an error. */
static bool value_is_missing(const struct value *v)
{
	return v->kind == VALUE_NULL || v->kind == VALUE_ERROR;
}

/* Whether values have a type */

static bool simple_fits(const char *class, const struct value *v)
{
	const struct java_primitive *p = java_primitive_named(class,
							      strlen(class));

	if (p && (p->letter == 'D' || p->letter == 'F'))
		return v->kind == VALUE_REAL || v->kind == VALUE_INTEGER ||
		       v->kind == VALUE_CUT;
	if (p && p->letter == 'Z')
		return v->kind == VALUE_BOOLEAN;
	if (p && p->letter == 'C')
		return v->kind == VALUE_STRING;
	if (p)
		return v->kind == VALUE_INTEGER && v->integer >= p->least &&
		       v->integer <= p->most;
	if (strcmp(class, simple_names[OPEN_NAME]) == 0)
		return v->kind == VALUE_NAME || v->kind == VALUE_STRING;
	if (strcmp(class, simple_names[OPEN_DATE]) == 0)
		return v->kind == VALUE_DATE;
	if (strcmp(class, simple_names[OPEN_BIG_INTEGER]) == 0 ||
	    strcmp(class, simple_names[OPEN_BIG_DECIMAL]) == 0)
		return v->kind == VALUE_NUMBER || v->kind == VALUE_INTEGER;
	return value_text_of(v) && v->kind != VALUE_NUMBER &&
	       v->kind != VALUE_NAME;
}

static bool open_fits(struct java_from_value *f, const struct open_type *t,
		      const struct value *v);

static bool table_fits(struct java_from_value *f, const struct open_type *t,
		       const struct value *v)
{
	const struct value *table = table_of(f, v);

	for (size_t i = 0; i < table->table.row_count; i++)
		if (!open_fits(f, t->element, table->table.rows[i]))
			return false;
	return true;
}

static bool composite_fits(struct java_from_value *f, const struct open_type *t,
			   const struct value *v)
{
	if (v->members.count != t->item_count)
		return false;
	for (size_t i = 0; i < t->item_count; i++)
		if (strcmp(v->members.at[i].name, t->items[i].name) != 0 ||
		    !open_fits(f, t->items[i].type, v->members.at[i].value))
			return false;
	return true;
}

/* The depth of the value, VALUE_DEPTH_MAX, bounds this recursion. */
static bool open_fits(struct java_from_value *f, const struct open_type *t,
		      const struct value *v)
{
	if (value_is_missing(v))
		return true;
	switch (t->kind) {
	case OPEN_SIMPLE:
		return simple_fits(t->name, v);
	case OPEN_ARRAY:
		for (size_t i = 0; v->kind == VALUE_ARRAY && i < v->list.count;
		     i++)
			if (!open_fits(f, t->element, v->list.at[i]))
				return false;
		return v->kind == VALUE_ARRAY;
	case OPEN_COMPOSITE:
		return value_is_composite(v) && composite_fits(f, t, v);
	default:
		return value_may_be_table(v) && table_fits(f, t, v);
	}
}

/* Types of the table above */

/* An item of a known type: "name?=X". */
struct known_item {
	const char *name, *type;
	size_t name_len;
	bool is_optional;
};

/* Returns the text after the item. */
static const char *known_read_item(const char *at, struct known_item *item)
{
	size_t len = strcspn(at, "=");

	item->is_optional = at[len - 1] == '?';
	item->name = at;
	item->name_len = len - item->is_optional;
	item->type = at + len + 1;
	at = item->type + strcspn(item->type, " ");
	return at + (*at == ' ');
}

static size_t known_find(const char *name)
{
	size_t i = 0, len = strcspn(name, " ");

	while (strlen(known_types[i].name) != len ||
	       memcmp(known_types[i].name, name, len) != 0)
		i++;
	return i;
}

static struct open_type *known_build(struct java_from_value *f, size_t known,
				     const struct value *v);

/* The value of a nested composite type, for the items that it has. */
static const struct value *known_sample(const struct value *v)
{
	while (v && v->kind == VALUE_ARRAY)
		v = v->list.count ? v->list.at[0] : NULL;
	return v && v->kind == VALUE_COMPOSITE ? v : NULL;
}

/* The table, whose types contain each other at most three deep, bounds it. */
static struct open_type *known_item_type(struct java_from_value *f,
					 const char *type,
					 const struct value *v)
{
	switch (*type) {
	case 'J':
		return &f->simple[OPEN_LONG];
	case 'I':
		return &f->simple[OPEN_INTEGER];
	case 'Z':
		return &f->simple[OPEN_BOOLEAN];
	case '[':
		return open_array(f, known_item_type(f, type + 1, v));
	case '%':
		return open_map(f, &f->simple[OPEN_STRING],
				known_item_type(f, type + 1, NULL));
	case '@':
		return known_build(f, known_find(type + 1), known_sample(v));
	default:
		return &f->simple[OPEN_STRING];
	}
}

/* Builds the type with the items that v has; v may be NULL: all. */
static struct open_type *known_build(struct java_from_value *f, size_t known,
				     const struct value *v)
{
	const struct known_type *k = &known_types[known];
	struct open_item *items = arena_alloc(f->arena,
					      ITEMS_MAX * sizeof(*items));
	struct text name = { 0 };
	struct open_type *t;
	size_t count = 0;

	for (const char *at = k->items; *at && count < ITEMS_MAX;) {
		struct known_item item;
		const struct value *member;

		at = known_read_item(at, &item);
		items[count].name = arena_copy(f->arena, item.name,
					       item.name_len);
		member = value_member(v, items[count].name);
		if (v && !member)
			continue;
		items[count++].type = known_item_type(f, item.type, member);
	}
	text_printf(&name, "%s%s", k->package, k->name);
	t = open_composite(f, arena_copy(f->arena, name.bytes, name.len), items,
			   count);
	text_release(&name);
	return t;
}

/* True if the composite has all items of the type that are not optional. */
static bool known_has_members(const struct known_type *k, const struct value *v)
{
	size_t found = 0;

	for (const char *at = k->items; *at;) {
		const char *name = found < v->members.count
					   ? v->members.at[found].name
					   : "";
		struct known_item item;

		at = known_read_item(at, &item);
		if (strlen(name) == item.name_len &&
		    memcmp(name, item.name, item.name_len) == 0)
			found++;
		else if (!item.is_optional)
			return false;
	}
	return found == v->members.count;
}

static struct open_type *known_type_of(struct java_from_value *f,
				       const struct value *v)
{
	for (size_t i = 0; i < KNOWN_TYPES; i++) {
		struct open_type *t = f->known[i];

		if (!known_has_members(&known_types[i], v))
			continue;
		if (!t || !open_fits(f, t, v))
			t = known_build(f, i, v);
		if (!open_fits(f, t, v))
			return NULL;
		f->known[i] = t;
		return t;
	}
	return NULL;
}

/* Types inferred from values */

static struct open_type *open_type_of(struct java_from_value *f,
				      const struct value *v);

static struct open_type *infer_common(struct java_from_value *f,
				      const struct value *const *list,
				      size_t count);

static bool composite_has_names(const struct value *v, const struct value *as)
{
	if (!value_is_composite(v) || v->members.count != as->members.count)
		return false;
	for (size_t i = 0; i < v->members.count; i++)
		if (strcmp(v->members.at[i].name, as->members.at[i].name) != 0)
			return false;
	return true;
}

/* The type of composites with the same names; values may be missing. */
static struct open_type *infer_common_composite(struct java_from_value *f,
						const struct value *first,
						const struct value *const *list,
						size_t count)
{
	size_t members = first->members.count;
	struct open_item *items = arena_alloc(f->arena,
					      (members + 1) * sizeof(*items));
	const struct value **column = arena_alloc(
		f->arena, (count + 1) * sizeof(const struct value *));

	for (size_t m = 0; m < members; m++) {
		for (size_t i = 0; i < count; i++)
			column[i] = value_is_missing(list[i])
					    ? &value_null
					    : list[i]->members.at[m].value;
		items[m] = (struct open_item){
			first->members.at[m].name,
			infer_common(f, column, count),
		};
	}
	return open_composite(f, "inferred composite", items, members);
}

static bool open_fits_all(struct java_from_value *f, const struct open_type *t,
			  const struct value *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!open_fits(f, t, list[i]))
			return false;
	return true;
}

/* The type of all the values, String if they have none in common. */
static struct open_type *infer_common(struct java_from_value *f,
				      const struct value *const *list,
				      size_t count)
{
	const struct value *first = NULL;
	struct open_type *t = &f->simple[OPEN_STRING];

	for (size_t i = 0; i < count && !first; i++)
		if (!value_is_missing(list[i]))
			first = list[i];
	if (!first)
		return t;
	t = open_type_of(f, first);
	if (open_fits_all(f, t, list, count))
		return t;
	for (size_t i = 0; i < count; i++)
		if (!value_is_missing(list[i]) &&
		    (!value_is_composite(first) ||
		     !composite_has_names(list[i], first)))
			return &f->simple[OPEN_STRING];
	t = infer_common_composite(f, first, list, count);
	return open_fits_all(f, t, list, count) ? t : &f->simple[OPEN_STRING];
}

static struct open_type *infer_array(struct java_from_value *f,
				     const struct value *v)
{
	return open_array(f, infer_common(f, v->list.at, v->list.count));
}

static struct open_type *infer_table(struct java_from_value *f,
				     const struct value *v)
{
	const struct value *table = table_of(f, v);
	struct open_type *row, *t;

	if (!table->table.row_count)
		return open_map(f, &f->simple[OPEN_STRING],
				&f->simple[OPEN_STRING]);
	row = infer_common(f, table->table.rows, table->table.row_count);
	if (row->kind == OPEN_COMPOSITE && row->item_count == 2 &&
	    strcmp(row->items[0].name, "key") == 0 &&
	    strcmp(row->items[1].name, "value") == 0)
		return open_map(f, row->items[0].type, row->items[1].type);
	t = open_new(f, OPEN_TABLE, "inferred table");
	t->element = row;
	t->index = table->table.index;
	t->index_count = table->table.index_count;
	return t;
}

static struct open_type *infer_composite(struct java_from_value *f,
					 const struct value *v)
{
	struct open_item *items = arena_alloc(f->arena, (v->members.count + 1) *
								sizeof(*items));
	struct open_type *t;

	for (size_t i = 0; i < FROM_VALUE_INFERRED_MAX; i++)
		if (f->inferred[i] && open_fits(f, f->inferred[i], v))
			return f->inferred[i];
	for (size_t i = 0; i < v->members.count; i++)
		items[i] = (struct open_item){
			v->members.at[i].name,
			open_type_of(f, v->members.at[i].value)
		};
	t = open_composite(f, "inferred composite", items, v->members.count);
	f->inferred[f->inferred_next++ % FROM_VALUE_INFERRED_MAX] = t;
	return t;
}

/* The depth of the value bounds this recursion. */
static struct open_type *open_type_of(struct java_from_value *f,
				      const struct value *v)
{
	struct open_type *t = NULL;

	switch (v->kind) {
	case VALUE_BOOLEAN:
		return &f->simple[OPEN_BOOLEAN];
	case VALUE_INTEGER:
		return &f->simple[OPEN_LONG];
	case VALUE_REAL:
		return &f->simple[OPEN_DOUBLE];
	case VALUE_NUMBER:
		return &f->simple[strpbrk(v->text.at, ".eE")
					  ? OPEN_BIG_DECIMAL
					  : OPEN_BIG_INTEGER];
	case VALUE_NAME:
		return &f->simple[OPEN_NAME];
	case VALUE_DATE:
		return &f->simple[OPEN_DATE];
	case VALUE_ARRAY:
		return infer_array(f, v);
	case VALUE_COMPOSITE:
	case VALUE_OBJECT:
		t = known_type_of(f, v);
		return t ? t : infer_composite(f, v);
	case VALUE_TABULAR:
	case VALUE_MAP:
		return infer_table(f, v);
	default:
		return &f->simple[OPEN_STRING];
	}
}

/* Writing types */

static void type_write(struct java_output *o, struct open_type *t);

/* The fields of OpenType. */
static void type_write_open(struct java_output *o, const char *class,
			    const char *description, const char *name)
{
	java_output_text(o, class);
	java_output_text(o, description);
	java_output_text(o, name);
}

/* ArrayType has the type of the innermost elements. */
static void type_write_array(struct java_output *o, struct open_type *t)
{
	struct open_type *element = t->element;
	struct text description = { 0 };

	while (element->kind == OPEN_ARRAY)
		element = element->element;
	text_printf(&description, "%u-dimension array of %s", t->dimension,
		    element->name);
	type_write_open(o, t->name, description.bytes, t->name);
	java_write_u32(o->out, t->dimension);
	text_putc(o->out, 0); /* primitiveArray */
	type_write(o, element);
	text_release(&description);
}

static void type_write_composite(struct java_output *o, struct open_type *t)
{
	type_write_open(o, COMPOSITE_DATA, t->name, t->name);
	java_output_sorted_map(o, (uint32_t)t->item_count);
	for (size_t i = 0; i < t->item_count; i++) {
		java_output_text(o, t->items[i].name);
		java_output_text(o, t->items[i].name);
	}
	java_write_end(o->out);
	java_output_sorted_map(o, (uint32_t)t->item_count);
	for (size_t i = 0; i < t->item_count; i++) {
		java_output_text(o, t->items[i].name);
		type_write(o, t->items[i].type);
	}
	java_write_end(o->out);
}

static void type_write_table(struct java_output *o, struct open_type *t)
{
	type_write_open(o, TABULAR_DATA, t->name, t->name);
	java_output_list(o, (uint32_t)t->index_count);
	for (size_t i = 0; i < t->index_count; i++)
		java_output_text(o, t->index[i]);
	java_write_end(o->out);
	type_write(o, t->element);
}

/* The depth of the value that has the type bounds this recursion. */
static void type_write(struct java_output *o, struct open_type *t)
{
	static const struct java_shape *const shapes[] = {
		[OPEN_SIMPLE] = &java_shape_simple_type,
		[OPEN_ARRAY] = &java_shape_array_type,
		[OPEN_COMPOSITE] = &java_shape_composite_type,
		[OPEN_TABLE] = &java_shape_tabular_type,
	};

	if (t->handle != NOT_WRITTEN) {
		java_output_reference(o, t->handle);
		return;
	}
	t->handle = java_output_object(o, shapes[t->kind]);
	switch (t->kind) {
	case OPEN_SIMPLE:
		type_write_open(o, t->name, t->name, t->name);
		break;
	case OPEN_ARRAY:
		type_write_array(o, t);
		break;
	case OPEN_COMPOSITE:
		type_write_composite(o, t);
		break;
	case OPEN_TABLE:
		type_write_table(o, t);
		break;
	}
}

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
	struct error unused;

	if (is_real && v->kind == VALUE_CUT)
		v = &nan;
	return java_write_primitive(out, v, p, &unused) == 0;
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

static void write_magnitude(struct java_output *o,
			    const struct java_magnitude *m)
{
	java_output_object(o, &java_shape_big_integer);
	java_magnitude_write_fields(o->out, m);
	java_output_array(o, "[B", (uint32_t)m->len);
	java_magnitude_write_bytes(o->out, m);
	java_write_end(o->out);
}

static bool write_big(struct java_output *o, const struct value *v,
		      bool is_decimal)
{
	struct java_magnitude m;
	struct text digits = { 0 };
	bool is_number = v->kind == VALUE_INTEGER || v->kind == VALUE_NUMBER;

	if (is_number)
		value_cell(&digits, v);
	is_number = is_number &&
		    java_magnitude_read(&m, digits.bytes, is_decimal);
	if (is_number && is_decimal) {
		java_output_object(o, &java_shape_big_decimal);
		java_write_u32(o->out, m.scale);
	}
	if (is_number)
		write_magnitude(o, &m);
	if (is_number && is_decimal)
		java_write_end(o->out);
	text_release(&digits);
	return is_number;
}

static bool write_date(struct java_output *o, const struct value *v)
{
	if (v->kind != VALUE_DATE)
		return false;
	java_output_object(o, &java_shape_date);
	java_write_block(o->out, 8);
	java_write_u64(o->out, (uint64_t)v->integer);
	java_write_end(o->out);
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
	if (strcmp(class, simple_names[OPEN_STRING]) == 0)
		return write_string(o, v);
	if (strcmp(class, simple_names[OPEN_NAME]) == 0)
		return write_name(o, v);
	if (strcmp(class, simple_names[OPEN_DATE]) == 0)
		return write_date(o, v);
	if (strcmp(class, simple_names[OPEN_BIG_INTEGER]) == 0 ||
	    strcmp(class, simple_names[OPEN_BIG_DECIMAL]) == 0)
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
	type_write(o, t);
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
	const struct value *table = table_of(f, v);

	java_output_object(o, &java_shape_tabular_data_support);
	java_output_map(o, (uint32_t)table->table.row_count);
	for (size_t i = 0; i < table->table.row_count; i++) {
		const struct value *row = table->table.rows[i];
		struct open_type *own = t->element;

		/* Rows may differ: deserialization does not check them. */
		if (own->kind != OPEN_COMPOSITE || !open_fits(f, own, row))
			own = open_type_of(f, row);
		open_write_key(f, row, t, own);
		open_write(f, row, own);
	}
	java_output_map_end(o);
	type_write(o, t);
}

/* Writes a value that fits the type; VALUE_DEPTH_MAX bounds this recursion. */
static void open_write(struct java_from_value *f, const struct value *v,
		       struct open_type *t)
{
	struct java_output *o = f->output;

	if (value_is_missing(v)) {
		java_write_null(o->out);
		return;
	}
	switch (t->kind) {
	case OPEN_SIMPLE:
		if (write_simple(o, v, t->name))
			break;
		if (strcmp(t->name, simple_names[OPEN_STRING]) == 0)
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
		bool fits = value_is_missing(e);

		if (strcmp(class, COMPOSITE_DATA) == 0)
			fits |= value_is_composite(e);
		else if (strcmp(class, TABULAR_DATA) == 0)
			fits |= value_may_be_table(e);
		else
			fits |= simple_fits(class, e);
		if (!fits)
			return false;
	}
	return true;
}

/* Classes of elements that from_value_typed() writes. */
static bool element_is_known(const char *class)
{
	size_t i = 0;

	while (i < OPEN_SIMPLE_TYPES && strcmp(class, simple_names[i]) != 0)
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
		common = infer_common(f, v->list.at, v->list.count);
	for (size_t i = 0; i < v->list.count; i++) {
		const struct value *e = v->list.at[i];

		if (common && common->kind == OPEN_COMPOSITE)
			open_write(f, e, common);
		else if (value_is_missing(e) || !from_value_typed(f, e, class))
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
	if (strcmp(type, COMPOSITE_DATA) == 0 && value_is_composite(v)) {
		open_write(f, v, open_type_of(f, v));
		return true;
	}
	if (strcmp(type, TABULAR_DATA) == 0 && value_may_be_table(v)) {
		open_write(f, v, infer_table(f, v));
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
	if (value_is_missing(v))
		java_write_null(f->output->out);
	else if (v->kind == VALUE_ARRAY)
		from_value_list(f, v, false);
	else if (v->kind == VALUE_MAP)
		from_value_map(f, v);
	else
		open_write(f, v, open_type_of(f, v));
}

void java_from_value(struct java_from_value *f, const struct value *v,
		     const char *type)
{
	from_value_begin(f);
	if (value_is_missing(v) || !from_value_typed(f, v, type))
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
