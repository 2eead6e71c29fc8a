/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts objects of classes whose serialized form is known, in JDK 8 to 25.
 * The table at the end lists the classes.
 */
#include "core/base/cursor.h"
#include "jmx_http/java/java_convert.h"
#include "jmx_http/java/java_time.h"
#include "jmx_http/java/java_to_value.h"

#include <inttypes.h>
#include <string.h>

/* java.util.CollSer: the low byte of its tag is the kind of collection. */
enum collser {
	COLLSER_MAP = 3,
};

struct known {
	const char *class;
	const struct value *(*convert)(struct java_convert *c,
				       const struct java_value *v,
				       const struct known *known);
	const char *field;
};

/* java.math */

/* Bytes of a number; the time to print it grows with their square. */
#define MAGNITUDE_MAX 4096
#define LIMBS_MAX     (MAGNITUDE_MAX / 4)
#define PART_BASE     1000000000u
#define PARTS_MAX     (MAGNITUDE_MAX * 8 / 29 + 1) /* 10^9 is above 2^29 */

/* Low limb first. */
struct big {
	uint32_t limbs[LIMBS_MAX];
	size_t count;
};

static void big_read(struct big *b, const uint8_t *bytes, size_t len)
{
	memset(b, 0, sizeof(*b));
	for (size_t i = 0; i < len; i++)
		b->limbs[i / 4] |= (uint32_t)bytes[len - 1 - i] << (i % 4 * 8);
	b->count = (len + 3) / 4;
	while (b->count && !b->limbs[b->count - 1])
		b->count--;
}

static uint32_t big_divide(struct big *b, uint32_t by)
{
	uint64_t rest = 0;

	for (size_t i = b->count; i-- > 0;) {
		rest = rest << 32 | b->limbs[i];
		b->limbs[i] = (uint32_t)(rest / by);
		rest %= by;
	}
	while (b->count && !b->limbs[b->count - 1])
		b->count--;
	return (uint32_t)rest;
}

static void big_print(struct text *out, struct big *b)
{
	uint32_t parts[PARTS_MAX];
	size_t count = 0;

	while (b->count)
		parts[count++] = big_divide(b, PART_BASE);
	text_printf(out, "%" PRIu32, count ? parts[--count] : 0);
	while (count)
		text_printf(out, "%09" PRIu32, parts[--count]);
}

/* Returns 0; -1 if v is not a BigInteger; 1 if the number is too long. */
static int big_add_integer(struct java_convert *c, struct text *out,
			   const struct java_value *v)
{
	const struct java_value *sign = java_field_of(v, "signum");
	const struct java_value *bytes = java_field_of(v, "magnitude");
	struct big b;

	if (!sign || sign->kind != JAVA_INTEGER || !bytes ||
	    bytes->kind != JAVA_ARRAY || !bytes->array.raw ||
	    bytes->array.type != 'B')
		return -1;
	if (bytes->array.count > MAGNITUDE_MAX ||
	    !java_convert_pay(c, bytes->array.count * bytes->array.count /
					 MAGNITUDE_MAX))
		return 1;
	big_read(&b, bytes->array.raw, bytes->array.count);
	if (sign->integer < 0)
		text_putc(out, '-');
	big_print(out, &b);
	return 0;
}

static const struct value *big_make_value(struct java_convert *c,
					  const struct java_value *v,
					  struct text *digits, int status)
{
	struct value *made = NULL;

	if (!status) {
		made = java_convert_new(c, VALUE_NUMBER,
					java_convert_type(c, v));
		made->text.at = arena_copy(c->arena, digits->bytes,
					   digits->len);
		made->text.len = digits->len;
	}
	text_release(digits);
	if (status > 0)
		return java_convert_cut(c, "a number of too many digits");
	return made;
}

static const struct value *known_big_integer(struct java_convert *c,
					     const struct java_value *v,
					     const struct known *known)
{
	struct text digits = { 0 };
	int status = big_add_integer(c, &digits, v);

	(void)known;
	return big_make_value(c, v, &digits, status);
}

