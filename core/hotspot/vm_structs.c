/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/vm_structs.h"

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/process/memory_strings.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STRIDE 512
#define MAX_ENTRIES                                                            \
	32768 /* maximum number of entries in a table; JDK 25 has about 3,000  \
	       */
#define READ_ENTRIES                                                           \
	512 /* entries per read, as the end of a table is unknown */

/*
 * The contents of the tables by name.  The index of a value is the ID of its
 * name minus one.  The name of a field is the name of its type, a NUL, and the
 * field's own name.
 */
struct names {
	struct intern names;
	struct value {
		uint64_t number; /* an offset, an address, a size, a constant */
		bool is_static;
	} * values;
	size_t count, cap;
};

struct tables_of {
	const struct elf_image *libjvm; /* whose tables they are */
	struct vm_structs_set *set;     /* NULL: not shared */
	struct tables_of *next;         /* in the set */
	unsigned users;
	struct names fields, sizes, constants;
	bool is_whole;   /* nothing was unreadable */
	bool is_trusted; /* processes of one user and file use them unread */
};

/*
 * The addresses of static fields are relative to the bias, so that all JVMs
 * with a library share its tables.
 */
struct vm_structs {
	struct tables_of *tables;
	uint64_t bias;
};

/* Offsets of the parts of an entry; ABSENT for missing parts. */
enum part { STRIDE, TYPE, NAME, IS_STATIC, OFFSET, ADDRESS, PARTS };
#define ABSENT UINT64_MAX

/*
 * A table: the symbols that hold its address and the layout of its entries
 * (vmStructs.hpp, since JDK 6), and the symbol of JVMCI's table of the same
 * kind.  JVMCI's symbol is the table itself, not a pointer, and is not
 * exported, so a stripped libjvm does not have it.
 */
struct table_kind {
	const char *table;
	const char *jvmci;
	const char *parts[PARTS];
	size_t names; /* offset of a struct names in struct tables_of */
	uint8_t value_bytes;
};

struct table {
	const struct table_kind *kind;
	uint64_t address;
	uint64_t parts[PARTS];
	uint8_t *entries;
	size_t count, cap;
	bool has_end; /* the last entry was found */
};

struct reading {
	const struct elf_image *libjvm;
	uint64_t bias;
	struct memory *memory;
};

