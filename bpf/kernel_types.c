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

/* What the programs name is made of no more types. */
enum { CHOSEN_MAX = 1 << 16, MODIFIERS_MAX = 64 };

struct kernel_types {
	const uint8_t *types; /* the section */
	size_t types_len;
	const char *strings; /* NUL at the end */
	size_t strings_len;
	uint32_t *at; /* where in types each stands, by id; 0 is void */
	size_t count, cap;
	struct intern named;  /* what the programs name */
	uint32_t *chosen_ids; /* by ids of the kernel's; 0 = not chosen */
	uint32_t *chosen;     /* ids of the kernel's, by those less 1 */
	size_t chosen_count, chosen_cap;
	struct btf *out;
};

/* "task_struct___5_13" is the kernel's "task_struct". */
static size_t essential_len(const char *name)
{
	const char *flavour = strstr(name, "___");

	return flavour && flavour > name ? (size_t)(flavour - name)
					 : strlen(name);
}

static void note_name(struct kernel_types *k, const char *name)
{
	if (name && *name)
		intern_id(&k->named, name, essential_len(name));
}

static void note_names(struct kernel_types *k, const struct btf *programs)
{
	for (uint32_t id = 1; id < btf__type_cnt(programs); id++) {
		const struct btf_type *t = btf__type_by_id(programs, id);
		size_t count = btf_vlen(t);

		if (btf_is_composite(t) || btf_is_any_enum(t))
			note_name(k,
				  btf__name_by_offset(programs, t->name_off));
		for (size_t i = 0; btf_is_composite(t) && i < count; i++)
			note_name(k, btf__name_by_offset(
					     programs,
					     btf_members(t)[i].name_off));
		for (size_t i = 0; btf_is_enum(t) && i < count; i++)
			note_name(k,
				  btf__name_by_offset(programs,
						      btf_enum(t)[i].name_off));
	}
}

static const char *name_at(const struct kernel_types *k, uint32_t offset)
{
	return offset < k->strings_len ? k->strings + offset : "";
}

static bool is_named(const struct kernel_types *k, uint32_t offset)
{
	const char *name = name_at(k, offset);

	return *name && intern_find(&k->named, name, strlen(name));
}

/* What stands behind a type, for each of its parts and altogether. */
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

/* The next of a section with all of its parts, NULL at the end. */
static const struct btf_type *next_type(struct cursor *c)
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

static const struct btf_type *type_of(const struct kernel_types *k, uint32_t id)
{
	return (const void *)(k->types + k->at[id]);
}

/* Those that say what another is, which does not matter. */
static bool is_modifier(const struct btf_type *t)
{
	return btf_is_mod(t) || btf_is_typedef(t) ||
	       btf_kind(t) == BTF_KIND_TYPE_TAG;
}

/*
 * The id that a type of the kernel's will have; it is chosen by that.  0 =
 * void, or nothing that could be found.
 */
static uint32_t choose(struct kernel_types *k, uint32_t id)
{
	for (int i = 0; i < MODIFIERS_MAX && id && id < k->count &&
			is_modifier(type_of(k, id));
	     i++)
		id = type_of(k, id)->type;
	if (!id || id >= k->count || k->chosen_count >= CHOSEN_MAX)
		return 0;
	if (!k->chosen_ids[id]) {
		array_reserve(k->chosen, k->chosen_cap, k->chosen_count + 1);
		k->chosen[k->chosen_count++] = id;
		k->chosen_ids[id] = (uint32_t)k->chosen_count;
	}
	return k->chosen_ids[id];
}

/* An anonymous member's members are as good as its owner's. */
static int add_members(struct kernel_types *k, const struct btf_type *t)
{
	bool is_wanted = !t->name_off || is_named(k, t->name_off);
	const struct btf_member *m = btf_members(t);
	int status = 0;

	for (size_t i = 0; is_wanted && status >= 0 && i < btf_vlen(t); i++) {
		if (m[i].name_off && !is_named(k, m[i].name_off))
			continue;
		status = btf__add_field(k->out, name_at(k, m[i].name_off),
					(int)choose(k, m[i].type),
					btf_member_bit_offset(t, (__u32)i),
					btf_member_bitfield_size(t, (__u32)i));
	}
	return status;
}

