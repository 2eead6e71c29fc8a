/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc --log: the JVM writes a log, which sjkc reads.
 *
 *	a new directory of the JVM's user in its /tmp, with an empty file
 *	VM.log output=FILE	the JVM opens the file
 *	the file and the directory are removed; both sides have it open
 *	VM.log … what=all=off	the JVM closes it
 *
 * Other outputs of the JVM's log stay as they are. A cleanup process disables
 * the output if sjkc is killed, or if sjkc does not read for a minute because
 * it is stopped or its output blocks: the JVM would fill its disk.
 */
#include "cmd/gc/gc_command.h"
#include "cmd/shared/log.h"
#include "core/attach/attach.h"
#include "core/attach/attach_socket.h"
#include "core/attach/helper_process.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/gc/gc_counters.h"
#include "core/gc/gc_log.h"
#include "core/jvm/jdk_version.h"
#include "core/jvm/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define VM_LOG_FIRST      11 /* the first JDK that is supported */
#define VM_LOG_WAIT_NS    (250 * CLOCK_NS_PER_MS)
#define VM_LOG_CLEANUP_NS (10 * CLOCK_NS_PER_S)
#define VM_LOG_BEAT_NS    (5 * CLOCK_NS_PER_S)
#define VM_LOG_IDLE_NS    (60 * CLOCK_NS_PER_S) /* then the log ends */
#define VM_LOG_PART       ((size_t)256 << 10)   /* read at once */
#define VM_LOG_LINE       ((size_t)1 << 20)     /* longer lines are damage */
#define VM_LOG_HOLE       ((off_t)16 << 10)     /* freed at once */
#define VM_LOG_MOST       ((off_t)1 << 30)      /* if nothing can be freed */

static const char vm_log_file[] = "gc.log";

struct vm_log {
	struct gc_source source;
	struct gc_source *lines; /* makes records of the lines */
	const struct jvm *jvm;
	struct attach *attach;
	struct child cleaner;
	char directory[48]; /* in the JVM's /tmp */
	bool is_made;       /* the directory may exist */
	bool is_enabled;    /* the JVM may write the log */
	int fd;
	off_t read, freed;
	int64_t beat_ns; /* when the cleanup process was told that sjkc reads */
	bool was_full;   /* the file system had no space: lines are missing */
	bool keeps_all;  /* the file system cannot free a part of a file */
	struct text bytes;
	size_t fed; /* bytes that were given to lines */
};

static struct vm_log *vm_log_of(struct gc_source *s)
{
	return (struct vm_log *)s;
}

/* ---- the log in the JVM ---- */

static int vm_log_command(struct attach *attach, const char *command,
			  struct text *reply, struct error *err)
{
	const struct attach_request request = {
		.operation = "jcmd",
		.args = { command },
	};

	return attach_call(attach, &request, reply, err);
}

static void vm_log_add_output(const struct vm_log *v, struct text *command)
{
	text_printf(command, "VM.log output=\"file=/tmp/%s/%s\"", v->directory,
		    vm_log_file);
}

/* True if the JVM lists our file among its outputs. */
static int vm_log_is_listed(struct vm_log *v, struct attach *attach,
			    bool *is_listed, struct error *err)
{
	struct text reply = { 0 };
	int ret = vm_log_command(attach, "VM.log list", &reply, err);

	*is_listed = reply.len && strstr(reply.bytes, v->directory);
	text_release(&reply);
	return ret;
}

/*
 * Tags are exact: gc is not gc*. ZGC reports its pauses as phases; the phases
 * of others are details.
 */
static void vm_log_add_tags(const struct vm_log *v, const struct gc_options *o,
			    struct text *command)
{
	const char *collector = v->source.collector.bytes;

	text_puts(command, " what=gc,gc+cpu,safepoint");
	if (o->phases)
		text_puts(command, ",gc+phases=debug");
	else if (!collector || strcmp(collector, "ZGC") == 0)
		text_puts(command, ",gc+phases");
}

static int vm_log_enable(struct vm_log *v, const struct gc_options *o,
			 struct error *err)
{
	struct text command = { 0 }, reply = { 0 };
	bool is_listed = false;
	int ret;

	vm_log_add_output(v, &command);
	text_puts(&command, " output_options=filecount=0 decorators=tm,un");
	vm_log_add_tags(v, o, &command);
	v->is_enabled = true;
	ret = vm_log_command(v->attach, command.bytes, &reply, err);
	if (ret == 0)
		ret = vm_log_is_listed(v, v->attach, &is_listed, err);
	if (ret == 0 && !is_listed)
		ret = fail(err, ERROR_REFUSED,
			   "%d: the JVM does not write the log: %.*s",
			   (int)v->jvm->pid,
			   (int)strcspn(reply.len ? reply.bytes : "", "\n"),
			   reply.len ? reply.bytes : "no reason");
	text_release(&command);
	text_release(&reply);
	return ret;
}

