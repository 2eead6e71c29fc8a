/* SPDX-License-Identifier: Apache-2.0 */
/* The classes whose form in a stream is known; JDK 8 to 25. */
#include "core/base/cursor.h"
#include "jmx_http/java/java_convert.h"

#include <inttypes.h>
#include <string.h>

/* What java.util.CollSer says it stands for, in the low byte of its tag. */
enum collser {
	IMM_MAP = 3,
};

struct known {
	const char *class;
	const struct value *(*convert)(struct java_convert *c,
				       const struct java_value *v,
				       const struct known *known);
	const char *field;
};

static const struct java_value *field_of(const struct java_value *v,
					 const struct known *known)
{
	return java_field_of(v, known->field);
}

static struct value *new_text(struct java_convert *c, enum value_kind kind,
			      const struct java_value *of, const char *text,
			      size_t len)
{
	struct value *v = java_convert_new(c, kind, java_convert_type(c, of));

	v->text.at = arena_copy(c->arena, text, len);
	v->text.len = len;
	return v;
}

/* Integer and kin: the primitive by the name of its box. */
static const struct value *unbox(struct java_convert *c,
				 const struct java_value *v,
				 const struct known *known)
{
	const struct java_value *inner = field_of(v, known);
	struct value *made;

	if (!inner || (inner->kind != JAVA_INTEGER && inner->kind != JAVA_REAL))
		return NULL;
	made = java_convert_new(c, VALUE_NULL, "");
	*made = *java_convert_value(c, inner);
	made->type = java_convert_type(c, v);
	return made;
}

/* What only holds another. */
static const struct value *unwrap(struct java_convert *c,
				  const struct java_value *v,
				  const struct known *known)
{
	const struct java_value *inner = field_of(v, known);

	return inner ? java_convert_value(c, inner) : NULL;
}

static const struct value *text_field(struct java_convert *c,
				      const struct java_value *v,
				      const struct known *known)
{
	const struct java_value *inner = field_of(v, known);
	struct value *made;

	if (!inner || inner->kind != JAVA_STRING)
		return NULL;
	made = java_convert_new(c, VALUE_STRING, java_convert_type(c, v));
	made->text = java_convert_text(c, inner->bytes);
	return made;
}

/* Elements that a class wrote: those behind the bytes that say how many. */
struct written {
	const struct java_value *const *at;
	size_t count;
};

static struct written written_by(const struct java_value *v,
				 const char *class_name)
{
	const struct java_part *part = java_part_of(v, class_name);
	struct written w = { 0 };
	size_t begin = 0;

	if (!part || !part->annotations.count)
		return w;
	/* TreeSet writes its comparator before. */
	for (size_t i = 0; i < 2 && i < part->annotations.count; i++)
		if (part->annotations.at[i]->kind == JAVA_BLOCK)
			begin = i + 1;
	w.at = part->annotations.at + begin;
	w.count = part->annotations.count - begin;
	return w;
}

/* Some end with as many nulls. */
static void without_end(struct written *w, size_t nulls)
{
	if (w->count < nulls)
		return;
	for (size_t i = 1; i <= nulls; i++)
		if (w->at[w->count - i]->kind != JAVA_NULL)
			return;
	w->count -= nulls;
}

static const struct value *
make_list(struct java_convert *c, const struct java_value *v, struct written w)
{
	struct value *made = java_convert_new(c, VALUE_ARRAY,
					      java_convert_type(c, v));
	const struct value **at = arena_alloc(
		c->arena,
		(w.count < c->left ? w.count : c->left + 1) * sizeof(*at));
	size_t count = 0;

	for (size_t i = 0; i < w.count && c->left; i++)
		at[count++] = java_convert_value(c, w.at[i]);
	if (w.count && count < w.count)
		at[count ? count - 1 : count++] = java_convert_cut(c,
								   "too large");
	made->list.at = at;
	made->list.count = count;
	return made;
}

static const struct value *
make_map(struct java_convert *c, const struct java_value *v, struct written w)
{
	struct value *made = java_convert_new(c, VALUE_MAP,
					      java_convert_type(c, v));
	size_t n = w.count / 2, count = 0;
	struct value_pair *at = arena_alloc(
		c->arena, (n < c->left ? n : c->left + 1) * sizeof(*at));

	for (size_t i = 0; i < n && c->left; i++) {
		at[count].key = java_convert_value(c, w.at[2 * i]);
		at[count++].value = java_convert_value(c, w.at[2 * i + 1]);
	}
	if (count < n) {
		const struct value *cut = java_convert_cut(c, "too large");

		at[count++] = (struct value_pair){ cut, cut };
	}
	made->map.at = at;
	made->map.count = count;
	return made;
}

