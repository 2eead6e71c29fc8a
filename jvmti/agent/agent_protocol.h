/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_protocol: the format of the stream file, through which the agent in a
 * JVM and its client communicate.
 *
 * The file starts with a page that holds the client's orders and the agent's
 * report; each part has one writer.  A ring follows, which the agent fills with
 * records: position p of the stream is at offset AGENT_HEADER + p % AGENT_RING.
 * Both sides read and write the file and never map it, so that a truncated file
 * or a full file system does no harm.
 *
 * The client holds an open file description lock on the whole file
 * (F_OFD_SETLK, for writing) as long as it wants records.
 *
 * A record is its length (4 bytes, big-endian, of the bytes that follow), a
 * byte of enum agent_record, and its fields: varints as in JFR (base 128, low
 * digits first, at most 9 bytes, the last with 8 bits), signed varints by
 * zigzag, and strings as a varint of the byte count and the bytes, in modified
 * UTF-8.
 */
#ifndef JVMTI_AGENT_AGENT_PROTOCOL_H
#define JVMTI_AGENT_AGENT_PROTOCOL_H

#include <stdint.h>

#define AGENT_MAGIC   UINT64_C(0x746e6567612d6b6a)
#define AGENT_VERSION 3

enum {
	AGENT_HEADER = 4096,    /* bytes before the ring */
	AGENT_REPORT_AT = 2048, /* offset of the report; the orders are at 0 */
};

/* A compiled method takes about 200 bytes. */
#define AGENT_RING (UINT64_C(64) << 20)

/*
 * The options of Agent_OnAttach: one of these words and the path of the stream
 * file.  "stop " ends the session that was started with the same path, and no
 * other session.  "prepare " does nothing: the JVM links native methods of
 * agents only to a library that it has finished loading.  "keep " is followed
 * by the path of the library instead: the agent keeps a descriptor of its file,
 * by which musl's loader finds the library when it is loaded again.
 */
#define AGENT_PREPARE "prepare "
#define AGENT_START   "start "
#define AGENT_STOP    "stop "
#define AGENT_KEEP    "keep "

enum agent_want {
	AGENT_SYMBOLS = 1, /* report code that is compiled, generated, unloaded
			    */
	AGENT_LINES = 2,   /* report the line numbers of methods */
	AGENT_ALLOC = 4,   /* call sjkc_probe_alloc() */
	AGENT_LOCK = 8,    /* call sjkc_probe_lock() */
	AGENT_PROBES = 16, /* agent_probe_protocol.h; alone */
};

/* The JVM's default number of bytes between allocation samples (JEP 331). */
#define AGENT_ALLOC_INTERVAL (512 << 10)

/*
 * A position is followed by its complement, which reveals a read during a
 * write.
 */
struct agent_orders {
	uint64_t magic;
	uint32_t version;
	uint32_t wants; /* bits of enum agent_want */
	/* For SetHeapSamplingInterval; UINT64_MAX = the JVM's default. */
	uint64_t alloc_interval;
	uint64_t consumed, not_consumed; /* position that the client has read */
	uint64_t probes; /* with AGENT_PROBES: maximum number of methods */
};

enum agent_state {
	AGENT_NOTHING, /* not reached */
	AGENT_RUNS,
	AGENT_BUSY,    /* it serves another client, which is alive */
	AGENT_REFUSED, /* a JVMTI function failed: see step and code */
	AGENT_STOPPED,
};

/* The step that failed. */
enum agent_step {
	AGENT_AT_NOTHING,
	AGENT_AT_ENVIRONMENT,  /* GetEnv */
	AGENT_AT_CAPABILITIES, /* AddCapabilities */
	AGENT_AT_CALLBACKS,    /* SetEventCallbacks */
	AGENT_AT_EVENTS,       /* SetEventNotificationMode */
	AGENT_AT_INTERVAL,     /* SetHeapSamplingInterval */
	AGENT_AT_REPLAY,       /* GenerateEvents */
	AGENT_AT_ORDERS,       /* orders of another version */
	AGENT_AT_MEMORY,       /* mmap(2): code is the errno */
	AGENT_AT_HELPER,       /* DefineClass, or a member of the class */
	AGENT_AT_NATIVES,      /* the JVM does not link the native methods */
	AGENT_AT_THREAD,       /* RunAgentThread */
	AGENT_STEPS
};

struct agent_report {
	uint64_t produced,
		not_produced; /* position that the agent has written */
	uint32_t state;       /* enum agent_state */
	uint32_t step;        /* enum agent_step */
	int32_t code;         /* a jvmtiError */
	/* Descriptor of the shared memory of probes, + 1; 0 = none. */
	uint32_t probes_fd;
	uint64_t replay_ns; /* duration of GenerateEvents */
	uint64_t methods;   /* number of written records of each kind */
	uint64_t loads, unloads, generated;
	uint64_t lost; /* records without room or memory */
	uint64_t cut;  /* methods whose inlining was too large and is omitted */
	/* The JNIEnv of a running thread; it is a part of its JavaThread. */
	uint64_t jni;
	uint64_t
		delayed; /* records whose thread did not get the lock in time */
};

enum agent_record {
	/*
	 * A method gets a number, which is new in this stream.  Fields: number,
	 * JVM signature of the class, name, signature, number of lines, and for
	 * each line the first bytecode index and the line, as signed
	 * differences to the preceding line.
	 */
	AGENT_METHOD = 1,
	/*
	 * Compiled code.  Fields: time (CLOCK_MONOTONIC, ns; 0 = it existed
	 * before the session), address, bytes, number of the method, number of
	 * known places. For each place: the signed difference of its address to
	 * the preceding place (for the first, to the code), the number of
	 * active methods, and for each method, innermost first, its number and
	 * bytecode index (signed).
	 */
	AGENT_LOAD = 2,
	/* Compiled code was unloaded: time and address. */
	AGENT_UNLOAD = 3,
	/* Generated code: time, address, bytes, name. */
	AGENT_GENERATED = 4,
};

#endif
