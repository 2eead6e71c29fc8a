/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/kernel_types.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"
#include "core/base/intern.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH      "/sys/kernel/btf/vmlinux"
#define BYTES_MAX ((size_t)256 << 20)

/* The types that the programs name refer to fewer types than this. */
enum { CHOSEN_MAX = 1 << 16, MODIFIERS_MAX = 64 };

struct kernel_types {
	const uint8_t *types; /* the type section */
	size_t types_len;
	const char *strings; /* the string section; ends with NUL */
	size_t strings_len;
	uint32_t *at; /* offsets in types, by id; 0 is void */
	size_t count, cap;
	struct intern named;  /* names that occur in the programs */
	uint32_t *chosen_ids; /* chosen id by the kernel's id; 0 = not chosen */
	uint32_t *chosen;     /* the kernel's id by the chosen id minus 1 */
	size_t chosen_count, chosen_cap;
	struct btf *out;
};

/*
 * Returns the length without a flavour: "task_struct___5_13" names the kernel's
 * "task_struct".
 */
static size_t name_essential_len(const char *name)
{
	const char *flavour = strstr(name, "___");

	return flavour && flavour > name ? (size_t)(flavour - name)
					 : strlen(name);
}

static void types_note_name(struct kernel_types *k, const char *name)
{
	if (name && *name)
		intern_id(&k->named, name, name_essential_len(name));
}

static void types_note_names(struct kernel_types *k, const struct btf *programs)
{
	for (uint32_t id = 1; id < btf__type_cnt(programs); id++) {
		const struct btf_type *t = btf__type_by_id(programs, id);
		size_t count = btf_vlen(t);

		if (btf_is_composite(t) || btf_is_any_enum(t))
			types_note_name(
				k, btf__name_by_offset(programs, t->name_off));
		for (size_t i = 0; btf_is_composite(t) && i < count; i++)
			types_note_name(k, btf__name_by_offset(
						   programs,
						   btf_members(t)[i].name_off));
		for (size_t i = 0; btf_is_enum(t) && i < count; i++)
			types_note_name(
				k, btf__name_by_offset(
					   programs, btf_enum(t)[i].name_off));
	}
}

static const char *types_name_at(const struct kernel_types *k, uint32_t offset)
{
	return offset < k->strings_len ? k->strings + offset : "";
}

static bool types_are_named(const struct kernel_types *k, uint32_t offset)
{
	const char *name = types_name_at(k, offset);

	return *name && intern_find(&k->named, name, strlen(name));
}

