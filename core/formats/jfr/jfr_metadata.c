/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/jfr/jfr_metadata.h"

#include "core/base/alloc.h"
#include "core/base/text.h"
#include "core/formats/jfr/jfr_string.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST_ELEMENT                                                        \
	64 /* real ones: root/metadata/class/field/annotation                  \
	    */

/*
 * A JVM describes some 300 types, and an application a few more. Larger numbers
 * only serve to exhaust memory.
 */
#define MOST_STRINGS ((size_t)1 << 22)
#define MOST_TYPES   ((size_t)1 << 18)
#define MOST_FIELDS  ((size_t)1 << 20)

enum element_kind {
	ELEMENT_OTHER,
	ELEMENT_CLASS,
	ELEMENT_FIELD,
	ELEMENT_ANNOTATION,
};

struct element {
	enum element_kind kind;
	size_t children; /* number of children that are not read yet */
};

/* An annotation of a field, kept until the names of all types are known. */
struct annotation {
	size_t field;
	uint64_t type_id;
	const char *value;
};

struct parse {
	struct jfr_metadata *m;
	struct cursor c;
	const char **strings;
	size_t string_count;
	struct annotation *annotations;
	size_t annotation_count, annotation_cap;
	struct element open[DEEPEST_ELEMENT];
	size_t depth;
	bool too_large;
};

static void parse_is_too_large(struct parse *ps)
{
	cursor_fail(&ps->c);
	ps->too_large = true;
}

static void parse_strings(struct parse *ps)
{
	struct text text = { 0 };

	ps->string_count = cursor_count(&ps->c, 1);
	if (ps->string_count > MOST_STRINGS) {
		parse_is_too_large(ps);
		ps->string_count = 0;
	}
	ps->strings = xcalloc(ps->string_count, sizeof(*ps->strings));
	for (size_t i = 0; i < ps->string_count; i++) {
		struct jfr_string s = jfr_string_read(&ps->c);

		text_clear(&text);
		jfr_string_text(&text, &s);
		ps->strings[i] = arena_copy(&ps->m->arena, text.bytes,
					    text.len);
	}
	text_release(&text);
}

/* Returns a string by its index; an invalid index fails the cursor. */
static const char *parse_string(struct parse *ps)
{
	uint64_t index = cursor_varint(&ps->c);

	if (index < ps->string_count)
		return ps->strings[index];
	cursor_fail(&ps->c);
	return "";
}

static enum element_kind element_kind(const char *name)
{
	static const struct {
		const char *name;
		enum element_kind kind;
	} kinds[] = {
		{ "class", ELEMENT_CLASS },
		{ "field", ELEMENT_FIELD },
		{ "annotation", ELEMENT_ANNOTATION },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return kinds[i].kind;
	}
	return ELEMENT_OTHER;
}

static bool is_event_class(const char *name)
{
	/* JDK 9 and 10 use com.oracle. */
	return strcmp(name, "jdk.jfr.Event") == 0 ||
	       strcmp(name, "com.oracle.jfr.Event") == 0;
}

static void parse_class_attribute(struct jfr_type *t, const char *key,
				  const char *value)
{
	if (strcmp(key, "id") == 0)
		t->id = strtoull(value, NULL, 10);
	else if (strcmp(key, "name") == 0)
		t->name = value;
	else if (strcmp(key, "superType") == 0)
		t->is_event = is_event_class(value);
	else if (strcmp(key, "simpleType") == 0)
		t->is_simple = strcmp(value, "true") == 0;
}

static void parse_field_attribute(struct jfr_field *f, const char *key,
				  const char *value)
{
	if (strcmp(key, "name") == 0)
		f->name = value;
	else if (strcmp(key, "class") == 0)
		f->type_id = strtoull(value, NULL, 10);
	else if (strcmp(key, "constantPool") == 0)
		f->in_pool = true; /* the attribute's presence decides, not its
				      value */
	else if (strcmp(key, "dimension") == 0)
		f->is_array = strcmp(value, "0") != 0;
}

static void parse_annotation_attribute(struct annotation *a, const char *key,
				       const char *value)
{
	if (strcmp(key, "class") == 0)
		a->type_id = strtoull(value, NULL, 10);
	else if (strcmp(key, "value") == 0)
		a->value = value;
}