/* As BigDecimal.toString(): an exponent below -6 or above 0 is written. */
static void big_add_scaled(struct text *out, const char *digits, int64_t scale)
{
	size_t len;
	int64_t exponent;

	if (*digits == '-')
		text_putc(out, *digits++);
	len = strlen(digits);
	exponent = (int64_t)len - 1 - scale;
	if (!scale) {
		text_puts(out, digits);
	} else if (scale > 0 && exponent >= -6) {
		if ((int64_t)len > scale) {
			text_add(out, digits, len - (size_t)scale);
		} else {
			text_putc(out, '0');
		}
		text_putc(out, '.');
		for (int64_t i = (int64_t)len; i < scale; i++)
			text_putc(out, '0');
		text_puts(out, (int64_t)len > scale
				       ? digits + len - (size_t)scale
				       : digits);
	} else {
		text_putc(out, *digits);
		if (len > 1)
			text_printf(out, ".%s", digits + 1);
		if (exponent)
			text_printf(out, "E%+" PRId64, exponent);
	}
}

static const struct value *known_big_decimal(struct java_convert *c,
					     const struct java_value *v,
					     const struct known *known)
{
	const struct java_value *scale = java_field_of(v, "scale");
	struct text digits = { 0 }, scaled = { 0 };
	int status;

	(void)known;
	if (!scale || scale->kind != JAVA_INTEGER || scale->type != 'I')
		return NULL;
	status = big_add_integer(c, &digits, java_field_of(v, "intVal"));
	if (!status)
		big_add_scaled(&scaled, digits.bytes, scale->integer);
	text_release(&digits);
	return big_make_value(c, v, &scaled, status);
}

/* java.time */

static const struct value *known_time(struct java_convert *c,
				      const struct java_value *v,
				      const struct known *known)
{
	const struct java_part *part = java_part_of(v, known->class);
	struct text t = { 0 };
	struct value *made = NULL;
	const char *class_name;
	struct cursor block;

	if (!part || !part->annotations.count ||
	    part->annotations.at[0]->kind != JAVA_BLOCK)
		return NULL;
	block = cursor_over(part->annotations.at[0]->bytes.at,
			    part->annotations.at[0]->bytes.len);
	class_name = java_time_read(&block, &t);
	if (class_name) {
		made = java_convert_new(c, VALUE_STRING, class_name);
		made->text = java_to_text((struct java_bytes){ t.bytes, t.len },
					  c->arena);
	}
	text_release(&t);
	return made;
}

/* Boxes and wrappers */

static const struct java_value *known_field(const struct java_value *v,
					    const struct known *known)
{
	return java_field_of(v, known->field);
}

static struct value *known_new_text(struct java_convert *c,
				    enum value_kind kind,
				    const struct java_value *of,
				    const char *text, size_t len)
{
	struct value *v = java_convert_new(c, kind, java_convert_type(c, of));

	v->text.at = arena_copy(c->arena, text, len);
	v->text.len = len;
	return v;
}

/* A box becomes its primitive value, with the box's name as type. */
static const struct value *known_unbox(struct java_convert *c,
				       const struct java_value *v,
				       const struct known *known)
{
	const struct java_value *inner = known_field(v, known);
	struct value *made;

	if (!inner || (inner->kind != JAVA_INTEGER && inner->kind != JAVA_REAL))
		return NULL;
	made = java_convert_new(c, VALUE_NULL, "");
	*made = *java_convert_value(c, inner);
	made->type = java_convert_type(c, v);
	return made;
}

/* A wrapper becomes the value of its only field. */
static const struct value *known_unwrap(struct java_convert *c,
					const struct java_value *v,
					const struct known *known)
{
	const struct java_value *inner = known_field(v, known);

	return inner ? java_convert_value(c, inner) : NULL;
}

static const struct value *known_text_field(struct java_convert *c,
					    const struct java_value *v,
					    const struct known *known)
{
	const struct java_value *inner = known_field(v, known);
	struct value *made;

	if (!inner || inner->kind != JAVA_STRING)
		return NULL;
	made = java_convert_new(c, VALUE_STRING, java_convert_type(c, v));
	made->text = java_convert_text(c, inner->bytes);
	return made;
}

/* Collections */

/* Elements that a class wrote after the block data with their number. */
struct written {
	const struct java_value *const *at;
	size_t count;
};

