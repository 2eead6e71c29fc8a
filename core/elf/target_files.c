/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/target_files.h"

#include "core/elf/elf_debug.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a copy: libjvm has 35 MB, without its debug information. */
#define COPY_MAX ((size_t)64 << 20)
#define PART     ((size_t)64 << 10)

/* A mapped file to open. */
struct mapped_file {
	uint64_t start, end, inode;
	char path[PATH_MAX];
};

/* Opens the mapped file itself, without access to its contents (O_PATH). */
static int file_hold_mapped(const struct jvm *jvm, uint64_t start, uint64_t end,
			    struct error *err)
{
	char name[64];

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, start,
		 end);
	return procfs_open(jvm->pid, name, O_PATH, err);
}

/* The attributes that the kernel has cached may be stale. */
bool target_files_stat(const struct target_files *t, const struct mapping *m,
		       struct statx *st)
{
	int held = file_hold_mapped(t->jvm, m->start, m->end, error_unused());
	bool is_known = held >= 0 &&
			statx(held, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
			      STATX_BASIC_STATS, st) == 0;

	if (held >= 0)
		close(held);
	return is_known;
}

/*
 * Opens the mapped file itself, which needs CAP_CHECKPOINT_RESTORE or
 * CAP_SYS_ADMIN.
 */
static int file_open_mapped(const struct jvm *jvm, const struct mapped_file *f,
			    struct error *err)
{
	int held = file_hold_mapped(jvm, f->start, f->end, err), fd;

	if (held < 0)
		return -1;
	fd = jvm_open_held(held, O_RDONLY);
	if (fd < 0)
		fail_sys(err, ERROR_INPUT, "%s", f->path);
	close(held);
	return fd;
}

/* Opens the file by its path.  Fails if the path leads to another file now. */
static int file_open_path(const struct jvm *jvm, const struct mapped_file *f,
			  struct error *err)
{
	int fd = jvm_open_file(jvm, f->path, O_RDONLY, err);
	struct stat st;

	if (fd < 0)
		return -1;
	/* An overlay has the same inode number, but another device. */
	if (fstat(fd, &st) == 0 && st.st_ino == f->inode)
		return fd;
	close(fd);
	return fail(err, ERROR_UNAVAILABLE, "%s: the file was replaced",
		    f->path);
}

/* Runs in the opener. */
static int file_open_job(const struct jvm *jvm, void *file, struct error *err)
{
	int fd = file_open_mapped(jvm, file, err);

	return fd >= 0 ? fd : file_open_path(jvm, file, err);
}

/* ---- copies ---- */

/* The copy of a file, whose other parts are holes. */
struct copying {
	int from, to;
	size_t max, *copied;
	struct error *err;
};