static void parse_begin_element(struct parse *ps, enum element_kind kind)
{
	struct jfr_metadata *m = ps->m;

	if (kind == ELEMENT_CLASS) {
		array_add(m->types, m->type_count, m->type_cap,
			  (struct jfr_type){
				  .name = "",
				  .first_field = m->field_count,
			  });
	} else if (kind == ELEMENT_FIELD) {
		array_add(m->fields, m->field_count, m->field_cap,
			  (struct jfr_field){ .name = "" });
		m->types[m->type_count - 1].field_count++;
	} else if (kind == ELEMENT_ANNOTATION) {
		array_add(ps->annotations, ps->annotation_count,
			  ps->annotation_cap,
			  (struct annotation){
				  .field = m->field_count - 1,
				  .value = "",
			  });
	}
}

/*
 * Only fields of a class and annotations of a field are used; elements of these
 * names elsewhere are skipped.
 */
static enum element_kind parse_element_kind(const struct parse *ps,
					    const char *name)
{
	enum element_kind kind = element_kind(name);
	enum element_kind parent = ps->depth ? ps->open[ps->depth - 1].kind
					     : ELEMENT_OTHER;

	if ((kind == ELEMENT_FIELD && parent != ELEMENT_CLASS) ||
	    (kind == ELEMENT_ANNOTATION && parent != ELEMENT_FIELD) ||
	    (kind == ELEMENT_CLASS && parent != ELEMENT_OTHER))
		return ELEMENT_OTHER;
	return kind;
}

static void parse_element(struct parse *ps)
{
	struct jfr_metadata *m = ps->m;
	enum element_kind kind = parse_element_kind(ps, parse_string(ps));
	size_t attributes = cursor_count(&ps->c, 2);

	if (m->type_count == MOST_TYPES || m->field_count == MOST_FIELDS ||
	    ps->annotation_count == MOST_FIELDS) {
		parse_is_too_large(ps);
		return;
	}
	parse_begin_element(ps, kind);
	for (size_t i = 0; i < attributes; i++) {
		const char *key = parse_string(ps);
		const char *value = parse_string(ps);

		if (kind == ELEMENT_CLASS)
			parse_class_attribute(&m->types[m->type_count - 1], key,
					      value);
		else if (kind == ELEMENT_FIELD)
			parse_field_attribute(&m->fields[m->field_count - 1],
					      key, value);
		else if (kind == ELEMENT_ANNOTATION)
			parse_annotation_attribute(
				&ps->annotations[ps->annotation_count - 1], key,
				value);
	}
	if (ps->depth == DEEPEST_ELEMENT) {
		cursor_fail(&ps->c);
		return;
	}
	ps->open[ps->depth++] = (struct element){
		.kind = kind,
		.children = cursor_count(&ps->c, 3),
	};
}

static void parse_elements(struct parse *ps)
{
	parse_element(ps);
	while (ps->depth && cursor_ok(&ps->c)) {
		struct element *e = &ps->open[ps->depth - 1];

		if (e->children) {
			e->children--;
			parse_element(ps);
		} else {
			ps->depth--;
		}
	}
}

static enum jfr_wire type_wire(const char *name)
{
	static const struct {
		const char *name;
		enum jfr_wire wire;
	} wires[] = {
		{ "boolean", JFR_WIRE_BYTE },
		{ "byte", JFR_WIRE_BYTE },
		{ "char", JFR_WIRE_VARINT },
		{ "short", JFR_WIRE_VARINT },
		{ "int", JFR_WIRE_VARINT },
		{ "long", JFR_WIRE_VARINT },
		{ "float", JFR_WIRE_4 },
		{ "double", JFR_WIRE_8 },
		{ "java.lang.String", JFR_WIRE_STRING },
	};

	for (size_t i = 0; i < sizeof(wires) / sizeof(*wires); i++) {
		if (strcmp(wires[i].name, name) == 0)
			return wires[i].wire;
	}
	return JFR_WIRE_STRUCT;
}

/*
 * Recognizes Timestamp, Timespan and DataAmount of jdk.jfr and of
 * com.oracle.jfr.
 */