static struct written written_elements(const struct java_value *v,
				       const char *class_name)
{
	const struct java_part *part = java_part_of(v, class_name);
	struct written w = { 0 };
	size_t begin = 0;

	if (!part || !part->annotations.count)
		return w;
	/* TreeSet writes its comparator before the number. */
	for (size_t i = 0; i < 2 && i < part->annotations.count; i++)
		if (part->annotations.at[i]->kind == JAVA_BLOCK)
			begin = i + 1;
	w.at = part->annotations.at + begin;
	w.count = part->annotations.count - begin;
	return w;
}

/* Concurrent collections mark their end with nulls. */
static void written_drop_nulls(struct written *w, size_t nulls)
{
	if (w->count < nulls)
		return;
	for (size_t i = 1; i <= nulls; i++)
		if (w->at[w->count - i]->kind != JAVA_NULL)
			return;
	w->count -= nulls;
}

static const struct value *known_make_list(struct java_convert *c,
					   const struct java_value *v,
					   struct written w)
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

static const struct value *known_make_map(struct java_convert *c,
					  const struct java_value *v,
					  struct written w)
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

static const struct value *known_list(struct java_convert *c,
				      const struct java_value *v,
				      const struct known *known)
{
	return known_make_list(c, v, written_elements(v, known->class));
}

static const struct value *known_list_to_null(struct java_convert *c,
					      const struct java_value *v,
					      const struct known *known)
{
	struct written w = written_elements(v, known->class);

	written_drop_nulls(&w, 1);
	return known_make_list(c, v, w);
}

static const struct value *known_map(struct java_convert *c,
				     const struct java_value *v,
				     const struct known *known)
{
	return known_make_map(c, v, written_elements(v, known->class));
}

static const struct value *known_map_to_null(struct java_convert *c,
					     const struct java_value *v,
					     const struct known *known)
{
	struct written w = written_elements(v, known->class);

	written_drop_nulls(&w, w.count % 2 ? 1 : 2);
	return known_make_map(c, v, w);
}

static const struct value *known_collser(struct java_convert *c,
					 const struct java_value *v,
					 const struct known *known)
{
	const struct java_value *tag = known_field(v, known);

	if (!tag || tag->kind != JAVA_INTEGER)
		return NULL;
	return ((tag->integer & 0xff) == COLLSER_MAP ? known_map
						     : known_list)(c, v, known);
}

/* Only the first elementCount elements of the array are in use. */
static const struct value *known_vector(struct java_convert *c,
					const struct java_value *v,
					const struct known *known)
{
	const struct java_value *data = known_field(v, known);
	const struct java_value *used = java_field_of(v, "elementCount");
	struct written w;

	if (!data || data->kind != JAVA_ARRAY || !used ||
	    used->kind != JAVA_INTEGER || used->integer < 0)
		return NULL;
	w.at = data->array.elements.at;
	w.count = data->array.elements.count;
	if ((uint64_t)used->integer < w.count)
		w.count = (size_t)used->integer;
	return known_make_list(c, v, w);
}

static const struct value *known_empty_list(struct java_convert *c,
					    const struct java_value *v,
					    const struct known *known)
{
	(void)known;
	return known_make_list(c, v, (struct written){ 0 });
}

static const struct value *known_empty_map(struct java_convert *c,
					   const struct java_value *v,
					   const struct known *known)
{
	(void)known;
	return known_make_map(c, v, (struct written){ 0 });
}

static const struct value *known_one(struct java_convert *c,
				     const struct java_value *v,
				     const struct known *known)
{
	const struct java_value *element = known_field(v, known);

	if (!element)
		return NULL;
	return known_make_list(c, v, (struct written){ &element, 1 });
}

static const struct value *known_one_pair(struct java_convert *c,
					  const struct java_value *v,
					  const struct known *known)
{
	const struct java_value *pair[] = { known_field(v, known),
					    java_field_of(v, "v") };

	if (!pair[0] || !pair[1])
		return NULL;
	return known_make_map(c, v, (struct written){ pair, 2 });
}

