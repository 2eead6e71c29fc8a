/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/metadata_layout.h"

#include "core/process/raw.h"

#include <stddef.h>
#include <string.h>

/* UNSIGNED5 excludes the byte 0 since JDK 20 (JDK-8292758). */
enum { JDK_OF_EXCLUSION = 20 };

/* A number of the layout and its source; field NULL = the type's size. */
struct fact {
	size_t member; /* offset of a uint32_t in struct metadata_layout */
	const char *type, *field;
};

#define METHOD(m, type, field)                                                 \
	{                                                                      \
		offsetof(struct metadata_layout, method.m), type, field        \
	}
#define SCOPES(m, type, field)                                                 \
	{                                                                      \
		offsetof(struct metadata_layout, scopes.m), type, field        \
	}

/* clang-format off */
static const struct fact method_facts[] = {
	METHOD(method_size, "Method", NULL),
	METHOD(method_const, "Method", "_constMethod"),
	METHOD(const_size, "ConstMethod", NULL),
	METHOD(const_constants, "ConstMethod", "_constants"),
	METHOD(const_words, "ConstMethod", "_constMethod_size"),
	METHOD(const_code_size, "ConstMethod", "_code_size"),
	METHOD(const_name, "ConstMethod", "_name_index"),
	METHOD(const_signature, "ConstMethod", "_signature_index"),
	METHOD(pool_size, "ConstantPool", NULL),
	METHOD(pool_tags, "ConstantPool", "_tags"),
	METHOD(pool_holder, "ConstantPool", "_pool_holder"),
	METHOD(pool_length, "ConstantPool", "_length"),
	METHOD(array_length, "Array<int>", "_length"),
	METHOD(array_bytes, "Array<u1>", "_data"),
	METHOD(klass_name, "Klass", "_name"),
	METHOD(klass_constants, "InstanceKlass", "_constants"),
	METHOD(symbol_length, "Symbol", "_length"),
	METHOD(symbol_body, "Symbol", "_body"),
};

/* Two fields until JDK 11, a word with both from JDK 13 on. */
static const struct fact old_symbol_facts[] = {
	METHOD(symbol_refcount, "Symbol", "_refcount"),
	METHOD(symbol_hash, "Symbol", "_identity_hash"),
};

static const struct fact symbol_facts[] = {
	METHOD(symbol_refcount, "Symbol", "_hash_and_refcount"),
};

static const struct fact scopes_facts[] = {
	SCOPES(nmethod_size, "nmethod", NULL),
	SCOPES(nmethod_compile_id, "nmethod", "_compile_id"),
	SCOPES(scopes_pcs, "nmethod", "_scopes_pcs_offset"),
	SCOPES(blob_size, "CodeBlob", "_size"),
	SCOPES(pcdesc_size, "PcDesc", NULL),
	SCOPES(pcdesc_pc, "PcDesc", "_pc_offset"),
	SCOPES(pcdesc_scope, "PcDesc", "_scope_decode_offset"),
};

static const struct fact in_blob_facts[] = {
	SCOPES(nmethod_method, "CompiledMethod", "_method"),
	SCOPES(metadata, "nmethod", "_metadata_offset"),
	SCOPES(dependencies, "nmethod", "_dependencies_offset"),
	SCOPES(scopes_data_begin, "CompiledMethod", "_scopes_data_begin"),
};

/* JDK 8, which has no CompiledMethod. */
static const struct fact in_nmethod_facts[] = {
	SCOPES(nmethod_method, "nmethod", "_method"),
	SCOPES(metadata, "nmethod", "_metadata_offset"),
	SCOPES(dependencies, "nmethod", "_dependencies_offset"),
	SCOPES(scopes_data, "nmethod", "_scopes_data_offset"),
};