static enum jfr_unit annotation_unit(const char *annotation, const char *value)
{
	static const struct {
		const char *annotation, *value;
		enum jfr_unit unit;
	} units[] = {
		{ "Timestamp", "TICKS", JFR_UNIT_TICKS },
		{ "Timestamp", "NANOSECONDS_SINCE_EPOCH", JFR_UNIT_NS },
		{ "Timestamp", "MILLISECONDS_SINCE_EPOCH", JFR_UNIT_MS },
		{ "Timespan", "TICKS", JFR_UNIT_TICKS },
		{ "Timespan", "NANOSECONDS", JFR_UNIT_NS },
		{ "Timespan", "MICROSECONDS", JFR_UNIT_US },
		{ "Timespan", "MILLISECONDS", JFR_UNIT_MS },
		{ "Timespan", "SECONDS", JFR_UNIT_S },
		{ "DataAmount", "BYTES", JFR_UNIT_BYTES },
		{ "DataAmount", "BITS", JFR_UNIT_BITS },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(units[i].annotation, annotation) == 0 &&
		    strcmp(units[i].value, value) == 0)
			return units[i].unit;
	}
	return JFR_UNIT_NONE;
}

static void metadata_finish(struct parse *ps)
{
	struct jfr_metadata *m = ps->m;

	map64_reserve(&m->by_id, m->type_count);
	for (size_t i = 0; i < m->type_count; i++) {
		m->types[i].wire = type_wire(m->types[i].name);
		map64_add(&m->by_id, m->types[i].id, (uint32_t)i);
	}
	for (size_t i = 0; i < ps->annotation_count; i++) {
		const struct annotation *a = &ps->annotations[i];
		const struct jfr_type *t = jfr_type_by_id(m, a->type_id);
		enum jfr_unit unit = JFR_UNIT_NONE;

		if (t && strcmp(jfr_type_short_name(t), "Unsigned") == 0)
			m->fields[a->field].is_unsigned = true;
		if (t)
			unit = annotation_unit(jfr_type_short_name(t),
					       a->value);
		if (unit == JFR_UNIT_NONE)
			continue;
		m->fields[a->field].unit = unit;
		m->fields[a->field].is_moment = strcmp(jfr_type_short_name(t),
						       "Timestamp") == 0;
	}
}

/* The last type may lack fields, so its events would be misread. */
static void parse_drop_last_type(struct parse *ps)
{
	struct jfr_metadata *m = ps->m;

	if (!m->type_count)
		return;
	m->type_count--;
	m->field_count = m->types[m->type_count].first_field;
	while (ps->annotation_count &&
	       ps->annotations[ps->annotation_count - 1].field >=
		       m->field_count)
		ps->annotation_count--;
}

int jfr_metadata_read(struct jfr_metadata *m, struct cursor c,
		      struct error *err)
{
	struct parse ps = { .m = m, .c = c };
	int ret = 0;

	*m = (struct jfr_metadata){ 0 };
	parse_strings(&ps);
	parse_elements(&ps);
	m->damaged = !cursor_ok(&ps.c);
	if (m->damaged)
		parse_drop_last_type(&ps);
	if (!ps.too_large && (!m->damaged || m->type_count > 0)) {
		metadata_finish(&ps);
	} else {
		ret = fail(err, ERROR_INPUT, "%s",
			   ps.too_large ? "metadata with too many types"
					: "damaged metadata");
		jfr_metadata_release(m);
	}
	free(ps.strings);
	free(ps.annotations);
	return ret;
}

const struct jfr_type *jfr_type_by_id(const struct jfr_metadata *m, uint64_t id)
{
	uint32_t index = map64_get(&m->by_id, id);

	return index == MAP64_NONE ? NULL : &m->types[index];
}

const struct jfr_field *jfr_type_field(const struct jfr_metadata *m,
				       const struct jfr_type *t,
				       const char *name)
{
	for (size_t i = 0; i < t->field_count; i++) {
		const struct jfr_field *f = &m->fields[t->first_field + i];

		if (strcmp(f->name, name) == 0)
			return f;
	}
	return NULL;
}

const char *jfr_type_short_name(const struct jfr_type *t)
{
	const char *dot = strrchr(t->name, '.');

	return dot ? dot + 1 : t->name;
}

void jfr_metadata_release(struct jfr_metadata *m)
{
	free(m->types);
	free(m->fields);
	map64_release(&m->by_id);
	arena_release(&m->arena);
	*m = (struct jfr_metadata){ 0 };
}
