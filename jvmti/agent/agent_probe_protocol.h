/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_probe_protocol: the memory that the agent shares with its client while
 * Java methods are probed, and the records about them.
 *
 * The agent creates the memory (memfd_create(2)), seals its size, and puts its
 * descriptor into the report; the client opens /proc/PID/fd/N.  Neither side
 * can truncate the memory, so neither can crash the other.  The parts follow
 * each other:
 *
 *	struct probe_control		one page
 *	the client's request		PROBE_REQUEST bytes
 *	thresholds			PROBE_MAX longs, in descending order
 *	slots				one for each probe, PROBE_SLOT bytes
 *
 * The address of slot 0 is the constant BASE of the helper class; the threshold
 * of probe n is the long at BASE - 8 * (n + 1).  A session uses a part of the
 * ids, from first_id on, because methods that run in code of an earlier session
 * still count into their slots.
 *
 * Everything else, such as names and single calls, is in records of the stream
 * file (agent_protocol.h).
 */
#ifndef JVMTI_AGENT_AGENT_PROBE_PROTOCOL_H
#define JVMTI_AGENT_AGENT_PROBE_PROTOCOL_H

#include <stdint.h>

#define PROBE_MAGIC   UINT64_C(0x65626f72702d6b6b)
#define PROBE_VERSION 4

enum {
	PROBE_MAX = 16384, /* ids */
	/* The slots of this number of ids are a whole number of pages. */
	PROBE_ROUND = 32,
	PROBE_CONTROL = 4096,
	PROBE_REQUEST = 4 << 20,
	PROBE_THRESHOLDS = PROBE_MAX * 8,

	/*
	 * A slot has 32 stripes of 72 longs and then 8 pairs of longs for
	 * classes of exceptions.  The id of a thread chooses one of the first
	 * 16 stripes.  The first thread that uses a stripe owns it, and adds to
	 * its sums without atomic instructions; other threads add to the stripe
	 * with a number higher by 16.
	 */
	PROBE_STRIPES = 32,
	PROBE_STRIPE_LONGS = 72,
	PROBE_KINDS = 8,
	PROBE_SLOT = PROBE_STRIPES * PROBE_STRIPE_LONGS * 8 + PROBE_KINDS * 16,

	/*
	 * The longs of a stripe: calls that took 0 ns, 1 ns, 2-3 ns, 4-7 ns, …
	 * (bucket b > 0 has 2^(b-1) to 2^b - 1 ns), and the following.
	 */
	PROBE_BUCKETS = 65,
	PROBE_AT_SUM = 65,     /* ns of all calls in the buckets */
	PROBE_AT_THROWN = 66,  /* calls that ended with an exception */
	PROBE_AT_MAX = 67,     /* ns of the longest call */
	PROBE_AT_ENTERED = 68, /* entries of counted methods, constructors */
	PROBE_AT_SKIPPED = 69, /* calls above the threshold, but over the rate
				*/
	PROBE_AT_OWNER = 70,   /* id of the thread; 0 = none */

	/*
	 * The library of published probes: a stub of PROBE_STUB bytes for each
	 * entry and each return, and PROBE_SEMAPHORES bytes with two 16-bit
	 * semaphores for each id, which are mapped PROBE_STUBS bytes behind the
	 * begin of the file.
	 */
	PROBE_STUB = 16,
	PROBE_STUBS = 4 << 20,
	PROBE_SEMAPHORES = PROBE_MAX * 4,

	PROBE_ARGUMENTS = 8, /* maximum number of arguments of a call */
	PROBE_FRAMES = 64,   /* maximum number of frames of a call */
	PROBE_TEXT = 40,     /* maximum number of characters of a string */
};

/* Bytes before slot 0. */
#define PROBE_BASE (PROBE_CONTROL + PROBE_REQUEST + PROBE_THRESHOLDS)

/*
 * The threshold of a probe that reports no single call.  The client may change
 * thresholds at any time.
 */
#define PROBE_NEVER INT64_MAX