static int copy_range(const struct copying *c, uint64_t at, uint64_t len)
{
	static char part[PART];

	while (len) {
		size_t want = len < PART ? (size_t)len : PART;
		ssize_t got = pread(c->from, part, want, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_sys(c->err, ERROR_FAILED,
					"cannot read a file");
		/* Sections may end behind the file. */
		if (got == 0)
			return 0;
		if ((size_t)got > c->max - *c->copied)
			return fail(c->err, ERROR_PARTIAL,
				    "the tables of a file are larger than "
				    "%zu bytes",
				    c->max);
		if (pwrite(c->to, part, (size_t)got, (off_t)at) != got)
			return fail_sys(c->err, ERROR_FAILED,
					"cannot copy a file");
		*c->copied += (size_t)got;
		at += (uint64_t)got;
		len -= (uint64_t)got;
	}
	return 0;
}

static const char *section_name(const struct elf_file *f, const Elf64_Shdr *s)
{
	return s->sh_name < f->names.len
		       ? (const char *)f->names.bytes + s->sh_name
		       : "";
}

/* Returns true for the sections that an elf_image is read from. */
static bool section_is_table(const struct elf_file *f, const Elf64_Shdr *s)
{
	static const char *const names[] = {
		".eh_frame",
		".debug_frame",
		".gnu_debuglink",
		".gnu_debugdata",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(section_name(f, s), names[i]) == 0)
			return true;
	return s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM ||
	       s->sh_type == SHT_STRTAB || s->sh_type == SHT_DYNAMIC ||
	       s->sh_type == SHT_NOTE;
}

/* Returns true for all sections except debug information. */
static bool section_is_no_debug(const struct elf_file *f, const Elf64_Shdr *s)
{
	return strncmp(section_name(f, s), ".debug_", 7) != 0;
}

static int copy_sections(const struct copying *c, const struct elf_file *f,
			 bool (*wants)(const struct elf_file *f,
				       const Elf64_Shdr *s))
{
	const Elf64_Phdr *frames = elf_file_segment(f, PT_GNU_EH_FRAME);
	Elf64_Ehdr head;

	if (!f->section_count)
		return copy_range(c, 0, f->source.len);
	if (!elf_file_read_into(f, 0, &head, sizeof(head)) ||
	    copy_range(c, 0, sizeof(head)) ||
	    copy_range(c, head.e_phoff,
		       f->segment_count * sizeof(*f->segments)) ||
	    copy_range(c, head.e_shoff,
		       f->section_count * sizeof(*f->sections)) ||
	    (frames && copy_range(c, frames->p_offset, frames->p_filesz)))
		return -1;
	for (size_t i = 0; i < f->section_count; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (s->sh_type != SHT_NOBITS && wants(f, s) &&
		    copy_range(c, s->sh_offset, s->sh_size))
			return -1;
	}
	return 0;
}

static int copy_elf(int from, int to, size_t max, size_t *copied,
		    bool (*wants)(const struct elf_file *f,
				  const Elf64_Shdr *s),
		    struct error *err)
{
	const struct copying c = { from, to, max, copied, err };
	struct elf_file f;
	int ret = elf_file_init(&f, (struct elf_source){ .fd = from }, err);

	if (ret == 0 && ftruncate(to, (off_t)f.source.len) < 0)
		ret = fail_sys(err, ERROR_FAILED, "cannot copy a file");
	if (ret == 0)
		ret = copy_sections(&c, &f, wants);
	elf_file_release(&f);
	return ret;
}

int target_files_copy_tables(int from, int to, size_t max, size_t *copied,
			     struct error *err)
{
	return copy_elf(from, to, max, copied, section_is_table, err);
}

int target_files_copy_elf(int from, int to, size_t max, size_t *copied,
			  struct error *err)
{
	return copy_elf(from, to, max, copied, section_is_no_debug, err);
}

/* ---- files ---- */

/* Counts files that sjkc cannot read although they exist. */
static int files_run(struct target_files *t, struct opening *o,
		     const char *path, struct error *err)
{
	int fd;

	uint64_t left = budget_left(t->budget) / 2;

	o->jvm = t->jvm;
	/* Reads from the copy need the other half. */
	o->copy_max = left < COPY_MAX ? (size_t)left : COPY_MAX;
	o->copy = t->budget ? target_files_copy_tables : target_files_copy_elf;
	fd = opener_run(o, err);
	if (fd < 0 && err->sys == ETIMEDOUT) {
		fail_sys(err, ERROR_PARTIAL, "%s", path);
		t->missed++;
	} else if (fd < 0 && err->kind == ERROR_PARTIAL && t->budget) {
		t->budget->refused++;
	}
	return fd;
}

int target_files_open(struct target_files *t, const struct mapping *m,
		      struct error *err)
{
	struct mapped_file f = { .start = m->start,
				 .end = m->end,
				 .inode = m->inode };
	struct opening o = {
		.job = file_open_job,
		.argument = &f,
		.size = sizeof(f),
		.place = ~m->dev,
	};

	if (strlen(m->path) >= sizeof(f.path))
		return fail(err, ERROR_INPUT, "a path is too long");
	snprintf(f.path, sizeof(f.path), "%s", m->path);
	return files_run(t, &o, m->path, err);
}

/* Runs in the opener. */
static int file_debug_job(const struct jvm *jvm, void *search,
			  struct error *err)
{
	int fd = elf_debug_open(jvm, search);

	return fd >= 0 ? fd : fail(err, ERROR_UNAVAILABLE, "no debug file");
}

int target_files_open_debug(struct target_files *t, const char *path,
			    const struct elf_file *f)
{
	struct elf_debug_search search;
	struct opening o = {
		.job = file_debug_job,
		.argument = &search,
		.size = sizeof(search),
		.place = OPENER_ROOT,
	};
	struct error unused = { 0 };

	return elf_debug_search_init(&search, path, f)
		       ? files_run(t, &o, path, &unused)
		       : -1;
}