/* clang-format off */
static const struct table_kind kinds[] = {
	{
		"gHotSpotVMStructs",
		"_ZN14JVMCIVMStructs21localHotSpotVMStructsE",
		{
			[STRIDE] = "gHotSpotVMStructEntryArrayStride",
			[TYPE] = "gHotSpotVMStructEntryTypeNameOffset",
			[NAME] = "gHotSpotVMStructEntryFieldNameOffset",
			[IS_STATIC] = "gHotSpotVMStructEntryIsStaticOffset",
			[OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
			[ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
		},
		offsetof(struct tables_of, fields), 8,
	},
	{
		"gHotSpotVMTypes",
		"_ZN14JVMCIVMStructs19localHotSpotVMTypesE",
		{
			[STRIDE] = "gHotSpotVMTypeEntryArrayStride",
			[NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
			[OFFSET] = "gHotSpotVMTypeEntrySizeOffset",
		},
		offsetof(struct tables_of, sizes), 8,
	},
	{
		"gHotSpotVMIntConstants",
		"_ZN14JVMCIVMStructs26localHotSpotVMIntConstantsE",
		{
			[STRIDE] = "gHotSpotVMIntConstantEntryArrayStride",
			[NAME] = "gHotSpotVMIntConstantEntryNameOffset",
			[OFFSET] = "gHotSpotVMIntConstantEntryValueOffset",
		},
		offsetof(struct tables_of, constants), 4,
	},
	{
		"gHotSpotVMLongConstants",
		"_ZN14JVMCIVMStructs27localHotSpotVMLongConstantsE",
		{
			[STRIDE] = "gHotSpotVMLongConstantEntryArrayStride",
			[NAME] = "gHotSpotVMLongConstantEntryNameOffset",
			[OFFSET] = "gHotSpotVMLongConstantEntryValueOffset",
		},
		offsetof(struct tables_of, constants), 8,
	},
};
/* clang-format on */

enum { KINDS = sizeof(kinds) / sizeof(*kinds), TABLES = 2 * KINDS };

static uint64_t entry_number(const uint8_t *entry, uint64_t offset,
			     size_t bytes)
{
	uint64_t number = 0;
	int32_t narrow;

	if (bytes == sizeof(number)) {
		memcpy(&number, entry + offset, sizeof(number));
		return number;
	}
	memcpy(&narrow, entry + offset, sizeof(narrow));
	return (uint64_t)(int64_t)narrow;
}

/* The first entry of a name is used: JVMCI's entries come last. */
static void values_add(struct names *n, const char *name, size_t len,
		       struct value value)
{
	uint32_t id = intern_id(&n->names, name, len);

	if (!id || id - 1 != n->count)
		return;
	array_add(n->values, n->count, n->cap, value);
}

static const struct value *values_find(const struct names *n, const char *name,
				       size_t len)
{
	uint32_t id = intern_find(&n->names, name, len);

	return id ? &n->values[id - 1] : NULL;
}

static void names_release(struct names *n)
{
	intern_release(&n->names);
	free(n->values);
}

/* Reads the values of the symbols, one read per table. */
static int table_read_layout(const struct reading *r, struct table *t,
			     struct error *err)
{
	struct memory_range ranges[PARTS + 1];
	size_t count = 0;

	for (size_t i = 0; i <= PARTS; i++) {
		const char *name = i < PARTS ? t->kind->parts[i]
					     : t->kind->table;
		uint64_t at = name ? elf_image_symbol(r->libjvm, name) : 0;
		uint64_t *value = i < PARTS ? &t->parts[i] : &t->address;

		*value = ABSENT;
		if (name && !at)
			return fail(err, ERROR_UNAVAILABLE,
				    "libjvm has no symbol %s", name);
		if (name)
			ranges[count++] = (struct memory_range){
				at + r->bias, value, sizeof(*value), false
			};
	}
	r->memory->read_all(r->memory, ranges, count);
	for (size_t i = 0; i < count; i++)
		if (!ranges[i].is_read)
			return fail(err, ERROR_UNAVAILABLE,
				    "cannot read libjvm's tables of "
				    "structures");
	return 0;
}

/* Checks that each part is within the entry. */
static int table_check_layout(const struct table *t, struct error *err)
{
	uint64_t stride = t->parts[STRIDE];

	if (stride < 16 || stride > MAX_STRIDE)
		goto wrong;
	for (size_t i = STRIDE + 1; i < PARTS; i++)
		if (t->kind->parts[i] && t->parts[i] > stride - 8 &&
		    (i != OFFSET ||
		     t->parts[i] > stride - t->kind->value_bytes))
			goto wrong;
	return 0;
wrong:
	return fail(err, ERROR_UNAVAILABLE,
		    "%s: the entries have an unknown layout", t->kind->table);
}

/* Returns true for the last entry of a table, which has no name. */
static bool entry_is_last(const struct table *t, const uint8_t *entry)
{
	return entry_number(entry, t->parts[NAME], 8) == 0;
}

/* Reads entries up to the last entry; a part of a table is useful as well. */
static void table_read_entries(const struct reading *r, struct table *t)
{
	size_t stride = t->parts[STRIDE], step = READ_ENTRIES;

	while (t->count < MAX_ENTRIES) {
		array_reserve(t->entries, t->cap, (t->count + step) * stride);
		if (!memory_read(r->memory, t->address + t->count * stride,
				 t->entries + t->count * stride,
				 step * stride)) {
			/* The mapping may end soon. */
			if (step == 1)
				return;
			step /= 2;
			continue;
		}
		for (size_t i = 0; i < step; i++, t->count++)
			if (entry_is_last(t, t->entries + t->count * stride)) {
				t->has_end = true;
				return;
			}
	}
}

static size_t table_string_addresses(const struct table *t, uint64_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		const uint8_t *entry = t->entries + i * t->parts[STRIDE];

		out[n++] = entry_number(entry, t->parts[NAME], 8);
		if (t->parts[TYPE] != ABSENT)
			out[n++] = entry_number(entry, t->parts[TYPE], 8);
	}
	return n;
}

/* HotSpot's library has 20 to 40 MB. */
#define LIBRARY_BYTES ((uint64_t)1 << 28)

/* Returns the value; false for an address outside of the library. */
static bool entry_value(const struct table *t, const uint8_t *entry,
			uint64_t bias, struct value *value)
{
	int32_t is_static = 0;
	enum part part = OFFSET;

	if (t->parts[IS_STATIC] != ABSENT)
		memcpy(&is_static, entry + t->parts[IS_STATIC],
		       sizeof(is_static));
	if (is_static)
		part = ADDRESS;
	*value = (struct value){
		.number = entry_number(entry, t->parts[part],
				       t->kind->value_bytes),
		.is_static = is_static,
	};
	if (is_static)
		value->number -= bias;
	return !is_static || value->number < LIBRARY_BYTES;
}

/* Builds "type\0field", or a name alone; returns its length, or 0. */
static size_t entry_full_name(const struct table *t, const uint8_t *entry,
			      const struct memory_strings *s, char *out)
{
	const char *type = NULL, *name;
	size_t len, at = 0;

	if (t->parts[TYPE] != ABSENT) {
		type = memory_strings_at(
			s, entry_number(entry, t->parts[TYPE], 8), &at);
		if (!type)
			return 0;
		memcpy(out, type, at + 1);
		at++;
	}
	name = memory_strings_at(s, entry_number(entry, t->parts[NAME], 8),
				 &len);
	if (!name)
		return 0;
	memcpy(out + at, name, len);
	return at + len;
}

static void table_add_entries(struct tables_of *all, const struct table *t,
			      const struct memory_strings *s, uint64_t bias)
{
	struct names *names = (struct names *)((char *)all + t->kind->names);
	char name[2 * (MEMORY_STRING_LEN + 1)];

	for (size_t i = 0; i < t->count; i++) {
		const uint8_t *entry = t->entries + i * t->parts[STRIDE];
		size_t len = entry_full_name(t, entry, s, name);
		struct value value;

		all->is_whole &= len && entry_value(t, entry, bias, &value);
		if (len)
			values_add(names, name, len, value);
	}
	all->is_whole &= t->has_end || !t->address;
}

/* Finds JVMCI's tables, which have the same layout. */
static void table_find_jvmci(const struct reading *r, struct table *tables)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct table *t = &tables[KINDS + i];
		uint64_t at = elf_image_symbol(r->libjvm, kinds[i].jvmci);

		*t = tables[i];
		t->address = at ? at + r->bias : 0;
	}
}