/* For the case that sjkc and its cleanup process are killed together. */
static void vm_log_print_end(const struct vm_log *v)
{
	struct text command = { 0 };

	vm_log_add_output(v, &command);
	log_info("%d: the JVM logs into an unlinked file until sjkc ends; if "
		 "sjkc and its cleanup process are killed together, end the "
		 "log with `sjkc jcmd %d '%s what=all=off'`",
		 (int)v->jvm->pid, (int)v->jvm->pid, command.bytes);
	text_release(&command);
}

/* Removes the output; prints what to do if that fails. */
static void vm_log_disable(struct vm_log *v)
{
	struct text command = { 0 }, reply = { 0 };
	struct attach *attach = NULL;
	bool is_listed = false;
	struct error err;

	if (!v->is_enabled || !jvm_runs(v->jvm))
		return;
	v->is_enabled = false;
	vm_log_add_output(v, &command);
	text_puts(&command, " what=all=off");
	attach = attach_open(v->jvm, VM_LOG_CLEANUP_NS, &err);
	if ((!attach || vm_log_command(attach, command.bytes, &reply, &err) ||
	     vm_log_is_listed(v, attach, &is_listed, &err) || is_listed) &&
	    jvm_runs(v->jvm))
		log_always("%d: cannot end the JVM's log: %s; end it with "
			   "`sjkc jcmd %d '%s'`",
			   (int)v->jvm->pid,
			   is_listed ? "it is still listed" : err.text,
			   (int)v->jvm->pid, command.bytes);
	attach_close(attach);
	text_release(&command);
	text_release(&reply);
}

/* ---- the file ---- */

