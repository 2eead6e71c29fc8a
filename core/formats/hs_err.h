/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hs_err: parses the fatal error log of HotSpot, hs_err_pid4711.log, of JDK 8
 * to 28 (VMError::report in src/hotspot/share/utilities/vmError.cpp).
 *
 * A JVM that crashes writes the log step by step, and each step may crash or
 * time out. So the log may lack any part; absent values are NULL, 0, or
 * HS_ERR_ABSENT. Each list and each string has a limit. All strings are
 * foreign text, except for masked secrets as they are in the log.
 */
#ifndef CORE_FORMATS_HS_ERR_H
#define CORE_FORMATS_HS_ERR_H

#include "core/base/arena.h"
#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HS_ERR_ABSENT UINT64_MAX

/* Maximum number of bytes of a string; longer strings are cut. */
#define HS_ERR_STRING  512
#define HS_ERR_COMMAND 4096

enum {
	HS_ERR_FRAMES = 32,
	HS_ERR_SPACES = 16,
	HS_ERR_LIMITS = 16,
	HS_ERR_EVENTS = 10,
};

enum hs_err_kind {
	HS_ERR_UNKNOWN,  /* the log ends before the cause */
	HS_ERR_SIGNAL,   /* or an exception of Windows */
	HS_ERR_INTERNAL, /* a failed assertion or guarantee of HotSpot */
	HS_ERR_NO_MEMORY /* an allocation outside of the Java heap failed */
};

struct hs_err_frame {
	/*
	 * C: native code, V: libjvm, v: code that libjvm generates, j:
	 * interpreted, J: compiled Java code, A: compiled ahead of time.
	 * 0: no frame.
	 */
	char kind;
	const char *text;    /* the frame without its kind */
	const char *library; /* file name without directory, or NULL */
	bool has_offset;     /* C and V: */
	uint64_t offset;     /* in the library, or the address without one */
	const char *symbol;  /* "name+0x1f" behind the library, or NULL */
	const char *method;  /* "com.acme.Orders.submit" of Java, or NULL */
	const char *path;    /* of the library, or NULL */
	bool is_platform;    /* the library is the JDK's or the system's */
	bool is_deleted;     /* the file was removed or replaced */
};

struct hs_err_stack {
	struct hs_err_frame frames[HS_ERR_FRAMES]; /* innermost first */
	size_t count;
	uint64_t omitted; /* frames beyond the limit */
};

/* A space, generation or region kind of the heap, or metaspace. */
struct hs_err_space {
	const char *name;
	uint64_t used, committed; /* bytes, or HS_ERR_ABSENT */
};

struct hs_err_limit {
	const char *name, *value; /* as in the log */
};

struct hs_err_event {
	double seconds;   /* since the start of the JVM */
	const char *kind; /* "gc", "deoptimization" or "exception" */
	const char *text;
};

struct hs_err {
	enum hs_err_kind kind;
	const char *signal; /* "SIGSEGV" */
	const char *code;   /* "SEGV_MAPERR" */
	bool has_address;   /* of the failed access: */
	uint64_t address;
	bool sent_by_kill;
	uint64_t sender;     /* PID that sent the signal, or 0 */
	const char *source;  /* "debug.cpp:362" of the other kinds */
	const char *message; /* "fatal error: …" or the failed allocation: */
	const char *call;    /* "mmap" */
	uint64_t allocation; /* bytes, or 0 */
	const char *reason;  /* of an OutOfMemoryError: "Java heap space" */
	uint64_t pid, tid;
	struct hs_err_frame frame; /* the problematic frame */

	const char *jre, *vm;
	const char *command; /* options, main class and arguments, masked */
	double elapsed;      /* seconds that the JVM ran, or -1 */
	const char *core;    /* sentence about the core file */
	bool has_core;

	const char *thread, *thread_kind, *thread_state;
	uint64_t stack_low, stack_high, stack_pointer; /* 0 = unknown */
	const char *compiler;  /* "C2" of the current compilation */
	const char *compiled;  /* its method, "com.acme.Orders::submit" */
	const char *operation; /* of the VM at that time */
	struct hs_err_stack native, java;
	/* The first library of neither the JDK nor the system on the stack. */
	const char *stack_library;

	struct hs_err_space spaces[HS_ERR_SPACES];
	size_t space_count;
	struct hs_err_limit limits[HS_ERR_LIMITS]; /* of the process */
	size_t limit_count;
	struct hs_err_limit container[HS_ERR_LIMITS];
	size_t container_count;
	/* Bytes, or HS_ERR_ABSENT. */
	uint64_t memory, memory_free, swap, swap_free;
	uint64_t container_memory, container_usage;
	uint64_t mappings, max_mappings;
	const char *mapped_file; /* the file at the address */

	struct hs_err_event events[HS_ERR_EVENTS]; /* the last, by time */
	size_t event_count;

	/* Losses. */
	uint64_t failed_steps; /* parts that the JVM could not write */
	uint64_t cut_strings;
	bool is_header;    /* the part that the JVM prints to standard output */
	bool is_truncated; /* the log ends early */

	struct arena arena; /* private: the strings */
};

/*
 * Parses a log of len bytes, in which other lines may precede it. Returns -1
 * and ERROR_INPUT if there is none; the message does not name the file.
 */
int hs_err_read(struct hs_err *e, const void *bytes, size_t len,
		struct error *err);

/* Zeroed storage is allowed. */
void hs_err_release(struct hs_err *e);

#endif