/* A set that is implemented by a map consists of the map's keys. */
static const struct value *known_keys(struct java_convert *c,
				      const struct java_value *v,
				      const struct known *known)
{
	const struct value *inner = known_unwrap(c, v, known);
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

/* Dates, names and exceptions */

static const struct value *known_date(struct java_convert *c,
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

static const struct value *known_name(struct java_convert *c,
				      const struct java_value *v,
				      const struct known *known)
{
	struct written w = written_elements(v, known->class);
	struct value *made;

	if (!w.count || w.at[0]->kind != JAVA_STRING)
		return NULL;
	made = java_convert_new(c, VALUE_NAME, known->class);
	made->text = java_convert_text(c, w.at[0]->bytes);
	return made;
}

static const struct value *known_uuid(struct java_convert *c,
				      const struct java_value *v,
				      const struct known *known)
{
	const struct java_value *most = known_field(v, known);
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
	made = known_new_text(c, VALUE_STRING, v, t.bytes, t.len);
	text_release(&t);
	return made;
}

static const struct value *known_throwable(struct java_convert *c,
					   const struct java_value *v,
					   const struct known *known)
{
	const struct java_value *cause = java_cause_of(v);
	struct value *made = java_convert_new(c, VALUE_OBJECT,
					      java_convert_type(c, v));
	struct value_member *at = arena_alloc(c->arena, 2 * sizeof(*at));

	at[0] = (struct value_member){
		"message", java_convert_value(c, known_field(v, known))
	};
	if (cause)
		at[1] = (struct value_member){ "cause",
					       java_convert_value(c, cause) };
	made->members.at = at;
	made->members.count = cause ? 2 : 1;
	return made;
}

/* Open types */

static const char *known_type_name(struct java_convert *c,
				   const struct java_value *type)
{
	if (!java_convert_pay_fields(c, type))
		return "";
	return java_convert_text(
		       c, java_string_of(java_field_of(type, "typeName")))
		.at;
}

static const struct value *known_composite(struct java_convert *c,
					   const struct java_value *v,
					   const struct known *known)
{
	const struct value *contents = known_unwrap(c, v, known);
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
		known_type_name(c, java_field_of(v, "compositeType")));
	made->members.at = at;
	made->members.count = count;
	return made;
}

static void known_add_index(struct java_convert *c, struct value *made,
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
			at[made->table.index_count++] = names->list.at[i]
								->text.at;
	made->table.index = at;
}

/* A row with the reason why the following rows are missing. */
static const struct value *known_cut_row(struct java_convert *c,
					 const struct value *cut)
{
	struct value *row = java_convert_new(c, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(c->arena, sizeof(*at));

	*at = (struct value_member){ "@cut", cut };
	row->members.at = at;
	row->members.count = 1;
	return row;
}

static const struct value *known_tabular(struct java_convert *c,
					 const struct java_value *v,
					 const struct known *known)
{
	const struct java_value *type = java_field_of(v, "tabularType");
	const struct value *data = known_unwrap(c, v, known);
	const struct value **rows;
	struct value *made;

	if (!data || data->kind != VALUE_MAP)
		return NULL;
	made = java_convert_new(c, VALUE_TABULAR, known_type_name(c, type));
	rows = arena_alloc(c->arena, data->map.count * sizeof(*rows));
	for (size_t i = 0; i < data->map.count; i++) {
		const struct value *row = data->map.at[i].value;

		if (row->kind == VALUE_CUT)
			row = known_cut_row(c, row);
		if (row->kind == VALUE_COMPOSITE)
			rows[made->table.row_count++] = row;
	}
	made->table.rows = rows;
	known_add_index(c, made, type);
	return made;
}

#define UTIL "java.util."

/* clang-format off */
static const struct known known_classes[] = {
	{ "java.lang.Boolean", known_unbox, "value" },
	{ "java.lang.Byte", known_unbox, "value" },
	{ "java.lang.Character", known_unbox, "value" },
	{ "java.lang.Double", known_unbox, "value" },
	{ "java.lang.Float", known_unbox, "value" },
	{ "java.lang.Integer", known_unbox, "value" },
	{ "java.lang.Long", known_unbox, "value" },
	{ "java.lang.Short", known_unbox, "value" },
	{ UTIL "concurrent.atomic.AtomicInteger", known_unbox, "value" },
	{ UTIL "concurrent.atomic.AtomicLong", known_unbox, "value" },
	{ UTIL "concurrent.atomic.AtomicReference", known_unwrap, "value" },
	{ "java.math.BigInteger", known_big_integer, NULL },
	{ "java.math.BigDecimal", known_big_decimal, NULL },
	{ "java.time.Ser", known_time, NULL },
	{ UTIL "Date", known_date, NULL },
	{ UTIL "UUID", known_uuid, "mostSigBits" },
	{ "java.io.File", known_text_field, "path" },
	{ "java.net.URI", known_text_field, "string" },
	{ "java.lang.Throwable", known_throwable, "detailMessage" },
	{ "javax.management.ObjectName", known_name, NULL },
	{ "javax.management.openmbean.CompositeDataSupport", known_composite,
	  "contents" },
	{ "javax.management.openmbean.TabularDataSupport", known_tabular, "dataMap" },
	{ UTIL "ArrayList", known_list, NULL },
	{ UTIL "LinkedList", known_list, NULL },
	{ UTIL "ArrayDeque", known_list, NULL },
	{ UTIL "PriorityQueue", known_list, NULL },
	{ UTIL "HashSet", known_list, NULL },
	{ UTIL "TreeSet", known_list, NULL },
	{ UTIL "concurrent.CopyOnWriteArrayList", known_list, NULL },
	{ UTIL "concurrent.CopyOnWriteArraySet", known_unwrap, "al" },
	{ UTIL "concurrent.ConcurrentLinkedQueue", known_list_to_null, NULL },
	{ UTIL "concurrent.ConcurrentLinkedDeque", known_list_to_null, NULL },
	{ UTIL "concurrent.LinkedBlockingQueue", known_list_to_null, NULL },
	{ UTIL "concurrent.LinkedBlockingDeque", known_list_to_null, NULL },
	{ UTIL "concurrent.ConcurrentSkipListSet", known_keys, "m" },
	{ UTIL "concurrent.ConcurrentHashMap$CollectionView", known_keys, "map" },
	{ UTIL "Collections$SetFromMap", known_keys, "m" },
	{ UTIL "Vector", known_vector, "elementData" },
	{ UTIL "CollSer", known_collser, "tag" },
	{ UTIL "Arrays$ArrayList", known_unwrap, "a" },
	{ UTIL "EnumSet$SerializationProxy", known_unwrap, "elements" },
	{ UTIL "Collections$EmptyList", known_empty_list, NULL },
	{ UTIL "Collections$EmptySet", known_empty_list, NULL },
	{ UTIL "Collections$EmptyMap", known_empty_map, NULL },
	{ UTIL "Collections$SingletonList", known_one, "element" },
	{ UTIL "Collections$SingletonSet", known_one, "element" },
	{ UTIL "Collections$SingletonMap", known_one_pair, "k" },
	{ UTIL "Collections$UnmodifiableCollection", known_unwrap, "c" },
	{ UTIL "Collections$SynchronizedCollection", known_unwrap, "c" },
	{ UTIL "Collections$CheckedCollection", known_unwrap, "c" },
	{ UTIL "Collections$UnmodifiableMap", known_unwrap, "m" },
	{ UTIL "Collections$SynchronizedMap", known_unwrap, "m" },
	{ UTIL "Collections$CheckedMap", known_unwrap, "m" },
	{ UTIL "HashMap", known_map, NULL },
	{ UTIL "TreeMap", known_map, NULL },
	{ UTIL "Hashtable", known_map, NULL },
	{ UTIL "EnumMap", known_map, NULL },
	{ UTIL "IdentityHashMap", known_map, NULL },
	{ UTIL "concurrent.ConcurrentHashMap", known_map_to_null, NULL },
	{ UTIL "concurrent.ConcurrentSkipListMap", known_map_to_null, NULL },
};
/* clang-format on */

uint32_t java_known_find(struct java_bytes class_name)
{
	for (uint32_t i = 0; i < sizeof(known_classes) / sizeof(*known_classes);
	     i++)
		if (java_bytes_are(class_name, known_classes[i].class))
			return i + 1;
	return 0;
}

const struct value *java_known_convert(struct java_convert *c, uint32_t id,
				       const struct java_value *v)
{
	return known_classes[id - 1].convert(c, v, &known_classes[id - 1]);
}