/* Makes the directory and the file as the JVM's user; returns the file. */
static int vm_log_make_job(void *self, int channel, struct error *err)
{
	const struct vm_log *v = self;
	int tmp = attach_socket_dir(v->jvm, err), directory, fd = -1;
	struct statfs fs = { 0 };

	(void)channel;
	if (tmp < 0 || helper_process_become(v->jvm, err))
		return -1;
	if (mkdirat(tmp, v->directory, 0700))
		return fail_sys(err, ERROR_PERMISSION,
				"cannot create a directory in the JVM's /tmp");
	directory = openat(tmp, v->directory,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory >= 0)
		fd = openat(directory, vm_log_file,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	if (fd < 0)
		return fail_sys(err, ERROR_PERMISSION,
				"cannot create a file in the JVM's /tmp");
	/* The JVM and sjkc keep the file open. */
	if (fstatfs(fd, &fs) < 0 || !opener_is_lasting(fs.f_type))
		return fail(err, ERROR_UNAVAILABLE,
			    "the file system of the JVM's /tmp may not respond "
			    "(0x%lx); omit --log",
			    (long)fs.f_type);
	return fd;
}

static int vm_log_remove_job(void *self, int channel, struct error *err)
{
	const struct vm_log *v = self;
	int tmp = attach_socket_dir(v->jvm, err), directory;

	(void)channel;
	if (tmp < 0 || helper_process_become(v->jvm, err))
		return -1;
	directory = openat(tmp, v->directory,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory >= 0)
		unlinkat(directory, vm_log_file, 0);
	/* Fails if the file could not be removed, too. */
	if (unlinkat(tmp, v->directory, AT_REMOVEDIR) && errno != ENOENT)
		return fail_sys(err, ERROR_FAILED,
				"cannot remove /tmp/%s of the JVM",
				v->directory);
	return CHILD_NOTHING;
}

/* Runs a job that accesses the JVM's file system; returns its file, or -1. */
static int vm_log_run_job(struct vm_log *v, child_job *job, struct error *err)
{
	struct child child;
	int fd = -1;

	if (helper_process_start(&child, v->jvm, job, v, err))
		return -1;
	helper_process_wait(&child, clock_monotonic_ns() + VM_LOG_CLEANUP_NS,
			    &fd, err);
	helper_process_end(&child);
	return fd;
}

/* The /tmp of a JVM that has ended may not be reachable. */
static void vm_log_remove(struct vm_log *v)
{
	struct error err = { 0 };

	if (v->is_made)
		vm_log_run_job(v, vm_log_remove_job, &err);
	v->is_made = false;
	if (err.kind && jvm_runs(v->jvm))
		log_always("%d: %s; remove it", (int)v->jvm->pid, err.text);
}

/* ---- cleaning up ---- */

/* The job of the cleanup process: waits until sjkc ends or reads no more. */
static int vm_log_clean_up(void *self, int channel, struct error *err)
{
	struct vm_log *v = self;
	enum child_news news;
	char word = 'b';

	(void)err;
	do
		news = child_hear(channel,
				  clock_monotonic_ns() + VM_LOG_IDLE_NS, &word);
	while (news == CHILD_TOLD && word == 'b');
	if (news == CHILD_TOLD)
		return CHILD_NOTHING;
	/* The parent may have done both after this process was started. */
	v->is_enabled = v->is_made = true;
	vm_log_disable(v);
	vm_log_remove(v);
	return CHILD_NOTHING;
}

/* Tells the cleanup process that sjkc reads; fails if it has ended the log. */
static int vm_log_beat(struct vm_log *v, struct error *err)
{
	int64_t pause_ns = clock_monotonic_ns() - v->beat_ns;
	bool is_listed = true;

	if (pause_ns < VM_LOG_BEAT_NS)
		return 0;
	v->beat_ns += pause_ns;
	child_tell(v->cleaner.channel, 'b', -1);
	if (pause_ns < VM_LOG_IDLE_NS / 2 || !jvm_runs(v->jvm) ||
	    vm_log_is_listed(v, v->attach, &is_listed, err))
		return 0;
	return is_listed ? 0
			 : fail(err, ERROR_FAILED,
				"the JVM's log has ended, because sjkc did not "
				"read it for a minute");
}

static int vm_log_start_cleaner(struct vm_log *v, struct error *err)
{
	const int kept[] = { STDERR_FILENO, v->jvm->pidfd };
	const struct child_options options = {
		.files = CHILD_NULLS_FILES,
		.kept = kept,
		.kept_count = sizeof(kept) / sizeof(*kept),
	};

	if (child_start(&v->cleaner, &options, vm_log_clean_up, v, err))
		return fail_in(err, "cannot start the cleanup process");
	return 0;
}

static void vm_log_end_cleaner(struct vm_log *v)
{
	if (!v->cleaner.pid)
		return;
	child_end(&v->cleaner,
		  child_tell(v->cleaner.channel, 'k', -1) ? 0 : CLOCK_NS_PER_S);
}

/* ---- reading ---- */

/* Frees the part of the file that was read. */
static int vm_log_free_read(struct vm_log *v, struct error *err)
{
	if (v->keeps_all && v->read > VM_LOG_MOST)
		return fail(err, ERROR_FAILED,
			    "the log has reached 1 GB, and its file system "
			    "cannot free a part of it");
	if (v->keeps_all || v->read - v->freed < VM_LOG_HOLE)
		return 0;
	if (fallocate(v->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      v->freed, v->read - v->freed))
		v->keeps_all = true;
	v->freed = v->read;
	return 0;
}

/*
 * The JVM omits lines for which there is no space. Blocks that a file system
 * reserves for root are space only for a JVM of root.
 */
static void vm_log_check_space(struct vm_log *v)
{
	struct statvfs space;

	if (v->was_full || fstatvfs(v->fd, &space) || !space.f_blocks ||
	    (v->jvm->uid ? space.f_bavail : space.f_bfree))
		return;
	v->was_full = true;
	log_always("%d: the JVM's /tmp is full: its log lacks lines",
		   (int)v->jvm->pid);
}

/* Feeds the lines that are new. Returns 1, or 0 if there are none. */
static int vm_log_read(struct vm_log *v, struct error *err)
{
	char *part;
	const char *end;
	ssize_t got;

	if (vm_log_beat(v, err))
		return -1;
	part = xmalloc(VM_LOG_PART);
	got = pread(v->fd, part, VM_LOG_PART, v->read);
	if (v->fed) {
		v->bytes.len -= v->fed;
		memmove(v->bytes.bytes, v->bytes.bytes + v->fed, v->bytes.len);
		v->fed = 0;
	}
	if (got > 0) {
		text_add(&v->bytes, part, (size_t)got);
		v->read += got;
	}
	free(part);
	if (got < 0)
		return fail_sys(err, ERROR_FAILED, "cannot read the log");
	if (v->bytes.len > VM_LOG_LINE)
		return fail(err, ERROR_FAILED, "the log has no lines");
	vm_log_check_space(v);
	if (vm_log_free_read(v, err))
		return -1;
	end = v->bytes.len ? memrchr(v->bytes.bytes, '\n', v->bytes.len) : NULL;
	if (!end)
		return 0;
	v->fed = (size_t)(end - v->bytes.bytes) + 1;
	gc_log_feed(v->lines, (const uint8_t *)v->bytes.bytes, v->fed);
	return 1;
}

static enum gc_next vm_log_next(struct gc_source *source, struct gc_pause *p,
				struct error *err)
{
	struct vm_log *v = vm_log_of(source);
	enum gc_next next;
	int fed;

	for (;;) {
		next = gc_source_next(v->lines, p, err);
		if (next != GC_NEXT_LATER)
			return next;
		fed = vm_log_read(v, err);
		if (fed < 0)
			return GC_NEXT_FAILED;
		if (fed)
			continue;
		if (!source->is_ending)
			return GC_NEXT_LATER;
		/* The last pause may have no safepoint line. */
		v->lines->is_ending = true;
	}
}

static void vm_log_lost(const struct gc_source *source, struct gc_lost *lost)
{
	const struct vm_log *v = (const struct vm_log *)source;

	gc_source_lost(v->lines, lost);
	lost->lines += v->was_full;
}

static void vm_log_close(struct gc_source *source)
{
	struct vm_log *v = vm_log_of(source);

	vm_log_disable(v);
	vm_log_remove(v);
	vm_log_end_cleaner(v);
	attach_close(v->attach);
	gc_source_close(v->lines);
	if (v->fd >= 0)
		close(v->fd);
	text_release(&v->bytes);
	free(v);
}

static const struct gc_source_methods vm_log_methods = {
	.next = vm_log_next,
	.lost = vm_log_lost,
	.close = vm_log_close,
};

/* ---- opening ---- */

static int vm_log_check_version(const struct jvm *jvm, struct error *err)
{
	struct jvm_info info;
	unsigned version;

	if (jvm->kind != JVM_HOTSPOT)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d: --log requires a HotSpot JVM", (int)jvm->pid);
	if (jvm_info(jvm, &info, err))
		return -1;
	version = jdk_version_of(info.version).feature;
	jvm_info_release(&info);
	/* If the version is unknown, VM.log reports a missing feature. */
	if (!version || version >= VM_LOG_FIRST)
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "%d: --log requires JDK %d or later, and this is JDK %u; "
		    "use --source counters",
		    (int)jvm->pid, VM_LOG_FIRST, version);
}

