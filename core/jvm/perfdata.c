/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/perfdata.h"

#include "core/base/alloc.h"
#include "core/base/child.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The default of -XX:PerfDataMemorySize is 32 KB, for about a thousand
 * counters.
 */
enum { PERFDATA_FILE_MAX = 1 << 20 };

/* ---- finding and verifying the file ---- */

static const char prefix[] = "hsperfdata_";

/*
 * Maximum size of /proc/PID/maps; a JVM with ten thousand libraries has less.
 */
enum { MAPS_MAX = 16 << 20 };

/* The identity of the file, even if the opener passed a copy. */
struct found {
	uint64_t dev, ino;
};

/* The search, with the reason why the last candidate was rejected. */
struct search {
	const struct jvm *jvm;
	struct text maps;
	char file[16]; /* the PID in the JVM's namespace */
	struct error why;
};

/*
 * The file that was last found among the mappings of a JVM. A JVM maps its file
 * until it ends, and listing the mappings of a thousand threads takes the
 * kernel milliseconds.
 */
static struct {
	pid_t pid; /* 0 = none so far */
	uint64_t start_ticks;
	dev_t exe_dev, dev;
	ino_t exe_ino, ino;
} mapped;

/* True if the last file was found among the mappings of this JVM. */
static bool mapped_is_of(const struct jvm *jvm)
{
	return mapped.pid == jvm->pid &&
	       mapped.start_ticks == jvm->start_ticks &&
	       mapped.exe_dev == jvm->exe_dev && mapped.exe_ino == jvm->exe_ino;
}

static void mapped_set(const struct jvm *jvm, const struct stat *st)
{
	mapped.pid = jvm->pid;
	mapped.start_ticks = jvm->start_ticks;
	mapped.exe_dev = jvm->exe_dev;
	mapped.exe_ino = jvm->exe_ino;
	mapped.dev = st->st_dev;
	mapped.ino = st->st_ino;
}

/* True if the JVM has the file mapped under its current name. */
static bool file_is_mapped(struct search *s, const struct stat *st,
			   const char *directory)
{
	struct lines lines;
	struct line line;
	char end[320];

	/* jvm_open() has compared its age. */
	if (s->jvm->is_hidden)
		return true;
	if (mapped_is_of(s->jvm) && mapped.dev == st->st_dev &&
	    mapped.ino == st->st_ino)
		return true;
	if (!s->maps.len)
		procfs_read(s->jvm->pid, "maps", MAPS_MAX, &s->maps,
			    error_unused());
	lines = lines_over(s->maps.bytes, s->maps.len);
	snprintf(end, sizeof(end), "/%s/%s", directory, s->file);
	while (lines_next(&lines, &line)) {
		if (line_ends(line, end)) {
			mapped_set(s->jvm, st);
			return true;
		}
	}
	return false;
}

