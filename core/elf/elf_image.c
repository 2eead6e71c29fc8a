/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_image.h"

#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/elf/demangle.h"
#include "core/elf/elf_cfi.h"
#include "core/elf/elf_debug.h"
#include "core/elf/elf_file.h"
#include "core/elf/elf_symbols.h"
#include "core/jvm/procfs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Charged for an image itself, and for a name in its tables. */
enum { IMAGE_BYTES = 16 << 10, NAME_BYTES = 48 };
enum {
	DYNAMIC_MAX = 64 << 10,
	NAMES_MAX = 1 << 20,
	KNOWN_MAX = 8,
	KEYS_MAX = 256, /* known files with the same contents */
};

/* A recognized function without a symbol. */
struct known_function {
	uint64_t start;
	const char *name; /* static text */
};

/*
 * Identifies a file without reading it.  The user is a part because debug files
 * that the process's user owns are trusted.
 *
 * The device of a container's root file system (overlayfs) differs in each
 * container, even if all of them show the same file of one image.  Its number
 * has no major part, as for any file system without a block device, and is left
 * out of the key.  The start of the file replaces the device: an unchanged copy
 * has the same inode, size, times and ELF header with build ID.
 */
struct image_key {
	dev_t dev;     /* 0: without a block device */
	uint64_t head; /* hash of the start of the file, or 0 */
	ino_t ino;
	off_t size;
	struct timespec modified, changed;
	uid_t uid;
};

struct elf_image {
	struct elf_image_set *set; /* NULL: not shared */
	struct elf_image *next;    /* in the set */
	/* The files with these contents. */
	struct image_key *keys;
	size_t key_count, key_cap;
	struct budget *process; /* of the process that opened it, or NULL */
	/* A part of that, or of the session's if several files are equal. */
	struct budget budget;
	unsigned users;
	char *name;
	struct elf_file file; /* its tables; the source is closed */
	struct elf_symbols symbols, dynamic_symbols;
	struct elf_cfi eh_frame, debug_frame;
	struct elf_functions functions; /* sorted on first use */
	bool has_functions;
	struct map64 named; /* index of the name by a function's start */
	const char **names; /* demangled */
	size_t name_count, name_cap;
	struct arena texts;
	struct known_function known[KNOWN_MAX];
	size_t known_count;
};

/* Reads the symbols from another file that has the missing ones. */
static bool image_read_symbols(struct elf_image *image,
			       struct elf_source source)
{
	struct elf_file debug;
	struct error err;

	if (elf_file_init(&debug, source, &err) == 0)
		elf_symbols_init(&image->symbols, &debug, SHT_SYMTAB);
	elf_file_release(&debug);
	return image->symbols.count > 0;
}

/*
 * Finds the symbols of a stripped file, which are compressed in it or in a
 * debug file.
 */
static void image_find_symbols(struct elf_image *image,
			       struct target_files *files, const char *path)
{
	struct elf_part unpacked;
	bool found = false;
	uint64_t refused;
	int fd;

	if (elf_debug_unpack(&image->file, &unpacked))
		found = image_read_symbols(
			image,
			(struct elf_source){ -1, unpacked.bytes, unpacked.len,
					     &image->budget });
	elf_part_release(&unpacked);
	if (found || !files)
		return;
	refused = files->budget ? files->budget->refused : 0;
	fd = target_files_open_debug(files, path, &image->file);
	if (files->budget && files->budget->refused > refused)
		image->budget.refused++;
	if (fd < 0)
		return;
	image_read_symbols(image, (struct elf_source){
					  .fd = fd, .budget = &image->budget });
	close(fd);
}

/* Returns the library's own name (DT_SONAME), or NULL. */
static char *file_own_name(const struct elf_file *f)
{
	const Elf64_Shdr *s = elf_file_section_of_type(f, SHT_DYNAMIC);
	struct elf_part entries, names = { 0 };
	char *name = NULL;

	if (!elf_file_read_section(f, s, DYNAMIC_MAX, &entries))
		return NULL;
	if (s->sh_link < f->section_count)
		elf_file_read_section(f, &f->sections[s->sh_link], NAMES_MAX,
				      &names);
	for (size_t i = 0; !name && i < entries.len / sizeof(Elf64_Dyn); i++) {
		const Elf64_Dyn *e = (const void *)(entries.bytes +
						    i * sizeof(*e));
		uint64_t at = e->d_un.d_val;

		if (e->d_tag == DT_SONAME && at < names.len)
			name = xstrndup((char *)names.bytes + at,
					strnlen((char *)names.bytes + at,
						names.len - at));
	}
	elf_part_release(&entries);
	elf_part_release(&names);
	return name;
}