/* The bytes that follow a type: a fixed number, and a number per part. */
static const struct {
	uint8_t fixed, part;
} sizes[] = {
	[BTF_KIND_INT] = { 4, 0 },
	[BTF_KIND_ARRAY] = { sizeof(struct btf_array), 0 },
	[BTF_KIND_STRUCT] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { 0, sizeof(struct btf_enum) },
	[BTF_KIND_FUNC_PROTO] = { 0, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { sizeof(struct btf_var), 0 },
	[BTF_KIND_DATASEC] = { 0, sizeof(struct btf_var_secinfo) },
	[BTF_KIND_DECL_TAG] = { sizeof(struct btf_decl_tag), 0 },
	[BTF_KIND_ENUM64] = { 0, sizeof(struct btf_enum64) },
};
enum { KINDS = sizeof(sizes) / sizeof(*sizes) };

/* Returns the next type of a section and skips its parts; NULL at the end. */
static const struct btf_type *types_next(struct cursor *c)
{
	const struct btf_type *t = (const void *)cursor_bytes(c, sizeof(*t));

	if (!t)
		return NULL;
	if (btf_kind(t) >= KINDS) {
		cursor_fail(c);
		return NULL;
	}
	cursor_skip(c, sizes[btf_kind(t)].fixed);
	cursor_skip(c, (uint64_t)btf_vlen(t) * sizes[btf_kind(t)].part);
	return cursor_ok(c) ? t : NULL;
}

static const struct btf_type *types_at(const struct kernel_types *k,
				       uint32_t id)
{
	return (const void *)(k->types + k->at[id]);
}

/* Returns true for types that only qualify another type. */
static bool type_is_modifier(const struct btf_type *t)
{
	return btf_is_mod(t) || btf_is_typedef(t) ||
	       btf_kind(t) == BTF_KIND_TYPE_TAG;
}

/*
 * Chooses a type of the kernel and returns its id in the output; 0 = void, or
 * not found.
 */
static uint32_t types_choose(struct kernel_types *k, uint32_t id)
{
	for (int i = 0; i < MODIFIERS_MAX && id && id < k->count &&
			type_is_modifier(types_at(k, id));
	     i++)
		id = types_at(k, id)->type;
	if (!id || id >= k->count || k->chosen_count >= CHOSEN_MAX)
		return 0;
	if (!k->chosen_ids[id]) {
		array_add(k->chosen, k->chosen_count, k->chosen_cap, id);
		k->chosen_ids[id] = (uint32_t)k->chosen_count;
	}
	return k->chosen_ids[id];
}

/* Members of an anonymous member count as members of its owner. */
static int types_add_members(struct kernel_types *k, const struct btf_type *t)
{
	bool is_wanted = !t->name_off || types_are_named(k, t->name_off);
	const struct btf_member *m = btf_members(t);
	int status = 0;

	for (size_t i = 0; is_wanted && status >= 0 && i < btf_vlen(t); i++) {
		if (m[i].name_off && !types_are_named(k, m[i].name_off))
			continue;
		status = btf__add_field(k->out, types_name_at(k, m[i].name_off),
					(int)types_choose(k, m[i].type),
					btf_member_bit_offset(t, (__u32)i),
					btf_member_bitfield_size(t, (__u32)i));
	}
	return status;
}

static int types_add_values(struct kernel_types *k, const struct btf_type *t)
{
	const struct btf_enum *e = btf_enum(t);
	int status = 0;

	for (size_t i = 0; status >= 0 && i < btf_vlen(t); i++) {
		if (types_are_named(k, e[i].name_off))
			status = btf__add_enum_value(
				k->out, types_name_at(k, e[i].name_off),
				e[i].val);
	}
	return status;
}

static int types_add_array(struct kernel_types *k, const struct btf_type *t)
{
	const struct btf_array *a = btf_array(t);
	uint32_t index = types_choose(k, a->index_type);

	return btf__add_array(k->out, (int)index, (int)types_choose(k, a->type),
			      a->nelems);
}

/* Adds a type to the output; returns its id there, or a negative number. */
static int types_add(struct kernel_types *k, const struct btf_type *t)
{
	const char *name = types_name_at(k, t->name_off);
	int id, status = 0;

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		return btf__add_int(k->out, name, t->size, btf_int_encoding(t));
	case BTF_KIND_FLOAT:
		return btf__add_float(k->out, name, t->size);
	case BTF_KIND_ARRAY:
		return types_add_array(k, t);
	case BTF_KIND_FWD:
		return btf__add_fwd(k->out, name,
				    btf_kflag(t) ? BTF_FWD_UNION
						 : BTF_FWD_STRUCT);
	case BTF_KIND_STRUCT:
		id = btf__add_struct(k->out, name, t->size);
		status = id < 0 ? id : types_add_members(k, t);
		break;
	case BTF_KIND_UNION:
		id = btf__add_union(k->out, name, t->size);
		status = id < 0 ? id : types_add_members(k, t);
		break;
	case BTF_KIND_ENUM:
		id = btf__add_enum(k->out, name, t->size);
		status = id < 0 ? id : types_add_values(k, t);
		break;
	case BTF_KIND_ENUM64:
		return btf__add_enum64(k->out, name, t->size, btf_kflag(t));
	default: /* A pointer; no layout depends on its target. */
		return btf__add_ptr(k->out, 0);
	}
	return status < 0 ? status : id;
}