static const struct value *list(struct java_convert *c,
				const struct java_value *v,
				const struct known *known)
{
	return make_list(c, v, written_by(v, known->class));
}

static const struct value *list_to_null(struct java_convert *c,
					const struct java_value *v,
					const struct known *known)
{
	struct written w = written_by(v, known->class);

	without_end(&w, 1);
	return make_list(c, v, w);
}

static const struct value *map(struct java_convert *c,
			       const struct java_value *v,
			       const struct known *known)
{
	return make_map(c, v, written_by(v, known->class));
}

static const struct value *map_to_null(struct java_convert *c,
				       const struct java_value *v,
				       const struct known *known)
{
	struct written w = written_by(v, known->class);

	without_end(&w, w.count % 2 ? 1 : 2);
	return make_map(c, v, w);
}

static const struct value *collser(struct java_convert *c,
				   const struct java_value *v,
				   const struct known *known)
{
	const struct java_value *tag = field_of(v, known);

	if (!tag || tag->kind != JAVA_INTEGER)
		return NULL;
	return ((tag->integer & 0xff) == IMM_MAP ? map : list)(c, v, known);
}

/* An array whose first elementCount elements count. */
static const struct value *vector(struct java_convert *c,
				  const struct java_value *v,
				  const struct known *known)
{
	const struct java_value *data = field_of(v, known);
	const struct java_value *used = java_field_of(v, "elementCount");
	struct written w;

	if (!data || data->kind != JAVA_ARRAY || !used ||
	    used->kind != JAVA_INTEGER || used->integer < 0)
		return NULL;
	w.at = data->array.elements.at;
	w.count = data->array.elements.count;
	if ((uint64_t)used->integer < w.count)
		w.count = (size_t)used->integer;
	return make_list(c, v, w);
}

static const struct value *no_list(struct java_convert *c,
				   const struct java_value *v,
				   const struct known *known)
{
	(void)known;
	return make_list(c, v, (struct written){ 0 });
}

static const struct value *no_map(struct java_convert *c,
				  const struct java_value *v,
				  const struct known *known)
{
	(void)known;
	return make_map(c, v, (struct written){ 0 });
}

static const struct value *one(struct java_convert *c,
			       const struct java_value *v,
			       const struct known *known)
{
	const struct java_value *element = field_of(v, known);

	if (!element)
		return NULL;
	return make_list(c, v, (struct written){ &element, 1 });
}

static const struct value *one_pair(struct java_convert *c,
				    const struct java_value *v,
				    const struct known *known)
{
	const struct java_value *pair[] = { field_of(v, known),
					    java_field_of(v, "v") };

	if (!pair[0] || !pair[1])
		return NULL;
	return make_map(c, v, (struct written){ pair, 2 });
}

/* The keys of a map are a set. */
static const struct value *keys(struct java_convert *c,
				const struct java_value *v,
				const struct known *known)
{
	const struct value *inner = unwrap(c, v, known);
	struct value *made;
	const struct value **at;

	if (!inner || inner->kind != VALUE_MAP)
		return inner;
	made = java_convert_new(c, VALUE_ARRAY, java_convert_type(c, v));
	at = arena_alloc(c->arena, inner->map.count * sizeof(*at));
	for (size_t i = 0; i < inner->map.count; i++)
		at[i] = inner->map.at[i].key;
	made->list.at = at;
	made->list.count = inner->map.count;
	return made;
}

static const struct value *date(struct java_convert *c,
				const struct java_value *v,
				const struct known *known)
{
	const struct java_part *part = java_part_of(v, known->class);
	struct value *made;
	struct cursor block;

	if (!part || !part->annotations.count ||
	    part->annotations.at[0]->kind != JAVA_BLOCK)
		return NULL;
	block = cursor_over(part->annotations.at[0]->bytes.at,
			    part->annotations.at[0]->bytes.len);
	made = java_convert_new(c, VALUE_DATE, java_convert_type(c, v));
	made->integer = (int64_t)cursor_u64(&block);
	return cursor_ok(&block) ? made : NULL;
}

static const struct value *name(struct java_convert *c,
				const struct java_value *v,
				const struct known *known)
{
	struct written w = written_by(v, known->class);
	struct value *made;

	if (!w.count || w.at[0]->kind != JAVA_STRING)
		return NULL;
	made = java_convert_new(c, VALUE_NAME, known->class);
	made->text = java_convert_text(c, w.at[0]->bytes);
	return made;
}