static int file_check_directory(const struct search *s, const struct stat *st,
				const char *name, struct error *err)
{
	if (st->st_uid != s->jvm->uid)
		return fail(
			err, ERROR_REFUSED,
			"/tmp/%s belongs to uid %u, but the JVM runs as uid %u",
			name, st->st_uid, s->jvm->uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return fail(err, ERROR_REFUSED,
			    "/tmp/%s is writable by other users than its owner",
			    name);
	return 0;
}

static int file_check(struct search *s, const struct stat *st,
		      const char *directory, struct error *err)
{
	const char *wrong = NULL;

	if (!S_ISREG(st->st_mode))
		wrong = "is not a regular file";
	else if (st->st_uid != s->jvm->uid)
		wrong = "does not belong to the JVM's user";
	else if (st->st_mode & (S_IWGRP | S_IWOTH))
		wrong = "is writable by other users than its owner";
	else if (st->st_nlink != 1)
		wrong = "has more than one hard link";
	else if (st->st_size > PERFDATA_FILE_MAX)
		wrong = "is too large";
	else if (!file_is_mapped(s, st, directory))
		wrong = "belongs to another JVM: this one has not mapped it";
	if (wrong)
		return fail(err, ERROR_REFUSED, "/tmp/%s/%s %s", directory,
			    s->file, wrong);
	return 0;
}

/* Opens and verifies the file in that directory; -1 and s->why. */
static int file_open_checked(struct search *s, int directory, const char *name)
{
	/*
	 * Opening a pipe or a device directly could block or have side effects.
	 */
	int held = openat(directory, s->file, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int fd = -1;
	struct stat st;

	if (held < 0 && errno == ENOENT)
		return -1;
	if (held < 0 || fstat(directory, &st) < 0)
		goto failed;
	if (file_check_directory(s, &st, name, &s->why))
		goto out;
	if (fstat(held, &st) < 0)
		goto failed;
	if (file_check(s, &st, name, &s->why))
		goto out;
	fd = jvm_open_held(held, O_RDONLY);
	if (fd >= 0)
		goto out;
failed:
	fail_sys(&s->why, errno == EACCES ? ERROR_PERMISSION : ERROR_REFUSED,
		 "/tmp/%s/%s", name, s->file);
out:
	if (held >= 0)
		close(held);
	return fd;
}

/* Opens the file in a directory of tmp; -1 and s->why. */
static int file_open_in(struct search *s, int tmp, const char *name)
{
	int directory = openat(tmp, name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd;

	if (directory < 0)
		return fail_sys(&s->why, ERROR_PERMISSION, "/tmp/%s", name);
	fd = file_open_checked(s, directory, name);
	close(directory);
	return fd;
}

static int file_search_tmp(struct search *s, DIR *tmp)
{
	const struct dirent *entry;
	int fd = -1;

	while (fd < 0 && (entry = readdir(tmp))) {
		if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0)
			fd = file_open_in(s, dirfd(tmp), entry->d_name);
	}
	return fd;
}

static int perfdata_fail_absent(const struct jvm *jvm, struct error *err)
{
	if (jvm->kind != JVM_HOTSPOT)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d has no performance counters: only HotSpot JVMs "
			    "have them",
			    jvm->pid);
	return fail(err, ERROR_UNAVAILABLE,
		    "%d has no performance counters: there is no file "
		    "/tmp/hsperfdata_*/PID",
		    jvm->pid);
}

/*
 * Opens /tmp/hsperfdata_<user>/<ns pid> in the JVM's root. Directory and file
 * must belong to the JVM's user and be writable by no other user; links are not
 * followed. The JVM must have the file mapped: if containers share /tmp,
 * another JVM with the same PID may own the name. Returns -1 and *err as
 * perfdata_open(). Runs in the opener.
 */
static int perfdata_file_open(const struct jvm *jvm, struct found *found,
			      struct error *err)
{
	struct search s = { .jvm = jvm };
	struct stat st;
	int fd = -1, tmp_fd;
	DIR *tmp = NULL;

	snprintf(s.file, sizeof(s.file), "%d", jvm->ns_pid);
	if (!jvm->is_hidden && !mapped_is_of(jvm) &&
	    procfs_read(jvm->pid, "maps", MAPS_MAX, &s.maps, err))
		goto out;
	tmp_fd = jvm_open_file(jvm, "/tmp", O_RDONLY | O_DIRECTORY, err);
	if (tmp_fd < 0)
		goto out;
	tmp = fdopendir(tmp_fd);
	if (!tmp) {
		fail_sys(err, ERROR_FAILED, "/tmp of %d", jvm->pid);
		close(tmp_fd);
		goto out;
	}
	fd = file_search_tmp(&s, tmp);
	if (fd >= 0 && fstat(fd, &st) == 0) {
		found->dev = st.st_dev;
		found->ino = st.st_ino;
	}
	if (fd >= 0)
		goto out;
	if (s.why.kind) {
		*err = s.why;
		fail_in(err, "perfdata of %d", jvm->pid);
	} else {
		perfdata_fail_absent(jvm, err);
	}
out:
	if (tmp)
		closedir(tmp);
	text_release(&s.maps);
	return fd;
}

/* Product flags, both since JDK 5. */
static const char *const reasons[] = {
	"-XX:-UsePerfData",
	"-XX:+PerfDisableSharedMem",
};

/* Whether /etc/passwd of the JVM's root has a user. */
struct passwd_search {
	uid_t uid; /* in the JVM's user namespace */
	bool is_read, has_user;
};

/* Lines read "name:password:uid:…". Runs in the opener. */
static int passwd_job(const struct jvm *jvm, void *self, struct error *err)
{
	struct passwd_search *s = self;
	int fd = jvm_open_file(jvm, "/etc/passwd", O_RDONLY, err);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char line[1024];

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		const char *at = strchr(line, ':');

		at = at ? strchr(at + 1, ':') : NULL;
		if (at && strtoul(at + 1, NULL, 10) == s->uid)
			s->has_user = true;
	}
	s->is_read = !ferror(file);
	fclose(file);
	return CHILD_NOTHING;
}