static const struct fact in_datas_facts[] = {
	SCOPES(nmethod_method, "nmethod", "_method"),
	SCOPES(mutable_data, "CodeBlob", "_mutable_data"),
	SCOPES(mutable_size, "CodeBlob", "_mutable_data_size"),
	SCOPES(relocation_size, "CodeBlob", "_relocation_size"),
	SCOPES(immutable_data, "nmethod", "_immutable_data"),
	SCOPES(immutable_size, "nmethod", "_immutable_data_size"),
	SCOPES(scopes_data, "nmethod", "_scopes_data_offset"),
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

bool metadata_offset(const struct vm_structs *v, const char *type,
		     const char *field, uint32_t *out)
{
	return vm_structs_offset(v, type, field, out) &&
	       *out <= METADATA_STRUCT_MOST;
}

/*
 * Reads the facts into *l; returns the first that the JVM does not export, or
 * NULL.
 */
static const struct fact *facts_missing(struct metadata_layout *l,
					const struct vm_structs *v,
					const struct fact *facts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct fact *f = &facts[i];
		uint32_t value;
		bool is_exported = f->field
					   ? vm_structs_offset(v, f->type,
							       f->field, &value)
					   : vm_structs_size(v, f->type,
							     &value);

		if (!is_exported || value > METADATA_STRUCT_MOST)
			return f;
		memcpy((char *)l + f->member, &value, sizeof(value));
	}
	return NULL;
}

/* Line numbers depend on a flag, which has had two names. */
static void layout_read_lines(struct method_layout *m,
			      const struct vm_structs *v)
{
	uint32_t at;
	int64_t flag;

	/*
	 * The fields must be within the bytes that are read of a ConstMethod.
	 */
	if ((!vm_structs_offset(v, "ConstMethod", "_flags", &at) &&
	     !vm_structs_offset(v, "ConstMethod", "_flags._flags", &at)) ||
	    at > METADATA_STRUCT_MOST)
		return;
	m->const_flags = at;
	if ((vm_structs_constant(v, "ConstMethod::_has_linenumber_table",
				 &flag) ||
	     vm_structs_constant(v,
				 "ConstMethodFlags::_misc_has_linenumber_table",
				 &flag)) &&
	    flag > 0 && flag <= UINT16_MAX)
		m->lines_flag = (uint32_t)flag;
}

/*
 * Finds the JDK version; false when the JVM does not export it.
 * _vm_major_version is HotSpot's own version, which was 25 in JDK 8, so it is
 * ignored if symbols have the layout of JDK 11 or older.
 */
static bool layout_read_coding(struct method_layout *m,
			       const struct vm_structs *v,
			       struct memory *memory)
{
	uint64_t address;
	uint32_t jdk;

	if (vm_structs_offset(v, "Symbol", "_identity_hash", &jdk)) {
		m->excluded = 0;
		return true;
	}
	if (!vm_structs_static(v, "Abstract_VM_Version", "_vm_major_version",
			       &address))
		return false;
	jdk = memory_u32(memory, address);
	m->excluded = jdk >= JDK_OF_EXCLUSION;
	return jdk > 0;
}

/*
 * A symbol has two fields or one word.  JDK 8 has an int _identity_hash, whose
 * lower half is enough, JDK 11 a short (oops/symbol.hpp).  The lower half of
 * the word is the reference count.
 */
static const struct fact *symbol_missing(struct metadata_layout *l,
					 const struct vm_structs *v)
{
	const struct fact *lacks;

	if (!facts_missing(l, v, old_symbol_facts, COUNT(old_symbol_facts)))
		return NULL;
	lacks = facts_missing(l, v, symbol_facts, COUNT(symbol_facts));
	l->method.symbol_hash = l->method.symbol_refcount + 2;
	return lacks;
}

/* The head of a symbol and a PcDesc are read with a fixed size. */
static bool symbol_is_sane(const struct method_layout *m)
{
	return m->symbol_hash <= 6 && m->symbol_refcount <= 6 &&
	       m->symbol_length <= 6;
}