static const struct value *uuid(struct java_convert *c,
				const struct java_value *v,
				const struct known *known)
{
	const struct java_value *most = field_of(v, known);
	const struct java_value *least = java_field_of(v, "leastSigBits");
	struct text t = { 0 };
	const struct value *made;
	uint64_t high, low;

	if (!most || most->kind != JAVA_INTEGER || !least ||
	    least->kind != JAVA_INTEGER)
		return NULL;
	high = (uint64_t)most->integer;
	low = (uint64_t)least->integer;
	text_printf(&t, "%08x-%04x-%04x-%04x-%012" PRIx64,
		    (unsigned)(high >> 32), (unsigned)(high >> 16 & 0xffff),
		    (unsigned)(high & 0xffff), (unsigned)(low >> 48),
		    low & UINT64_C(0xffffffffffff));
	made = new_text(c, VALUE_STRING, v, t.bytes, t.len);
	text_release(&t);
	return made;
}

static const struct value *throwable(struct java_convert *c,
				     const struct java_value *v,
				     const struct known *known)
{
	const struct java_value *cause = java_cause_of(v);
	struct value *made = java_convert_new(c, VALUE_OBJECT,
					      java_convert_type(c, v));
	struct value_member *at = arena_alloc(c->arena, 2 * sizeof(*at));

	at[0] = (struct value_member){
		"message", java_convert_value(c, field_of(v, known))
	};
	if (cause)
		at[1] = (struct value_member){ "cause",
					       java_convert_value(c, cause) };
	made->members.at = at;
	made->members.count = cause ? 2 : 1;
	return made;
}

static const char *open_type(struct java_convert *c,
			     const struct java_value *type)
{
	if (!java_convert_pay_fields(c, type))
		return "";
	return java_convert_text(
		       c, java_string_of(java_field_of(type, "typeName")))
		.at;
}

static const struct value *composite(struct java_convert *c,
				     const struct java_value *v,
				     const struct known *known)
{
	const struct value *contents = unwrap(c, v, known);
	struct value_member *at;
	struct value *made;
	size_t count = 0;

	if (!contents || contents->kind != VALUE_MAP)
		return NULL;
	at = arena_alloc(c->arena, contents->map.count * sizeof(*at));
	for (size_t i = 0; i < contents->map.count; i++) {
		const struct value_pair *pair = &contents->map.at[i];

		if (pair->key->kind == VALUE_CUT)
			at[count++] = (struct value_member){ "@cut",
							     pair->key };
		else if (pair->key->kind == VALUE_STRING)
			at[count++] = (struct value_member){ pair->key->text.at,
							     pair->value };
	}
	made = java_convert_new(
		c, VALUE_COMPOSITE,
		open_type(c, java_field_of(v, "compositeType")));
	made->members.at = at;
	made->members.count = count;
	return made;
}

static void add_index(struct java_convert *c, struct value *table,
		      const struct java_value *type)
{
	const struct value *names;
	const char **at;

	if (!java_convert_pay_fields(c, type))
		return;
	names = java_convert_value(c, java_field_of(type, "indexNames"));
	if (names->kind != VALUE_ARRAY)
		return;
	at = arena_alloc(c->arena, names->list.count * sizeof(*at));
	for (size_t i = 0; i < names->list.count; i++)
		if (names->list.at[i]->kind == VALUE_STRING)
			at[table->table.index_count++] = names->list.at[i]
								 ->text.at;
	table->table.index = at;
}