/* Lines of uid_map read "inside outside count", in numbers of sjkc. */
static uid_t passwd_uid_inside(const struct jvm *jvm)
{
	struct text map = { 0 };
	uid_t uid = jvm->uid;
	char *at;

	if (procfs_read(jvm->pid, "uid_map", 4096, &map, error_unused()) == 0) {
		for (at = map.bytes; at && *at; at += strspn(at, " \n")) {
			uint64_t inside = strtoull(at, &at, 10);
			uint64_t outside = strtoull(at, &at, 10);
			uint64_t count = strtoull(at, &at, 10);

			if (jvm->uid >= outside && jvm->uid - outside < count)
				uid = (uid_t)(inside + jvm->uid - outside);
			if (!count)
				break;
		}
	}
	text_release(&map);
	return uid;
}

/*
 * The JVM names the directory of its counters after its user, and writes none
 * if the user has no name, as under random uids (JDK-8341518).
 */
static void perfdata_explain_user(const struct jvm *jvm,
				  const struct error *why, struct error *err)
{
	struct passwd_search s = { .uid = passwd_uid_inside(jvm) };
	struct opening o = {
		.jvm = jvm,
		.job = passwd_job,
		.argument = &s,
		.size = sizeof(s),
		.place = OPENER_ROOT,
	};

	if (opener_run(&o, error_unused()) == CHILD_NOTHING && s.is_read &&
	    !s.has_user)
		fail(err, ERROR_UNAVAILABLE,
		     "%d has its counters in its memory only, because its uid "
		     "%u has no name in /etc/passwd (JDK-8341518): %s",
		     jvm->pid, (unsigned)s.uid, why->text);
	else
		fail(err, ERROR_UNAVAILABLE,
		     "%d has no file /tmp/hsperfdata_*/PID with counters, and "
		     "its memory is not readable: %s",
		     jvm->pid, why->text);
}

void perfdata_explain(const struct jvm *jvm, const struct error *why,
		      struct error *err)
{
	struct jvm_info about;
	const char *reason = NULL;

	if (jvm_info(jvm, &about, error_unused()))
		return;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (jvm_info_option(&about, reasons[i]))
			reason = reasons[i];
	jvm_info_release(&about);
	if (reason == reasons[0])
		fail(err, ERROR_UNAVAILABLE,
		     "%d has no performance counters: it was started with %s",
		     jvm->pid, reason);
	else if (reason)
		fail(err, ERROR_UNAVAILABLE,
		     "%d has its counters in its memory only, because it was "
		     "started with %s: %s",
		     jvm->pid, reason, why->text);
	else
		perfdata_explain_user(jvm, why, err);
}

/*
 * The layout of the file: PerfDataPrologue and PerfDataEntry in perfMemory.hpp.
 */
enum {
	PROLOGUE_MAGIC = 0xcafec0c0, /* always big-endian */
	PROLOGUE_SIZE = 32,
	BYTE_ORDER_AT = 4, /* 0 = big, 1 = little */
	MAJOR_AT = 5,
	ACCESSIBLE_AT = 7,
	USED_AT = 8,
	OVERFLOW_AT = 12,
	ENTRIES_AT = 24,
	COUNT_AT = 28,

	ENTRY_SIZE = 20,
	ENTRY_NAME_AT = 4,
	ENTRY_VECTOR_AT = 8,
	ENTRY_TYPE_AT = 12,
	ENTRY_UNIT_AT = 14,
	ENTRY_DATA_AT = 16,
};

/* A counter: positions of its name and value in the image. */
struct entry {
	uint32_t name, data;
	uint32_t text_len; /* bytes of a text; 0 = a number */
	uint8_t unit;
};

struct perfdata {
	int fd;                        /* -1: there is no file */
	struct perfdata_memory memory; /* read = NULL: there is none */
	/* The file system may stall: fd is a copy, which is renewed. */
	bool is_copy;
	struct jvm jvm;
	struct found found;
	uint8_t *image;
	size_t len, cap; /* the image ends with an additional NUL */
	bool is_little;
	struct entry *entries; /* in the file's order */
	size_t count, entry_cap;
	uint32_t *by_name; /* indices into entries */
	size_t by_name_cap;
	int64_t frequency; /* ticks per second */
};

