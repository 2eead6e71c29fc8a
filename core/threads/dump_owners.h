/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_owners: the owners of locks for the thread dumps of a running JVM, from
 * the JVM's memory.
 *
 * A dump lacks the owners of java.util.concurrent locks, unless the JVM
 * searches its whole heap for them. The owners are read before and after the
 * dump, and must be equal.
 */
#ifndef CORE_THREADS_DUMP_OWNERS_H
#define CORE_THREADS_DUMP_OWNERS_H

#include "core/attach/attach.h"
#include "core/base/error.h"
#include "core/hotspot/process_view.h"
#include "core/threads/dump_series.h"

/* A zeroed struct reads nothing. */
struct dump_owners {
	struct process_view *view;
	struct java_thread_names *names;
	struct lock_owners *owners; /* NULL: see why */
	struct lock_waits before, after;
	struct error why;
};

/* jvm is borrowed. Without the right, or for an unknown JVM, *o has the reason.
 */
void dump_owners_open(struct dump_owners *o, const struct jvm *jvm);
void dump_owners_close(struct dump_owners *o);

/*
 * Takes a dump with these options ("-e"), and reads it into the profile of the
 * series, whose tap passes it on.  Errors are those of attach_call() and of
 * dump_reader.
 */
int dump_owners_take(struct dump_owners *o, struct attach *attach,
		     const char *options, struct dump_series *s,
		     struct error *err);

/*
 * Call these right before and after a dump that another function takes, which
 * may take a while.
 */
void dump_owners_before(struct dump_owners *o);
void dump_owners_after(struct dump_owners *o);

/* Adds the owners to the dump, which the series has read but not ended. */
void dump_owners_add(const struct dump_owners *o, struct dump_series *s);

#endif