/* Returns the file name of a path, without the mark of a deleted file. */
static char *path_name(const char *path)
{
	static const char deleted[] = " (deleted)"; /* proc(5) */
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strlen(name), end = sizeof(deleted) - 1;

	if (len > end && strcmp(name + len - end, deleted) == 0)
		len -= end;
	return xstrndup(name, len);
}

/*
 * Reads the tables of a source.  files and path belong to the process and are
 * used to find the debug file; both may be NULL.
 */
static struct elf_image *image_new(struct elf_source source,
				   struct target_files *files, const char *path,
				   struct error *err)
{
	struct elf_image *image = xcalloc(1, sizeof(*image));

	image->users = 1;
	image->process = budget_keep(files ? files->budget : NULL);
	image->budget.whole = image->process;
	source.budget = &image->budget;
	budget_charge(&image->budget, IMAGE_BYTES);
	if (elf_file_init(&image->file, source, err) < 0) {
		if (path)
			fail_in(err, "%s", path);
		elf_image_close(image);
		return NULL;
	}
	image->name = path ? path_name(path) : file_own_name(&image->file);
	/* If the budget is too small: first what walks of stacks need. */
	elf_cfi_init_eh(&image->eh_frame, &image->file);
	elf_cfi_init_debug(&image->debug_frame, &image->file);
	elf_symbols_init(&image->dynamic_symbols, &image->file, SHT_DYNSYM);
	elf_symbols_init(&image->symbols, &image->file, SHT_SYMTAB);
	if (!image->symbols.count)
		image_find_symbols(image, files, path);
	/* The caller may close the source now. */
	image->file.source = (struct elf_source){ .fd = -1,
						  .budget = &image->budget };
	return image;
}

struct elf_image *elf_image_open_fd(int fd, struct error *err)
{
	return image_new((struct elf_source){ .fd = fd }, NULL, NULL, err);
}

struct elf_image *elf_image_open_bytes(const void *bytes, size_t len,
				       struct error *err)
{
	return image_new((struct elf_source){ -1, bytes, len, NULL }, NULL,
			 NULL, err);
}

/* Fills in the key of an open file. */
static bool image_read_key(int fd, uid_t uid, struct image_key *key)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	*key = (struct image_key){ .dev = st.st_dev,
				   .ino = st.st_ino,
				   .size = st.st_size,
				   .modified = st.st_mtim,
				   .changed = st.st_ctim,
				   .uid = uid };
	return true;
}

/* Fills in the key of a mapped file that need not be opened. */
static bool image_find_key(const struct target_files *files,
			   const struct mapping *mapping, uint64_t head,
			   struct image_key *key)
{
	struct statx st;

	if (!target_files_stat(files, mapping, &st))
		return false;
	*key = (struct image_key){
		.dev = makedev(st.stx_dev_major, st.stx_dev_minor),
		.ino = st.stx_ino,
		.size = (off_t)st.stx_size,
		.modified = { st.stx_mtime.tv_sec, st.stx_mtime.tv_nsec },
		.changed = { st.stx_ctime.tv_sec, st.stx_ctime.tv_nsec },
		.uid = files->jvm->uid,
	};
	if (st.stx_dev_major == 0 && head) {
		key->dev = 0;
		key->head = head;
	}
	return true;
}

static bool key_is(const struct image_key *k, const struct image_key *key)
{
	return k->dev == key->dev && k->head == key->head &&
	       k->ino == key->ino && k->size == key->size &&
	       k->uid == key->uid &&
	       k->modified.tv_sec == key->modified.tv_sec &&
	       k->modified.tv_nsec == key->modified.tv_nsec &&
	       k->changed.tv_sec == key->changed.tv_sec &&
	       k->changed.tv_nsec == key->changed.tv_nsec;
}

bool elf_image_is_of_one_place(const struct elf_image *image)
{
	return image->set && image->key_count == 1 && image->keys[0].dev;
}