static uint32_t image_u32(const struct perfdata *p, size_t at)
{
	uint32_t value;

	memcpy(&value, p->image + at, sizeof(value));
	return p->is_little ? le32toh(value) : be32toh(value);
}

static int64_t image_i64(const struct perfdata *p, size_t at)
{
	uint64_t value;

	memcpy(&value, p->image + at, sizeof(value));
	return (int64_t)(p->is_little ? le64toh(value) : be64toh(value));
}

static const char *entry_name(const struct perfdata *p, const struct entry *e)
{
	return (const char *)p->image + e->name;
}

/*
 * Reads the entry of size bytes at `at`, which is inside of the image. False if
 * its type is unknown or it points outside of itself.
 */
static bool entry_read(const struct perfdata *p, size_t at, uint32_t size,
		       struct entry *e)
{
	uint32_t name = image_u32(p, at + ENTRY_NAME_AT);
	uint32_t data = image_u32(p, at + ENTRY_DATA_AT);
	uint32_t vector = image_u32(p, at + ENTRY_VECTOR_AT);
	bool is_text = p->image[at + ENTRY_TYPE_AT] == 'B';
	uint32_t need = is_text ? vector : sizeof(int64_t);

	if (name >= size || !memchr(p->image + at + name, 0, size - name))
		return false;
	if (data > size || need > size - data || need == 0)
		return false;
	if (!is_text && (p->image[at + ENTRY_TYPE_AT] != 'J' || vector))
		return false;
	*e = (struct entry){
		.name = (uint32_t)at + name,
		.data = (uint32_t)at + data,
		.text_len = is_text ? vector : 0,
		.unit = p->image[at + ENTRY_UNIT_AT],
	};
	return true;
}

/* Each entry has a positive length, so the loop ends. */
static int image_read_entries(struct perfdata *p, struct error *err)
{
	size_t at = image_u32(p, ENTRIES_AT);
	uint32_t count = image_u32(p, COUNT_AT);
	struct entry e;

	p->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t size;

		if (at > p->len || p->len - at < ENTRY_SIZE)
			return fail(err, ERROR_INPUT,
				    "counter %u of %u lies outside the file",
				    i + 1, count);
		size = image_u32(p, at);
		if (size < ENTRY_SIZE || size > p->len - at)
			return fail(err, ERROR_INPUT,
				    "counter %u of %u has a length of %u bytes",
				    i + 1, count, size);
		if (entry_read(p, at, size, &e)) {
			array_add(p->entries, p->count, p->entry_cap, e);
		}
		at += size;
	}
	return 0;
}

static int compare_name(const void *a, const void *b, void *perfdata)
{
	const struct perfdata *p = perfdata;
	const uint32_t *one = a, *two = b;

	return strcmp(entry_name(p, &p->entries[*one]),
		      entry_name(p, &p->entries[*two]));
}

static void image_sort_names(struct perfdata *p)
{
	array_reserve(p->by_name, p->by_name_cap, p->count);
	for (uint32_t i = 0; i < p->count; i++)
		p->by_name[i] = i;
	if (p->count)
		qsort_r(p->by_name, p->count, sizeof(*p->by_name), compare_name,
			p);
}

/*
 * Reads the prologue. A starting JVM creates the file before the counters and
 * marks it as not accessible.
 */
static int image_read_prologue(struct perfdata *p, struct error *err)
{
	uint32_t magic;

	if (p->len < PROLOGUE_SIZE)
		return fail(err, p->fd < 0 ? ERROR_INPUT : ERROR_UNAVAILABLE,
			    "the hsperfdata file has only %zu bytes", p->len);
	memcpy(&magic, p->image, sizeof(magic));
	if (be32toh(magic) != PROLOGUE_MAGIC)
		return fail(err, ERROR_INPUT,
			    "the file has no performance counters");
	if (p->image[MAJOR_AT] != 2)
		return fail(err, ERROR_INPUT,
			    "the hsperfdata file has format %u; sjkc supports "
			    "format 2",
			    p->image[MAJOR_AT]);
	if (!p->image[ACCESSIBLE_AT])
		return fail(err, ERROR_UNAVAILABLE,
			    "the JVM is still initializing its counters");
	p->is_little = p->image[BYTE_ORDER_AT] == 1;
	return 0;
}