static int tables_read(const struct reading *r, struct table *tables,
		       struct error *err)
{
	size_t count = 0;

	for (size_t i = 0; i < KINDS; i++) {
		tables[i].kind = &kinds[i];
		if (table_read_layout(r, &tables[i], err) ||
		    table_check_layout(&tables[i], err))
			return -1;
	}
	table_find_jvmci(r, tables);
	for (size_t i = 0; i < TABLES; i++) {
		if (tables[i].address)
			table_read_entries(r, &tables[i]);
		count += tables[i].count;
	}
	if (!count)
		return fail(err, ERROR_UNAVAILABLE,
			    "libjvm's tables of structures are empty");
	return 0;
}

static void tables_free(struct tables_of *t)
{
	struct tables_of **at = t && t->set ? &t->set->first : NULL;

	if (!t || --t->users)
		return;
	for (; at && *at; at = &(*at)->next)
		if (*at == t) {
			*at = t->next;
			break;
		}
	names_release(&t->fields);
	names_release(&t->sizes);
	names_release(&t->constants);
	free(t);
}

static struct tables_of *tables_find(const struct vm_structs_set *set,
				     const struct elf_image *libjvm)
{
	for (struct tables_of *t = set ? set->first : NULL; t; t = t->next)
		if (t->libjvm == libjvm && t->is_trusted) {
			t->users++;
			return t;
		}
	return NULL;
}

static bool names_are(const struct names *a, const struct names *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		size_t len = intern_len(&a->names, i + 1);

		if (a->values[i].number != b->values[i].number ||
		    a->values[i].is_static != b->values[i].is_static ||
		    intern_len(&b->names, i + 1) != len ||
		    memcmp(intern_text(&a->names, i + 1),
			   intern_text(&b->names, i + 1), len) != 0)
			return false;
	}
	return true;
}

