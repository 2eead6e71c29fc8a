/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_open_type.h"

#include "jmx_http/java/java_shapes.h"
#include "jmx_http/value/java_type.h"

#include <string.h>

#define NOT_WRITTEN UINT32_MAX
#define ROW_WORK    64 /* a row that is made costs as much memory */

/* clang-format off */
const char *const java_open_classes[OPEN_SIMPLE_TYPES] = {
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

void java_open_begin(struct java_from_value *f)
{
	size_t known_size = KNOWN_TYPES * sizeof(*f->known);

	if (f->simple)
		return;
	f->simple = arena_alloc(f->arena,
				OPEN_SIMPLE_TYPES * sizeof(*f->simple));
	for (size_t i = 0; i < OPEN_SIMPLE_TYPES; i++)
		f->simple[i] = (struct open_type){ .name = java_open_classes[i],
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

/* Charges for a part of the search for types; false if it must end. */
static bool open_pay(struct java_from_value *f, size_t work)
{
	if (work > FROM_VALUE_WORK_MAX - f->work)
		work = FROM_VALUE_WORK_MAX - f->work;
	f->work += work;
	return f->work < FROM_VALUE_WORK_MAX;
}

const struct value *java_open_table(struct java_from_value *f,
				    const struct value *v)
{
	bool is_map = v->kind == VALUE_MAP;
	size_t count = is_map ? v->map.count : v->members.count;
	struct value *made;
	const struct value **rows;

	if (v->kind == VALUE_TABULAR)
		return v;
	open_pay(f, count * ROW_WORK);
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

bool java_open_is_composite(const struct value *v)
{
	return v->kind == VALUE_COMPOSITE || v->kind == VALUE_OBJECT;
}

bool java_open_may_be_table(const struct value *v)
{
	return v->kind == VALUE_TABULAR || v->kind == VALUE_MAP ||
	       java_open_is_composite(v);
}

bool java_open_is_missing(const struct value *v)
{
	return v->kind == VALUE_NULL || v->kind == VALUE_ERROR;
}

/* Whether values have a type */

bool java_open_class_fits(const char *class, const struct value *v)
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
	if (strcmp(class, java_open_classes[OPEN_NAME]) == 0)
		return v->kind == VALUE_NAME || v->kind == VALUE_STRING;
	if (strcmp(class, java_open_classes[OPEN_DATE]) == 0)
		return v->kind == VALUE_DATE;
	if (strcmp(class, java_open_classes[OPEN_BIG_INTEGER]) == 0 ||
	    strcmp(class, java_open_classes[OPEN_BIG_DECIMAL]) == 0)
		return v->kind == VALUE_NUMBER || v->kind == VALUE_INTEGER;
	return value_text_of(v) && v->kind != VALUE_NUMBER &&
	       v->kind != VALUE_NAME;
}

static bool table_fits(struct java_from_value *f, const struct open_type *t,
		       const struct value *v)
{
	const struct value *table = java_open_table(f, v);

	for (size_t i = 0; i < table->table.row_count; i++)
		if (!java_open_fits(f, t->element, table->table.rows[i]))
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
		    !java_open_fits(f, t->items[i].type,
				    v->members.at[i].value))
			return false;
	return true;
}

/* The depth of the value, VALUE_DEPTH_MAX, bounds this recursion. */
bool java_open_fits(struct java_from_value *f, const struct open_type *t,
		    const struct value *v)
{
	if (!open_pay(f, 1))
		return false;
	if (java_open_is_missing(v))
		return true;
	switch (t->kind) {
	case OPEN_SIMPLE:
		return java_open_class_fits(t->name, v);
	case OPEN_ARRAY:
		for (size_t i = 0; v->kind == VALUE_ARRAY && i < v->list.count;
		     i++)
			if (!java_open_fits(f, t->element, v->list.at[i]))
				return false;
		return v->kind == VALUE_ARRAY;
	case OPEN_COMPOSITE:
		return java_open_is_composite(v) && composite_fits(f, t, v);
	default:
		return java_open_may_be_table(v) && table_fits(f, t, v);
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
		if (!t || !java_open_fits(f, t, v))
			t = known_build(f, i, v);
		if (!java_open_fits(f, t, v))
			return NULL;
		f->known[i] = t;
		return t;
	}
	return NULL;
}

/* Types inferred from values */

static bool composite_has_names(const struct value *v, const struct value *as)
{
	if (!java_open_is_composite(v) || v->members.count != as->members.count)
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
			column[i] = java_open_is_missing(list[i])
					    ? &value_null
					    : list[i]->members.at[m].value;
		items[m] = (struct open_item){
			first->members.at[m].name,
			java_open_common_type(f, column, count),
		};
	}
	return open_composite(f, "inferred composite", items, members);
}

static bool open_fits_all(struct java_from_value *f, const struct open_type *t,
			  const struct value *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!java_open_fits(f, t, list[i]))
			return false;
	return true;
}

struct open_type *java_open_common_type(struct java_from_value *f,
					const struct value *const *list,
					size_t count)
{
	const struct value *first = NULL;
	struct open_type *t = &f->simple[OPEN_STRING];

	for (size_t i = 0; i < count && !first; i++)
		if (!java_open_is_missing(list[i]))
			first = list[i];
	if (!first)
		return t;
	t = java_open_type_of(f, first);
	if (open_fits_all(f, t, list, count))
		return t;
	for (size_t i = 0; i < count; i++)
		if (!java_open_is_missing(list[i]) &&
		    (!java_open_is_composite(first) ||
		     !composite_has_names(list[i], first)))
			return &f->simple[OPEN_STRING];
	t = infer_common_composite(f, first, list, count);
	return open_fits_all(f, t, list, count) ? t : &f->simple[OPEN_STRING];
}

struct open_type *java_open_table_type(struct java_from_value *f,
				       const struct value *v)
{
	const struct value *table = java_open_table(f, v);
	struct open_type *row, *t;

	if (!table->table.row_count)
		return open_map(f, &f->simple[OPEN_STRING],
				&f->simple[OPEN_STRING]);
	row = java_open_common_type(f, table->table.rows,
				    table->table.row_count);
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
		if (f->inferred[i] && java_open_fits(f, f->inferred[i], v))
			return f->inferred[i];
	for (size_t i = 0; i < v->members.count; i++)
		items[i] = (struct open_item){
			v->members.at[i].name,
			java_open_type_of(f, v->members.at[i].value)
		};
	t = open_composite(f, "inferred composite", items, v->members.count);
	f->inferred[f->inferred_next++ % FROM_VALUE_INFERRED_MAX] = t;
	return t;
}

/* The depth of the value bounds this recursion. */
struct open_type *java_open_type_of(struct java_from_value *f,
				    const struct value *v)
{
	struct open_type *t = NULL;

	if (!open_pay(f, 1))
		return &f->simple[OPEN_STRING];
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
		return open_array(
			f, java_open_common_type(f, v->list.at, v->list.count));
	case VALUE_COMPOSITE:
	case VALUE_OBJECT:
		t = known_type_of(f, v);
		return t ? t : infer_composite(f, v);
	case VALUE_TABULAR:
	case VALUE_MAP:
		return java_open_table_type(f, v);
	default:
		return &f->simple[OPEN_STRING];
	}
}

/* Writing types */

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
	java_open_write_type(o, element);
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
		java_open_write_type(o, t->items[i].type);
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
	java_open_write_type(o, t->element);
}

/* The depth of the value that has the type bounds this recursion. */
void java_open_write_type(struct java_output *o, struct open_type *t)
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