/* A text may fill its space; the copy has room for the NUL. */
static void image_end_texts(struct perfdata *p)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct entry *e = &p->entries[i];

		if (e->text_len)
			p->image[e->data + e->text_len - 1] = 0;
	}
	p->image[p->len] = 0;
}

static int image_parse(struct perfdata *p, struct error *err)
{
	int status;

	if (image_read_prologue(p, err))
		return -1;
	status = image_read_entries(p, err);
	image_sort_names(p);
	image_end_texts(p);
	if (!perfdata_value(p, "sun.os.hrt.frequency", &p->frequency) ||
	    p->frequency <= 0)
		p->frequency = 1000000000;
	/* Entries before the damage are kept. */
	return p->count ? 0 : status;
}

static void image_reserve(struct perfdata *p, size_t len)
{
	array_reserve(p->image, p->cap, len + 1);
	p->len = len;
}

static int image_peek_memory(struct perfdata *p, size_t offset, void *bytes,
			     size_t len, struct error *err)
{
	if (p->memory.read(p->memory.self, p->memory.address + offset, bytes,
			   len))
		return 0;
	if (!jvm_runs(&p->jvm))
		return jvm_fail_ended(&p->jvm, err);
	return fail(err, ERROR_UNAVAILABLE,
		    "cannot read the counters from the memory of %d",
		    (int)p->jvm.pid);
}

static int image_read(struct perfdata *p, struct error *err)
{
	struct stat st;
	ssize_t got;

	if (p->memory.read) {
		image_reserve(p, p->memory.len);
		return image_peek_memory(p, 0, p->image, p->len, err);
	}

	if (fstat(p->fd, &st))
		return fail_sys(err, ERROR_NO_TARGET, "hsperfdata file");
	if (st.st_nlink == 0 && !p->is_copy)
		return fail(err, ERROR_NO_TARGET,
			    "the JVM has removed its hsperfdata file");
	if (st.st_size > PERFDATA_FILE_MAX)
		return fail(err, ERROR_REFUSED,
			    "the hsperfdata file has grown to %lld bytes",
			    (long long)st.st_size);
	image_reserve(p, (size_t)st.st_size);
	got = pread(p->fd, p->image, p->len, 0);
	if (got < 0)
		return fail_sys(err, ERROR_NO_TARGET, "hsperfdata file");
	p->len = (size_t)got;
	return 0;
}

static int perfdata_job(const struct jvm *jvm, void *found, struct error *err)
{
	return perfdata_file_open(jvm, found, err);
}

/* Opens the file, or a copy of its present contents. */
static int perfdata_reopen(struct perfdata *p, struct error *err)
{
	struct opening o = {
		.jvm = &p->jvm,
		.job = perfdata_job,
		.argument = &p->found,
		.size = sizeof(p->found),
		.place = OPENER_TMP,
		.copy_max = PERFDATA_FILE_MAX,
	};
	int fd = opener_run(&o, err);

	if (fd < 0)
		return -1;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = fd;
	p->is_copy = o.is_copy;
	return 0;
}

/* A copy without its file means that the JVM has removed the file. */
static int perfdata_renew(struct perfdata *p, struct error *err)
{
	if (!p->is_copy || perfdata_reopen(p, err) == 0)
		return 0;
	if (err->kind == ERROR_UNAVAILABLE)
		err->kind = ERROR_NO_TARGET;
	return -1;
}

int perfdata_refresh(struct perfdata *p, struct error *err)
{
	if (p->fd < 0 && !p->memory.read)
		return 0;
	if (perfdata_renew(p, err))
		return -1;
	if (image_read(p, err) || image_parse(p, err))
		return fail_in(err, "perfdata");
	return 0;
}

struct perfdata *perfdata_open(const struct jvm *jvm, struct error *err)
{
	struct perfdata *p = xcalloc(1, sizeof(*p));

	p->fd = -1;
	p->jvm = *jvm;
	if (perfdata_reopen(p, err))
		goto failed;
	if (image_read(p, err) || image_parse(p, err)) {
		fail_in(err, "perfdata");
		goto failed;
	}
	return p;
failed:
	perfdata_close(p);
	return NULL;
}