/* The counters know the collector, which later lines do not name. */
static const char *vm_log_find_collector(struct vm_log *v)
{
	struct gc_counters *c = gc_counters_open(v->jvm, error_unused());
	const char *name = c ? gc_counters_collector(c) : "";

	gc_counters_close(c);
	text_puts(&v->source.collector, name);
	return *name ? name : NULL;
}

static void vm_log_name_directory(struct vm_log *v)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint64_t)clock_monotonic_ns();
	snprintf(v->directory, sizeof(v->directory), "sjkc-gc-%d-%016llx",
		 (int)getpid(), (unsigned long long)random);
}

static int vm_log_start(struct vm_log *v, const struct gc_options *o,
			struct error *err)
{
	if (vm_log_check_version(v->jvm, err))
		return -1;
	v->lines = gc_log_follow(vm_log_find_collector(v));
	v->attach = attach_open(v->jvm, ATTACH_TIMEOUT_NS, err);
	if (!v->attach || vm_log_start_cleaner(v, err))
		return -1;
	v->is_made = true;
	v->fd = vm_log_run_job(v, vm_log_make_job, err);
	if (v->fd < 0 || vm_log_enable(v, o, err))
		return -1;
	vm_log_remove(v);
	vm_log_print_end(v);
	v->source.begin_ns = v->beat_ns = clock_monotonic_ns();
	return 0;
}

struct gc_source *gc_vm_log_open(const struct gc_options *o,
				 const struct jvm *jvm, struct error *err)
{
	struct vm_log *v = xcalloc(1, sizeof(*v));

	v->source.methods = &vm_log_methods;
	v->source.fd = -1;
	v->source.pid = jvm->pid;
	v->source.wait_ns = VM_LOG_WAIT_NS;
	v->source.cpu_ns = GC_ABSENT;
	v->jvm = jvm;
	v->fd = -1;
	v->cleaner.channel = -1;
	vm_log_name_directory(v);
	if (vm_log_start(v, o, err)) {
		gc_source_close(&v->source);
		return NULL;
	}
	v->source.columns = v->lines->columns;
	if (o->phases)
		v->source.columns |= GC_HAS_PHASES;
	text_puts(&v->source.description,
		  "the JVM's own log, which it writes within its pauses");
	return &v->source;
}