enum probe_request {
	PROBE_LIST = 1, /* the loaded classes and methods that match patterns */
	PROBE_ARM,      /* the methods given by their numbers */
	PROBE_DISARM,   /* all methods */
	PROBE_PUBLISH,  /* map a library of USDT probes */
};

enum probe_state {
	PROBE_IDLE,
	PROBE_BUSY, /* a request is being executed */
	PROBE_ENDED /* all methods are taken back; the agent sleeps */
};

/* Why a session ended. */
enum probe_end {
	PROBE_END_NONE,
	PROBE_END_STOPPED, /* requested */
	PROBE_END_GONE,    /* the client's lock has gone */
	PROBE_END_LEASE,   /* the client did not renew its lease */
	PROBE_END_FAILED,  /* the agent failed: see code */
};

/* The step that failed with the request. */
enum probe_step {
	PROBE_AT_NOTHING,
	PROBE_AT_REQUEST,     /* malformed */
	PROBE_AT_CLASSES,     /* GetLoadedClasses */
	PROBE_AT_MEMORY,      /* mmap(2): code is the errno */
	PROBE_AT_HOOK,        /* SetEventNotificationMode */
	PROBE_AT_RETRANSFORM, /* RetransformClasses */
	PROBE_AT_TRACE,       /* the helper class of published probes */
	PROBE_AT_LIBRARY,     /* open(2), mmap(2): code is the errno */
	PROBE_AT_LOCK         /* another thread does not leave the hook */
};

/*
 * The first page.  The parts of the agent, of the client, and of the woven code
 * are in cache lines of their own.
 */
struct probe_control {
	uint64_t magic;
	uint32_t version;
	uint32_t first_id, ids; /* the ids of this session */
	uint32_t slots_at;      /* offset of the slot first_id: page-aligned */
	/*
	 * Of the last executed request: its number, enum probe_step, the
	 * jvmtiError or errno.
	 */
	uint32_t answered; /* a futex */
	uint32_t step;
	int32_t code;
	uint32_t state;         /* enum probe_state */
	uint32_t end;           /* enum probe_end */
	uint32_t armed;         /* woven methods */
	uint32_t classes;       /* woven classes */
	uint32_t redefinitions; /* of woven classes, by other agents */
	uint32_t stale;         /* woven classes that could not be taken back */
	/*
	 * Classes loaded again by another loader: those with all probes that
	 * the armed class has, and the others.
	 */
	uint32_t loaded_again, loaded_unarmed;
	uint32_t changed_before; /* 1: an earlier session changed classes */
	uint64_t retransform_ns; /* duration of the last RetransformClasses */
	uint64_t calls_lost;     /* calls above a threshold without a record */
	uint64_t kinds_lost;     /* classes of exceptions beyond the limit */

	/* Of the client. */
	uint32_t request __attribute__((aligned(256)));
	uint32_t kind; /* enum probe_request */
	uint32_t len;  /* bytes of the request */
	uint32_t beat; /* changes at least every lease_ms */
	uint32_t lease_ms;
	uint32_t calls_per_s; /* records of single calls; 0 = none */
	uint32_t stack_every; /* every n-th of them has a stack; 0 = none */
	uint32_t is_over;     /* 1: take everything back and sleep */
	/* Maximum bytes of code that the JVM compiles; 0 = no limit. */
	uint32_t code_limit;
	/* 1: list matching classes that are loaded while methods are armed. */
	uint32_t follows;

	/*
	 * Number of calls that may still be recorded.  The agent refills it,
	 * woven code takes from it.
	 */
	int64_t tokens __attribute__((aligned(256)));
};

/*
 * ---- requests ----
 *
 * Integers are big-endian.
 *
 * PROBE_LIST: number of patterns (2 bytes), and for each pattern a byte of enum
 * probe_pattern_flag, the pattern of the class's name ("com/acme/Or*"), and the
 * pattern of the method's name, each as its length (2 bytes) and its bytes.  A
 * '*' matches any characters, a '?' one byte.
 *
 * PROBE_ARM, which adds to the armed methods: number of methods (4 bytes), and
 * for each method, sorted by class, the number of its class in the list (4
 * bytes), the id (2 bytes), a byte of enum probe_mode, its name and its
 * descriptor, each as length and bytes.
 *
 * PROBE_DISARM has no contents.
 *
 * PROBE_PUBLISH: the offset of the first stub, the end of the stubs, and the
 * offset of the semaphores in the library (4 bytes each; the last two are
 * page-aligned), and the library's path in the JVM's root.
 */