struct perfdata *perfdata_open_memory(const struct jvm *jvm,
				      const struct perfdata_memory *memory,
				      struct error *err)
{
	struct perfdata *p = xcalloc(1, sizeof(*p));

	p->fd = -1;
	p->jvm = *jvm;
	p->memory = *memory;
	if (memory->len > PERFDATA_FILE_MAX)
		fail(err, ERROR_REFUSED, "the counters have %zu bytes",
		     memory->len);
	else if (image_read(p, err) == 0 && image_parse(p, err) == 0)
		return p;
	fail_in(err, "perfdata");
	perfdata_close(p);
	return NULL;
}

struct perfdata *perfdata_of(const void *bytes, size_t len, struct error *err)
{
	struct perfdata *p = xcalloc(1, sizeof(*p));

	p->fd = -1;
	image_reserve(p, len);
	if (len)
		memcpy(p->image, bytes, len);
	if (image_parse(p, err)) {
		err->kind = ERROR_INPUT;
		perfdata_close(p);
		return NULL;
	}
	return p;
}

void perfdata_close(struct perfdata *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	if (p->memory.close)
		p->memory.close(p->memory.self);
	free(p->image);
	free(p->entries);
	free(p->by_name);
	free(p);
}

size_t perfdata_count(const struct perfdata *p) { return p->count; }

struct perfdata_counter perfdata_at(const struct perfdata *p, size_t i)
{
	const struct entry *e = &p->entries[i];
	struct perfdata_counter counter = {
		.name = entry_name(p, e),
		.unit = (enum perfdata_unit)e->unit,
		.is_text = e->text_len > 0,
	};

	if (counter.is_text)
		counter.text = (const char *)p->image + e->data;
	else
		counter.value = image_i64(p, e->data);
	return counter;
}

/* Binary search in the sorted names. */
static const struct entry *perfdata_find(const struct perfdata *p,
					 const char *name)
{
	size_t from = 0, to = p->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct entry *e = &p->entries[p->by_name[middle]];
		int order = strcmp(name, entry_name(p, e));

		if (order == 0)
			return e;
		if (order < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return NULL;
}

bool perfdata_value(const struct perfdata *p, const char *name, int64_t *value)
{
	const struct entry *e = perfdata_find(p, name);

	if (!e || e->text_len)
		return false;
	*value = image_i64(p, e->data);
	return true;
}

const char *perfdata_text(const struct perfdata *p, const char *name)
{
	const struct entry *e = perfdata_find(p, name);

	return e && e->text_len ? (const char *)p->image + e->data : NULL;
}

size_t perfdata_offset(const struct perfdata *p, const char *name)
{
	const struct entry *e = perfdata_find(p, name);

	return e ? e->data : 0;
}

int perfdata_peek(struct perfdata *p, size_t offset, void *bytes, size_t len,
		  struct error *err)
{
	ssize_t got;

	if (p->memory.read)
		return image_peek_memory(p, offset, bytes, len, err);
	if (p->fd < 0) {
		if (offset > p->len || len > p->len - offset)
			return fail(err, ERROR_UNAVAILABLE,
				    "perfdata: no such counter");
		memcpy(bytes, p->image + offset, len);
		return 0;
	}
	if (perfdata_renew(p, err))
		return -1;
	got = pread(p->fd, bytes, len, (off_t)offset);
	if (got == (ssize_t)len)
		return 0;
	if (got < 0)
		return fail_sys(err, ERROR_UNAVAILABLE, "hsperfdata file");
	return fail(err, ERROR_UNAVAILABLE,
		    "the hsperfdata file has been truncated");
}

bool perfdata_inode(const struct perfdata *p, uint64_t *dev, uint64_t *ino)
{
	*dev = p->found.dev;
	*ino = p->found.ino;
	return p->fd >= 0;
}

uint64_t perfdata_address(const struct perfdata *p)
{
	return p->memory.address;
}

int64_t perfdata_ns(const struct perfdata *p, int64_t ticks)
{
	if (p->frequency == 1000000000)
		return ticks;
	return (int64_t)((double)ticks / (double)p->frequency * 1e9);
}

uint32_t perfdata_overflow(const struct perfdata *p)
{
	return image_u32(p, OVERFLOW_AT);
}