static int add_values(struct kernel_types *k, const struct btf_type *t)
{
	const struct btf_enum *e = btf_enum(t);
	int status = 0;

	for (size_t i = 0; status >= 0 && i < btf_vlen(t); i++) {
		if (is_named(k, e[i].name_off))
			status = btf__add_enum_value(
				k->out, name_at(k, e[i].name_off), e[i].val);
	}
	return status;
}

static int add_array(struct kernel_types *k, const struct btf_type *t)
{
	const struct btf_array *a = btf_array(t);
	uint32_t index = choose(k, a->index_type);

	return btf__add_array(k->out, (int)index, (int)choose(k, a->type),
			      a->nelems);
}

/* Puts one into what goes out; its id there, or less than 0. */
static int add(struct kernel_types *k, const struct btf_type *t)
{
	const char *name = name_at(k, t->name_off);
	int id, status = 0;

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		return btf__add_int(k->out, name, t->size, btf_int_encoding(t));
	case BTF_KIND_FLOAT:
		return btf__add_float(k->out, name, t->size);
	case BTF_KIND_ARRAY:
		return add_array(k, t);
	case BTF_KIND_FWD:
		return btf__add_fwd(k->out, name,
				    btf_kflag(t) ? BTF_FWD_UNION
						 : BTF_FWD_STRUCT);
	case BTF_KIND_STRUCT:
		id = btf__add_struct(k->out, name, t->size);
		status = id < 0 ? id : add_members(k, t);
		break;
	case BTF_KIND_UNION:
		id = btf__add_union(k->out, name, t->size);
		status = id < 0 ? id : add_members(k, t);
		break;
	case BTF_KIND_ENUM:
		id = btf__add_enum(k->out, name, t->size);
		status = id < 0 ? id : add_values(k, t);
		break;
	case BTF_KIND_ENUM64:
		return btf__add_enum64(k->out, name, t->size, btf_kflag(t));
	default: /* A pointer; to what is nothing that a layout depends on. */
		return btf__add_ptr(k->out, 0);
	}
	return status < 0 ? status : id;
}

/* Where types and strings stand. */
static bool read_head(struct kernel_types *k, const uint8_t *all, size_t len)
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

/* Finds all types, and chooses those that are named. */
static bool find(struct kernel_types *k)
{
	struct cursor c = cursor_over(k->types, k->types_len);
	const struct btf_type *t;
	uint32_t at = 0;

	/* Void has no entry. */
	array_reserve(k->at, k->cap, k->types_len / 32 + 1);
	k->at[k->count++] = 0;
	while ((t = next_type(&c))) {
		array_reserve(k->at, k->cap, k->count + 1);
		k->at[k->count++] = at;
		at = (uint32_t)cursor_offset(&c);
	}
	if (cursor_left(&c) || at != k->types_len)
		return false;
	k->chosen_ids = xcalloc(k->count, sizeof(*k->chosen_ids));
	for (uint32_t id = 1; id < k->count; id++) {
		t = type_of(k, id);
		if ((btf_is_composite(t) || btf_is_enum(t)) &&
		    is_named(k, t->name_off))
			choose(k, id);
	}
	return true;
}

struct btf *kernel_types_of(const void *all, size_t len,
			    const struct btf *programs)
{
	struct kernel_types k = { .out = btf__new_empty() };
	bool ret = false;

	note_names(&k, programs);
	if (!k.out || !read_head(&k, all, len) || !find(&k))
		goto out;
	/* Each may choose more. */
	for (size_t i = 0; i < k.chosen_count; i++) {
		if (add(&k, type_of(&k, k.chosen[i])) != (int)i + 1)
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

/* Its bytes, to be unmapped; from Linux 6.16 on that costs nothing. */
static void *map_all(size_t *len)
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
	/* What was not read is no BTF. */
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
	void *all = map_all(&len);
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