/* Returns the image with that key, which has one more user, or NULL. */
static struct elf_image *set_find(const struct elf_image_set *set,
				  const struct image_key *key)
{
	for (struct elf_image *i = set->first; i; i = i->next) {
		for (size_t k = 0; k < i->key_count; k++) {
			if (key_is(&i->keys[k], key)) {
				i->users++;
				return i;
			}
		}
	}
	return NULL;
}

static void image_add_key(struct elf_image *image, const struct image_key *key)
{
	if (image->key_count == KEYS_MAX)
		return;
	array_add(image->keys, image->key_count, image->key_cap, *key);
}

static bool part_is(const struct elf_part *a, const struct elf_part *b)
{
	return a->len == b->len && a->address == b->address &&
	       (!a->len || memcmp(a->bytes, b->bytes, a->len) == 0);
}

static bool symbols_are(const struct elf_symbols *a,
			const struct elf_symbols *b)
{
	return a->count == b->count && a->section_count == b->section_count &&
	       part_is(&a->symbols, &b->symbols) &&
	       part_is(&a->names, &b->names) &&
	       (!a->section_count ||
		memcmp(a->ends, b->ends, a->section_count * sizeof(*a->ends)) ==
			0);
}

static bool cfi_is(const struct elf_cfi *a, const struct elf_cfi *b)
{
	return part_is(&a->frames, &b->frames) && part_is(&a->table, &b->table);
}

static bool file_is(const struct elf_file *a, const struct elf_file *b)
{
	size_t segments = a->segment_count * sizeof(*a->segments);
	size_t sections = a->section_count * sizeof(*a->sections);

	return a->entry == b->entry && a->segment_count == b->segment_count &&
	       a->section_count == b->section_count &&
	       (!segments || memcmp(a->segments, b->segments, segments) == 0) &&
	       (!sections || memcmp(a->sections, b->sections, sections) == 0) &&
	       part_is(&a->names, &b->names);
}

/*
 * True if all that was read of two files is equal, also of their debug files. A
 * build ID would not suffice: a container could give it to a file with other
 * symbols, which would then name the functions of other containers.
 */
static bool image_is(const struct elf_image *a, const struct elf_image *b)
{
	return !a->budget.refused && !b->budget.refused &&
	       strcmp(elf_image_name(a), elf_image_name(b)) == 0 &&
	       file_is(&a->file, &b->file) &&
	       symbols_are(&a->dynamic_symbols, &b->dynamic_symbols) &&
	       symbols_are(&a->symbols, &b->symbols) &&
	       cfi_is(&a->eh_frame, &b->eh_frame) &&
	       cfi_is(&a->debug_frame, &b->debug_frame);
}

/*
 * Charges an image to the session, so that no process that maps one of the
 * files can use up the budget for the names of the others.
 */
static void image_charge_session(struct elf_image *image)
{
	struct budget *process = image->budget.whole;

	if (!process || process != image->process || !process->whole)
		return;
	budget_return(process, image->budget.used);
	if (budget_charge(process->whole, image->budget.used))
		image->budget.whole = process->whole;
	else
		budget_charge(process, image->budget.used);
}

/*
 * Adds an image to the set, or replaces it by one with the same contents, which
 * has one more user: copies of a JDK in many containers, or the debug files of
 * many users, are in memory once.
 */
static struct elf_image *set_add(struct elf_image_set *set,
				 struct elf_image *image,
				 const struct image_key *key)
{
	for (struct elf_image *i = set->first; i; i = i->next) {
		if (!image_is(i, image))
			continue;
		i->users++;
		image_charge_session(i);
		image_add_key(i, key);
		elf_image_close(image);
		return i;
	}
	image_add_key(image, key);
	image->set = set;
	image->next = set->first;
	set->first = image;
	return image;
}

struct elf_image *elf_image_open(struct target_files *files,
				 struct elf_image_set *set,
				 const struct mapping *mapping, uint64_t head,
				 struct error *err)
{
	struct elf_image *image = NULL;
	struct image_key key;
	bool has_key;
	int fd;

