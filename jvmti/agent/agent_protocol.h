/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_protocol: what the agent in a JVM and its client say to each other, in
 * the stream file.
 *
 * The file begins with a page that holds what the client orders and what the
 * agent reports, each written by one side only.  Behind it is a ring, which
 * the agent fills with records: the position p of its stream is at offset
 * AGENT_HEADER + p % AGENT_RING.  Both sides read and write; nobody maps it, so
 * that nobody is hurt when it is cut or its file system is full.
 *
 * The client holds an open file description lock on all of the file
 * (F_OFD_SETLK, for writing) for as long as it wants to hear anything.
 *
 * A record is its length (4 bytes, big-endian, of what follows), a byte of
 * enum agent_record, and its fields: varints as JFR has them (base 128, low
 * digits first, at most 9 bytes of which the last has 8 bits), signed ones by
 * zigzag, and strings as a varint of bytes and those, in modified UTF-8.
 */
#ifndef JVMTI_AGENT_AGENT_PROTOCOL_H
#define JVMTI_AGENT_AGENT_PROTOCOL_H

#include <stdint.h>

#define AGENT_MAGIC   UINT64_C(0x746e6567612d6b6a)
#define AGENT_VERSION 2

enum {
	AGENT_HEADER = 4096,    /* bytes before the ring */
	AGENT_REPORT_AT = 2048, /* where the report is; the orders are at 0 */
};

/* A compiled method takes some 200 bytes of it. */
#define AGENT_RING (UINT64_C(64) << 20)

/*
 * The options of Agent_OnAttach: one of these and the path of the stream file.
 * "stop " ends the session that was begun with the same path, and no other.
 */
#define AGENT_START "start "
#define AGENT_STOP  "stop "

enum agent_want {
	AGENT_SYMBOLS = 1, /* code that is compiled, generated, unloaded */
	AGENT_LINES = 2,   /* methods have their line numbers */
	AGENT_ALLOC = 4,   /* sjkc_probe_alloc() is called */
	AGENT_LOCK = 8,    /* sjkc_probe_lock() is called */
};

/* A position is followed by its complement: one read amid writing is told. */
struct agent_orders {
	uint64_t magic;
	uint32_t version;
	uint32_t wants; /* bits of enum agent_want */
	/* For SetHeapSamplingInterval; UINT64_MAX = the JVM's default. */
	uint64_t alloc_interval;
	uint64_t consumed, not_consumed; /* the client has read so far */
};

enum agent_state {
	AGENT_NOTHING, /* it has not come that far */
	AGENT_RUNS,
	AGENT_BUSY,    /* it serves another client, who lives */
	AGENT_REFUSED, /* a function of JVMTI failed: step and code */
	AGENT_STOPPED,
};

/* What it was at when it was refused. */
enum agent_step {
	AGENT_AT_NOTHING,
	AGENT_AT_ENVIRONMENT,  /* GetEnv */
	AGENT_AT_CAPABILITIES, /* AddCapabilities */
	AGENT_AT_CALLBACKS,    /* SetEventCallbacks */
	AGENT_AT_EVENTS,       /* SetEventNotificationMode */
	AGENT_AT_INTERVAL,     /* SetHeapSamplingInterval */
	AGENT_AT_REPLAY,       /* GenerateEvents */
	AGENT_AT_ORDERS,       /* of another version */
	AGENT_AT_MEMORY,       /* mmap(2): code is the errno */
	AGENT_STEPS
};

struct agent_report {
	uint64_t produced, not_produced; /* the agent has written so far */
	uint32_t state;                  /* enum agent_state */
	uint32_t step;                   /* enum agent_step */
	int32_t code;                    /* a jvmtiError */
	uint32_t reserved;
	uint64_t replay_ns; /* how long GenerateEvents took */
	uint64_t methods;   /* records that were written, of each kind */
	uint64_t loads, unloads, generated;
	uint64_t lost; /* records that there was no room for */
	uint64_t cut;  /* methods whose inlining was left out: too large */
	/* The JNIEnv of a thread that runs: it is a part of its JavaThread. */
	uint64_t jni;
};

enum agent_record {
	/*
	 * A method gets a number, new in this stream: its class's JVM
	 * signature, name, signature; how many lines there are, and for each
	 * the bytecode index it begins at and the line, as signed differences
	 * to the one before.
	 */
	AGENT_METHOD = 1,
	/*
	 * Compiled code: its time (CLOCK_MONOTONIC, ns; 0 = it was there before
	 * the session), address, bytes, the method's number, and how many
	 * places are known; for each the difference of its address to the one
	 * before (at first to the code's), signed, how many methods are active
	 * there, and for each, innermost first, its number and bytecode index
	 * (signed).
	 */
	AGENT_LOAD = 2,
	/* Such code goes: time and address. */
	AGENT_UNLOAD = 3,
	/* Other code: time, address, bytes, name. */
	AGENT_GENERATED = 4,
};

#endif