static bool pcdesc_is_sane(const struct scopes_layout *s)
{
	return s->pcdesc_size >= 4 && s->pcdesc_pc <= s->pcdesc_size - 4 &&
	       s->pcdesc_scope <= s->pcdesc_size - 4;
}

static const char *scopes_missing(struct metadata_layout *l,
				  const struct vm_structs *v)
{
	struct scopes_layout *s = &l->scopes;
	uint32_t ignored;

	if (facts_missing(l, v, scopes_facts, COUNT(scopes_facts)) ||
	    !pcdesc_is_sane(s))
		return "the JVM does not export where compiled code has "
		       "debug information";
	if (vm_structs_offset(v, "CompiledMethod", "_method", &ignored)) {
		if (facts_missing(l, v, in_blob_facts, COUNT(in_blob_facts)))
			return "the JVM does not export where nmethods have "
			       "scopes";
		s->place = SCOPES_IN_BLOB;
		s->scopes_data_is_address = true;
		return NULL;
	}
	if (!facts_missing(l, v, in_nmethod_facts, COUNT(in_nmethod_facts))) {
		s->place = SCOPES_IN_BLOB;
		return NULL;
	}
	if (facts_missing(l, v, in_datas_facts, COUNT(in_datas_facts)))
		return "the JVM stores the scopes of compiled code in an "
		       "unknown layout";
	s->place = SCOPES_IN_DATAS;
	return NULL;
}

int metadata_layout_read(struct metadata_layout *l, const struct vm_structs *v,
			 struct memory *memory, struct error *err)
{
	const struct fact *lacks;
	int64_t utf8;

	*l = (struct metadata_layout){ 0 };
	lacks = facts_missing(l, v, method_facts, COUNT(method_facts));
	if (!lacks)
		lacks = symbol_missing(l, v);
	if (lacks)
		return fail(err, ERROR_UNAVAILABLE,
			    "cannot read names of Java methods: this JVM's "
			    "tables lack %s of %s",
			    lacks->field ? lacks->field : "the size",
			    lacks->type);
	if (!symbol_is_sane(&l->method))
		return fail(err, ERROR_UNAVAILABLE,
			    "cannot read names of Java methods: the layout of "
			    "symbols is unknown");
	if (!vm_structs_constant(v, "JVM_CONSTANT_Utf8", &utf8))
		utf8 = 1; /* JVMS 4.4.7: no other tag is valid */
	l->method.tag_utf8 = (uint32_t)utf8;
	layout_read_lines(&l->method, v);
	if (!layout_read_coding(&l->method, v, memory)) {
		l->method.lines_flag = 0;
		l->scopes_why = "the JVM does not export its version";
		return 0;
	}
	l->scopes_why = scopes_missing(l, v);
	return 0;
}

bool class_encoding_read(const struct vm_structs *v, struct memory *memory,
			 uint64_t *base, uint32_t *shift)
{
	/* JDK 11 and later, JDK 17, JDK 8. */
	static const char *const places[][3] = {
		{ "CompressedKlassPointers", "_base", "_shift" },
		{ "CompressedKlassPointers", "_narrow_klass._base",
		  "_narrow_klass._shift" },
		{ "Universe", "_narrow_klass._base", "_narrow_klass._shift" },
	};
	uint64_t base_at, shift_at;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!vm_structs_static(v, places[i][0], places[i][1],
				       &base_at) ||
		    !vm_structs_static(v, places[i][0], places[i][2],
				       &shift_at))
			continue;
		return memory_read(memory, base_at, base, sizeof(*base)) &&
		       memory_read(memory, shift_at, shift, sizeof(*shift)) &&
		       *shift < 32;
	}
	return false;
}

uint32_t symbol_mark(const struct method_layout *l, const uint8_t *head)
{
	uint32_t hash = raw_u16(head, l->symbol_hash);
	uint32_t length = raw_u16(head, l->symbol_length);

	return raw_u16(head, l->symbol_refcount) ? hash << 16 | length : 0;
}