/* A row that says why the rows behind it are missing. */
static const struct value *cut_row(struct java_convert *c,
				   const struct value *cut)
{
	struct value *row = java_convert_new(c, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(c->arena, sizeof(*at));

	*at = (struct value_member){ "@cut", cut };
	row->members.at = at;
	row->members.count = 1;
	return row;
}

static const struct value *tabular(struct java_convert *c,
				   const struct java_value *v,
				   const struct known *known)
{
	const struct java_value *type = java_field_of(v, "tabularType");
	const struct value *data = unwrap(c, v, known);
	const struct value **rows;
	struct value *made;

	if (!data || data->kind != VALUE_MAP)
		return NULL;
	made = java_convert_new(c, VALUE_TABULAR, open_type(c, type));
	rows = arena_alloc(c->arena, data->map.count * sizeof(*rows));
	for (size_t i = 0; i < data->map.count; i++) {
		const struct value *row = data->map.at[i].value;

		if (row->kind == VALUE_CUT)
			row = cut_row(c, row);
		if (row->kind == VALUE_COMPOSITE)
			rows[made->table.row_count++] = row;
	}
	made->table.rows = rows;
	add_index(c, made, type);
	return made;
}

static const struct value *big_integer(struct java_convert *c,
				       const struct java_value *v,
				       const struct known *known)
{
	(void)known;
	return java_big_integer(c, v);
}

static const struct value *big_decimal(struct java_convert *c,
				       const struct java_value *v,
				       const struct known *known)
{
	(void)known;
	return java_big_decimal(c, v);
}

static const struct value *java_time(struct java_convert *c,
				     const struct java_value *v,
				     const struct known *known)
{
	(void)known;
	return java_time_written(c, v);
}

#define UTIL "java.util."

/* clang-format off */
static const struct known table[] = {
	{ "java.lang.Boolean", unbox, "value" },
	{ "java.lang.Byte", unbox, "value" },
	{ "java.lang.Character", unbox, "value" },
	{ "java.lang.Double", unbox, "value" },
	{ "java.lang.Float", unbox, "value" },
	{ "java.lang.Integer", unbox, "value" },
	{ "java.lang.Long", unbox, "value" },
	{ "java.lang.Short", unbox, "value" },
	{ UTIL "concurrent.atomic.AtomicInteger", unbox, "value" },
	{ UTIL "concurrent.atomic.AtomicLong", unbox, "value" },
	{ UTIL "concurrent.atomic.AtomicReference", unwrap, "value" },
	{ "java.math.BigInteger", big_integer, NULL },
	{ "java.math.BigDecimal", big_decimal, NULL },
	{ "java.time.Ser", java_time, NULL },
	{ UTIL "Date", date, NULL },
	{ UTIL "UUID", uuid, "mostSigBits" },
	{ "java.io.File", text_field, "path" },
	{ "java.net.URI", text_field, "string" },
	{ "java.lang.Throwable", throwable, "detailMessage" },
	{ "javax.management.ObjectName", name, NULL },
	{ "javax.management.openmbean.CompositeDataSupport", composite,
	  "contents" },
	{ "javax.management.openmbean.TabularDataSupport", tabular, "dataMap" },
	{ UTIL "ArrayList", list, NULL },
	{ UTIL "LinkedList", list, NULL },
	{ UTIL "ArrayDeque", list, NULL },
	{ UTIL "PriorityQueue", list, NULL },
	{ UTIL "HashSet", list, NULL },
	{ UTIL "TreeSet", list, NULL },
	{ UTIL "concurrent.CopyOnWriteArrayList", list, NULL },
	{ UTIL "concurrent.CopyOnWriteArraySet", unwrap, "al" },
	{ UTIL "concurrent.ConcurrentLinkedQueue", list_to_null, NULL },
	{ UTIL "concurrent.ConcurrentLinkedDeque", list_to_null, NULL },
	{ UTIL "concurrent.LinkedBlockingQueue", list_to_null, NULL },
	{ UTIL "concurrent.LinkedBlockingDeque", list_to_null, NULL },
	{ UTIL "concurrent.ConcurrentSkipListSet", keys, "m" },
	{ UTIL "concurrent.ConcurrentHashMap$CollectionView", keys, "map" },
	{ UTIL "Collections$SetFromMap", keys, "m" },
	{ UTIL "Vector", vector, "elementData" },
	{ UTIL "CollSer", collser, "tag" },
	{ UTIL "Arrays$ArrayList", unwrap, "a" },
	{ UTIL "EnumSet$SerializationProxy", unwrap, "elements" },
	{ UTIL "Collections$EmptyList", no_list, NULL },
	{ UTIL "Collections$EmptySet", no_list, NULL },
	{ UTIL "Collections$EmptyMap", no_map, NULL },
	{ UTIL "Collections$SingletonList", one, "element" },
	{ UTIL "Collections$SingletonSet", one, "element" },
	{ UTIL "Collections$SingletonMap", one_pair, "k" },
	{ UTIL "Collections$UnmodifiableCollection", unwrap, "c" },
	{ UTIL "Collections$SynchronizedCollection", unwrap, "c" },
	{ UTIL "Collections$CheckedCollection", unwrap, "c" },
	{ UTIL "Collections$UnmodifiableMap", unwrap, "m" },
	{ UTIL "Collections$SynchronizedMap", unwrap, "m" },
	{ UTIL "Collections$CheckedMap", unwrap, "m" },
	{ UTIL "HashMap", map, NULL },
	{ UTIL "TreeMap", map, NULL },
	{ UTIL "Hashtable", map, NULL },
	{ UTIL "EnumMap", map, NULL },
	{ UTIL "IdentityHashMap", map, NULL },
	{ UTIL "concurrent.ConcurrentHashMap", map_to_null, NULL },
	{ UTIL "concurrent.ConcurrentSkipListMap", map_to_null, NULL },
};
/* clang-format on */

uint32_t java_known_find(struct java_bytes class_name)
{
	for (uint32_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (java_bytes_are(class_name, table[i].class))
			return i + 1;
	return 0;
}

const struct value *java_known_convert(struct java_convert *c, uint32_t id,
				       const struct java_value *v)
{
	return table[id - 1].convert(c, v, &table[id - 1]);
}