	if (!mapping->inode || mapping->path[0] != '/') {
		fail(err, ERROR_INPUT, "no file is mapped at this address");
		return NULL;
	}
	has_key = set && image_find_key(files, mapping, head, &key);
	if (has_key)
		image = set_find(set, &key);
	if (image)
		return image;
	if (budget_left(files->budget) < IMAGE_BYTES) {
		files->budget->refused++;
		fail(err, ERROR_PARTIAL, "%s: the memory limit is reached",
		     mapping->path);
		return NULL;
	}
	fd = target_files_open(files, mapping, err);
	if (fd < 0)
		return NULL;
	if (set && !has_key) {
		has_key = image_read_key(fd, files->jvm->uid, &key);
		image = has_key ? set_find(set, &key) : NULL;
	}
	if (!image) {
		image = image_new((struct elf_source){ .fd = fd }, files,
				  mapping->path, err);
		if (image && has_key)
			image = set_add(set, image, &key);
	}
	close(fd);
	return image;
}

void elf_image_close(struct elf_image *image)
{
	struct elf_image **at;

	if (!image || --image->users)
		return;
	for (at = image->set ? &image->set->first : NULL; at;
	     at = &(*at)->next) {
		if (*at == image) {
			*at = image->next;
			break;
		}
	}
	elf_cfi_release(&image->eh_frame);
	elf_cfi_release(&image->debug_frame);
	elf_symbols_release(&image->symbols);
	elf_symbols_release(&image->dynamic_symbols);
	elf_functions_release(&image->functions);
	map64_release(&image->named);
	free(image->names);
	arena_release(&image->texts);
	elf_file_release(&image->file);
	free(image->name);
	free(image->keys);
	budget_return(image->budget.whole, image->budget.used);
	budget_free(image->process);
	free(image);
}

/* True when the segment, extended to whole pages, has that part of the file. */
static bool segment_holds(const Elf64_Phdr *s, const struct mapping *m)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t begin = s->p_offset & ~(page - 1);

	return s->p_type == PT_LOAD && m->offset >= begin &&
	       m->offset - begin < s->p_filesz + (s->p_offset - begin);
}

/* Rates how well the permissions of a segment match those of the mapping. */
static int segment_likeness(const Elf64_Phdr *s, const struct mapping *m)
{
	return 2 * (!!(s->p_flags & PF_X) == m->is_executable) +
	       (!!(s->p_flags & PF_W) == m->is_writable);
}

uint64_t elf_image_bias(const struct elf_image *image,
			const struct mapping *mapping)
{
	const Elf64_Phdr *found = NULL;

	/* A page where two segments meet is mapped once for each. */
	for (size_t i = 0; i < image->file.segment_count; i++) {
		const Elf64_Phdr *s = &image->file.segments[i];

		if (segment_holds(s, mapping) &&
		    (!found || segment_likeness(s, mapping) >
				       segment_likeness(found, mapping)))
			found = s;
	}
	if (!found)
		found = elf_file_segment(&image->file, PT_LOAD);
	if (!found)
		return 0;
	return mapping->start - mapping->offset + found->p_offset -
	       found->p_vaddr;
}

uint64_t elf_image_symbol(const struct elf_image *image, const char *name)
{
	uint64_t address = elf_symbols_find(&image->dynamic_symbols, name);

	return address ? address : elf_symbols_find(&image->symbols, name);
}

static void image_sort_functions(struct elf_image *image)
{
	const struct elf_symbols *tables[] = { &image->symbols,
					       &image->dynamic_symbols };

	elf_functions_init(&image->functions, tables, 2,
			   image->symbols.count > 0, &image->eh_frame,
			   &image->budget);
	image->has_functions = true;
}

/* Keeps a name as long as the image; NULL when the budget is used up. */
static const char *image_keep_name(struct elf_image *image,
				   const struct text *name)
{
	if (!budget_charge(&image->budget, name->len + NAME_BYTES))
		return NULL;
	return arena_copy(&image->texts, name->len ? name->bytes : "",
			  name->len);
}

/* Returns the demangled name without a symbol version. */
static const char *image_readable_name(struct elf_image *image,
				       const char *name)
{
	struct text text = { 0 }, source = { 0 };
	const char *kept;

	text_add(&source, name,
		 demangle_source_length(name, strcspn(name, "@")));
	if (source.len && !demangle(&text, source.bytes))
		text_add(&text, source.bytes, source.len);
	text_release(&source);
	kept = image_keep_name(image, &text);
	text_release(&text);
	return kept;
}