/* Adds tables to the set, or replaces them by equal ones. */
static struct tables_of *
tables_share(struct tables_of *t, struct vm_structs_set *set, bool is_trusted)
{
	if (!set || !t->is_whole)
		return t;
	for (struct tables_of *i = set->first; i; i = i->next) {
		if (i->libjvm != t->libjvm ||
		    !names_are(&i->fields, &t->fields) ||
		    !names_are(&i->sizes, &t->sizes) ||
		    !names_are(&i->constants, &t->constants))
			continue;
		i->users++;
		tables_free(t);
		return i;
	}
	t->is_trusted = is_trusted;
	t->set = set;
	t->next = set->first;
	set->first = t;
	return t;
}

static struct tables_of *tables_of_process(const struct reading *r,
					   struct error *err)
{
	struct table tables[TABLES] = { 0 };
	struct memory_strings strings = { 0 };
	struct tables_of *all = NULL;
	uint64_t *addresses = NULL;
	size_t count = 0;

	if (tables_read(r, tables, err))
		goto out;
	for (size_t i = 0; i < TABLES; i++)
		count += tables[i].count;
	addresses = xcalloc(2 * count, sizeof(*addresses));
	count = 0;
	for (size_t i = 0; i < TABLES; i++)
		count += table_string_addresses(&tables[i], addresses + count);
	memory_strings_read(&strings, r->memory, addresses, count);
	all = xcalloc(1, sizeof(*all));
	all->libjvm = r->libjvm;
	all->users = 1;
	all->is_whole = true;
	for (size_t i = 0; i < TABLES; i++)
		table_add_entries(all, &tables[i], &strings, r->bias);
out:
	memory_strings_release(&strings);
	free(addresses);
	for (size_t i = 0; i < TABLES; i++)
		free(tables[i].entries);
	return all;
}

struct vm_structs *vm_structs_read(const struct elf_image *libjvm,
				   uint64_t bias, struct memory *memory,
				   struct vm_structs_set *set, bool is_trusted,
				   struct error *err)
{
	struct reading r = { libjvm, bias, memory };
	struct tables_of *tables = is_trusted ? tables_find(set, libjvm) : NULL;
	struct vm_structs *v;

	if (!tables) {
		tables = tables_of_process(&r, err);
		if (!tables)
			return NULL;
		tables = tables_share(tables, set, is_trusted);
	}
	v = xcalloc(1, sizeof(*v));
	v->tables = tables;
	v->bias = bias;
	return v;
}

void vm_structs_free(struct vm_structs *v)
{
	if (!v)
		return;
	tables_free(v->tables);
	free(v);
}

static const struct value *structs_find_field(const struct vm_structs *v,
					      const char *type,
					      const char *field)
{
	char name[2 * (MEMORY_STRING_LEN + 1)];
	size_t type_len = strlen(type) + 1, len = strlen(field);

	if (type_len + len >= sizeof(name))
		return NULL;
	memcpy(name, type, type_len);
	memcpy(name + type_len, field, len + 1);
	return values_find(&v->tables->fields, name, type_len + len);
}

bool vm_structs_offset(const struct vm_structs *v, const char *type,
		       const char *field, uint32_t *out)
{
	const struct value *value = structs_find_field(v, type, field);

	/* No structure of HotSpot is larger. */
	if (!value || value->is_static || value->number > UINT16_MAX)
		return false;
	*out = (uint32_t)value->number;
	return true;
}

bool vm_structs_static(const struct vm_structs *v, const char *type,
		       const char *field, uint64_t *address)
{
	const struct value *value = structs_find_field(v, type, field);

	if (!value || !value->is_static)
		return false;
	*address = value->number + v->bias;
	return true;
}

bool vm_structs_size(const struct vm_structs *v, const char *type,
		     uint32_t *out)
{
	const struct value *value = values_find(&v->tables->sizes, type,
						strlen(type));

	if (!value || value->number > UINT32_MAX)
		return false;
	*out = (uint32_t)value->number;
	return true;
}

bool vm_structs_constant(const struct vm_structs *v, const char *name,
			 int64_t *out)
{
	const struct value *value = values_find(&v->tables->constants, name,
						strlen(name));

	if (!value)
		return false;
	*out = (int64_t)value->number;
	return true;
}