/* Finds the sections of types and strings. */
static bool types_read_header(struct kernel_types *k, const uint8_t *all,
			      size_t len)
{
	struct cursor c = cursor_over(all, len);
	const struct btf_header *h = (const void *)cursor_bytes(&c, sizeof(*h));
	size_t behind;

	if (!h || h->magic != BTF_MAGIC || h->hdr_len < sizeof(*h) ||
	    h->hdr_len > len || h->hdr_len % 4 || h->type_off % 4)
		return false;
	behind = len - h->hdr_len;
	if (h->type_off > behind || h->type_len > behind - h->type_off ||
	    h->str_off > behind || h->str_len > behind - h->str_off ||
	    !h->str_len)
		return false;
	k->types = all + h->hdr_len + h->type_off;
	k->types_len = h->type_len;
	k->strings = (const char *)all + h->hdr_len + h->str_off;
	k->strings_len = h->str_len;
	return k->strings[k->strings_len - 1] == '\0';
}

/* Finds all types and chooses the named ones. */
static bool types_find(struct kernel_types *k)
{
	struct cursor c = cursor_over(k->types, k->types_len);
	const struct btf_type *t;
	uint32_t at = 0;

	/* Void has no entry. */
	array_reserve(k->at, k->cap, k->types_len / 32 + 1);
	k->at[k->count++] = 0;
	while (types_next(&c)) {
		array_add(k->at, k->count, k->cap, at);
		at = (uint32_t)cursor_offset(&c);
	}
	if (cursor_left(&c) || at != k->types_len)
		return false;
	k->chosen_ids = xcalloc(k->count, sizeof(*k->chosen_ids));
	for (uint32_t id = 1; id < k->count; id++) {
		t = types_at(k, id);
		if ((btf_is_composite(t) || btf_is_enum(t)) &&
		    types_are_named(k, t->name_off))
			types_choose(k, id);
	}
	return true;
}

struct btf *kernel_types_of(const void *all, size_t len,
			    const struct btf *programs)
{
	struct kernel_types k = { .out = btf__new_empty() };
	bool ret = false;

	types_note_names(&k, programs);
	if (!k.out || !types_read_header(&k, all, len) || !types_find(&k))
		goto out;
	/* Adding a type may choose further types. */
	for (size_t i = 0; i < k.chosen_count; i++) {
		if (types_add(&k, types_at(&k, k.chosen[i])) != (int)i + 1)
			goto out;
	}
	ret = k.chosen_count > 0;
out:
	intern_release(&k.named);
	free(k.at);
	free(k.chosen_ids);
	free(k.chosen);
	if (!ret) {
		btf__free(k.out);
		k.out = NULL;
	}
	return k.out;
}

/*
 * Returns the contents of the file, which the caller unmaps.  Mapping the file
 * itself costs nothing and works since Linux 6.16.
 */
static void *types_map_file(size_t *len)
{
	int fd = open(PATH, O_RDONLY | O_CLOEXEC);
	uint8_t *all = MAP_FAILED;
	struct stat st;
	size_t got = 0;
	ssize_t part;

	*len = 0;
	if (fd < 0)
		return MAP_FAILED;
	if (fstat(fd, &st) < 0 || st.st_size <= 0 ||
	    (size_t)st.st_size > BYTES_MAX)
		goto out;
	*len = (size_t)st.st_size;
	all = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (all != MAP_FAILED)
		goto out;
	all = mmap(NULL, *len, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (all == MAP_FAILED)
		goto out;
	while ((part = read(fd, all + got, *len - got)) > 0)
		got += (size_t)part;
	/* A file that was read in part is rejected as BTF. */
out:
	close(fd);
	return all;
}

int kernel_types_write(int fd, const struct btf *programs)
{
	struct btf *chosen;
	const void *bytes;
	size_t len;
	__u32 size;
	void *all = types_map_file(&len);
	int ret = -1;

	if (all == MAP_FAILED)
		return -1;
	chosen = kernel_types_of(all, len, programs);
	bytes = chosen ? btf__raw_data(chosen, &size) : NULL;
	if (bytes && write(fd, bytes, size) == (ssize_t)size)
		ret = 0;
	btf__free(chosen);
	munmap(all, len);
	return ret;
}