const char *elf_image_function(struct elf_image *image, uint64_t address,
			       uint64_t *start)
{
	uint64_t begin;
	const char *name;
	uint32_t known;

	if (!image->has_functions)
		image_sort_functions(image);
	name = elf_functions_at(&image->functions, address, &begin);
	if (!name)
		return NULL;
	if (start)
		*start = begin;
	known = map64_get(&image->named, begin);
	if (known != MAP64_NONE)
		return image->names[known];
	name = image_readable_name(image, name);
	if (!name)
		return NULL;
	array_reserve(image->names, image->name_cap, image->name_count + 1);
	image->names[image->name_count] = name;
	map64_add(&image->named, begin, (uint32_t)image->name_count);
	return image->names[image->name_count++];
}

/*
 * Functions that glibc does not export, recognized by their callers (glibc's
 * nptl/pthread_create.c, csu/libc-start.c since 2.34, sysdeps/x86_64/start.S).
 * A child of posix_spawn() begins like a thread, but only start_thread calls
 * another file.
 */
static const struct unexported {
	const char *file; /* prefix of the library's name; "" = any */
	const char *callers[3];
	bool is_root; /* the function is the root of the stack trace */
	bool calls_out;
	const char *name;
} unexported[] = {
	{ "libc.so.6", { NULL }, true, false, "clone3" },
	{ "ld-linux", { NULL }, true, false, "_start" },
	{ "libc.so.6",
	  { "clone3", "clone", "__clone" },
	  false,
	  true,
	  "start_thread" },
	/* Up to glibc 2.33, in a library of its own. */
	{ "libpthread",
	  { "clone3", "clone", "__clone" },
	  false,
	  true,
	  "start_thread" },
	{ "libc.so.6",
	  { "__libc_start_main", NULL },
	  false,
	  true,
	  "__libc_start_call_main" },
	{ "", { "__libc_start_call_main", NULL }, false, false, "main" },
};

static bool unexported_is_called_by(const struct unexported *u,
				    const char *caller)
{
	if (!caller)
		return u->is_root;
	for (size_t k = 0; k < 3 && u->callers[k]; k++)
		if (strcmp(u->callers[k], caller) == 0)
			return true;
	return false;
}

static const char *unexported_find(const char *file, const char *caller,
				   bool calls_out)
{
	for (size_t i = 0; i < sizeof(unexported) / sizeof(*unexported); i++) {
		const struct unexported *u = &unexported[i];

		if (strncmp(file, u->file, strlen(u->file)) == 0 &&
		    unexported_is_called_by(u, caller) &&
		    (calls_out || !u->calls_out))
			return u->name;
	}
	return NULL;
}

/* A function that was recognized once keeps its name with any caller. */
static const char *image_recognize(struct elf_image *image, uint64_t start,
				   const char *caller, bool calls_out)
{
	const char *name;

	for (size_t i = 0; i < image->known_count; i++)
		if (image->known[i].start == start)
			return image->known[i].name;
	/* The kernel starts a program at its entry, which has no caller. */
	name = !caller && start == image->file.entry
		       ? "_start"
		       : unexported_find(elf_image_name(image), caller,
					 calls_out);
	if (name && image->known_count < KNOWN_MAX)
		image->known[image->known_count++] = (struct known_function){
			start, name
		};
	return name;
}

const char *elf_image_unnamed(struct elf_image *image, uint64_t address,
			      const char *caller, bool calls_out)
{
	const char *name;
	struct text text = { 0 };
	struct cfi_row row;
	uint64_t start;

	if (!elf_cfi_start(&image->eh_frame, address, &start) &&
	    !elf_cfi_start(&image->debug_frame, address, &start))
		return NULL;
	/* Call frame information marks a signal frame. */
	if (elf_image_cfi(image, address, &row) && row.is_signal)
		return "__restore_rt";
	name = image_recognize(image, start, caller, calls_out);
	if (name)
		return name;
	text_printf(&text, "[%s+0x%" PRIx64 "]", elf_image_name(image), start);
	name = image_keep_name(image, &text);
	text_release(&text);
	return name;
}

bool elf_image_cfi(struct elf_image *image, uint64_t address,
		   struct cfi_row *row)
{
	return elf_cfi_row(&image->eh_frame, address, row) ||
	       elf_cfi_row(&image->debug_frame, address, row);
}

bool elf_image_is_cut(const struct elf_image *image)
{
	return image->budget.refused > 0;
}

const char *elf_image_name(const struct elf_image *image)
{
	return image->name ? image->name : "";
}
