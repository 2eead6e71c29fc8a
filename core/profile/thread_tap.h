/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_tap: whole threads of thread dumps with their locks, for callers of
 * readers that need more than samples.
 */
#ifndef CORE_PROFILE_THREAD_TAP_H
#define CORE_PROFILE_THREAD_TAP_H

#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tapped_lock_kind {
	TAPPED_OWNS,              /* a monitor that the thread has entered */
	TAPPED_OWNS_SYNCHRONIZER, /* a lock of java.util.concurrent */
	TAPPED_ENTERS,            /* waits to enter a monitor */
	TAPPED_REENTERS,    /* the same, or waits to be notified (JDK 11) */
	TAPPED_WAITS,       /* Object.wait(), which has released the monitor */
	TAPPED_PARKS,       /* LockSupport.park() with a blocker */
	TAPPED_INITIALIZES, /* waits for another thread to initialize a class */
};

/* A lock of a thread. The id and names are strings of the profile. */
struct tapped_lock {
	enum tapped_lock_kind kind;
	uint32_t id; /* "0x00000000ffd1be00", "a.B@1f"; 0 = unknown */
	uint32_t class_name;
	int64_t owner_id;    /* Java id of the owner; 0 = unknown */
	uint32_t owner_name; /* 0 = unknown */
};

struct tapped_thread {
	struct thread thread;
	enum thread_state state;
	uint32_t stack;
	const struct tapped_lock *locks; /* from the leaf on */
	size_t lock_count;
	int64_t cpu_ns, elapsed_ns; /* -1 = unknown */
	/*
	 * For a virtual thread its carrier, for a carrier the virtual thread
	 * that it runs, as Java ids; 0 = none or unknown.
	 */
	int64_t peer_id;
	bool is_daemon;
	bool waits; /* the operating system's thread waits */
};

/* The kinds of facts in the list of deadlocks that a JVM prints. */
enum tapped_deadlock_kind {
	TAPPED_DEADLOCK,        /* a deadlock begins */
	TAPPED_DEADLOCK_THREAD, /* one of its threads */
	TAPPED_DEADLOCK_LOCK,   /* the lock that the thread waits for */
	TAPPED_DEADLOCK_OWNER,  /* the thread that owns the lock */
};

struct tap_dump {
	int64_t time_ns; /* since the epoch; 0 = unknown */
	uint32_t vm;     /* "OpenJDK 64-Bit Server VM (25.0.3+9 …)" */
	bool has_owners; /* each lock that has an owner names it */
};

/* The calls come in the order of the input. Arguments are valid during them. */
struct thread_tap {
	void (*dump)(void *self, const struct tap_dump *dump);
	/* Replaces the sample of the thread. */
	void (*thread)(void *self, const struct tapped_thread *t);
	/* A fact of the JVM's list; text is a name or the id of the lock. */
	void (*deadlock)(void *self, enum tapped_deadlock_kind kind,
			 uint32_t text);
	void *self;
};

#endif