enum probe_pattern_flag {
	PROBE_SUBTYPES = 1, /* classes that extend or implement a match */
};

enum probe_mode {
	PROBE_COUNT = 0, /* count entries only */
	PROBE_TIME = 1,  /* count and time calls, count exceptions */
	PROBE_ARGS = 2,  /* with PROBE_TIME: calls have arguments */
	PROBE_TRACE = 4, /* with PROBE_TIME: calls reach a published probe */
};

/*
 * ---- records in the stream file, besides those of agent_protocol.h ----
 */
enum probe_record {
	/*
	 * A class that matches.  Fields: number, JVM signature, identity of its
	 * loader (0 = the bootstrap loader; a number), signature of the
	 * loader's class ("" = bootstrap), access flags, a bit set of enum
	 * probe_class_flag, number of methods, and for each method its
	 * access flags, enum probe_refusal (0 = it can be armed), name,
	 * descriptor.  Further records of the same number add methods.
	 */
	PROBE_RECORD_CLASS = 16,
	/*
	 * The result of arming a method: id, enum probe_refusal (0 = armed),
	 * and a code.
	 */
	PROBE_RECORD_METHOD = 17,
	/*
	 * A call above its threshold: id, time of its start (CLOCK_MONOTONIC,
	 * ns), ns, kernel id of the thread, name of the thread, its Java id,
	 * kind of its exception (0 = none), number of arguments, and for each
	 * argument a byte of enum probe_argument with its value; number of
	 * frames, and for each frame, innermost first, the class's signature,
	 * the method's name, its line in the original source (signed; 0 =
	 * unknown, -1 = native).
	 */
	PROBE_RECORD_CALL = 18,
	/* A class of exceptions: kind (1 on), JVM signature. */
	PROBE_RECORD_KIND = 19,
};

enum probe_class_flag {
	PROBE_CLASS_FIXED = 1,   /* IsModifiableClass: false */
	PROBE_CLASS_UNREADY = 2, /* not linked: it has no methods yet */
};

/* How an argument is recorded. */
enum probe_argument {
	PROBE_NULL = 0,
	PROBE_LONG = 1,   /* signed varint: int, long, short, byte */
	PROBE_DOUBLE = 2, /* varint of the bits: double, float */
	PROBE_BOOLEAN = 3,
	PROBE_CHAR = 4,   /* varint */
	PROBE_STRING = 5, /* length in characters, first characters */
	PROBE_OBJECT = 6, /* JVM signature of the object's class */
};

enum probe_refusal {
	PROBE_ARMED,
	PROBE_IS_NATIVE,      /* it has no bytecode */
	PROBE_IS_ABSTRACT,    /* likewise */
	PROBE_IS_INITIALIZER, /* <clinit> */
	PROBE_IS_USED,        /* the helper class calls it */
	PROBE_IS_FIXED,       /* hidden classes, arrays */
	PROBE_IS_UNLOADED,    /* the class has been unloaded */
	PROBE_IS_MISSING,     /* the class file has no such method */
	PROBE_CODE_TOO_LARGE, /* more than 65535 bytes, or a jump too far */
	PROBE_POOL_TOO_LARGE, /* more than 65535 constants */
	PROBE_FRAME_TOO_LARGE,
	PROBE_CLASS_BAD,    /* the class file cannot be read */
	PROBE_MEMORY_SHORT, /* no memory for the new class file */
	PROBE_JVM_REFUSED,  /* RetransformClasses: code is the jvmtiError */
	PROBE_IS_HUGE,      /* the JVM would no longer compile its code */
	PROBE_IS_HIDDEN, /* the class loader does not find the helper class */
	PROBE_IS_SILENT, /* the class loader does not respond */
	PROBE_REFUSALS
};

#endif
