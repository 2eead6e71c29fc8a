/* SPDX-License-Identifier: Apache-2.0 */
/* dump_text: parts of HotSpot's thread dumps for tests. */
#ifndef TESTS_UNIT_DUMP_TEXT_H
#define TESTS_UNIT_DUMP_TEXT_H

#define START                                                                  \
	"2026-11-21 08:40:07\n"                                                \
	"Full thread dump OpenJDK 64-Bit Server VM (17.0.21+9 mixed "          \
	"mode):\n\n"
#define END "JNI global refs: 12, weak refs: 0\n\n"
#define TAIL                                                                   \
	"#12 daemon prio=5 os_prio=0 cpu=0.1ms elapsed=9.2s "                  \
	"tid=0x00007ff2400cca10 nid=0x30f waiting on condition  "              \
	"[0x00007ff244236000]\n"
#define SLEEPING "   java.lang.Thread.State: TIMED_WAITING (sleeping)\n"
#define RUN      "\tat a.B.run(B.java:7)\n"
#define MAIN     "\tat a.B.main(B.java:9)\n"
#define INSIDE   "lines inside thread dumps skipped"
#define OUTSIDE  "lines outside thread dumps skipped"
#define CUT      "truncated thread dumps"

/* 2026-11-21 08:40:07 UTC */
#define TIME_NS INT64_C(1795250407000000000)

#define DEADLOCK                                                               \
	"\nFound one Java-level deadlock:\n"                                   \
	"=============================\n"                                      \
	"\"a\":\n  waiting to lock monitor 0x01 (object 0x02, a c.D),\n"       \
	"  which is held by \"b\"\n"                                           \
	"\"b\":\n  waiting for ownable synchronizer 0x03, (a c.E),\n"          \
	"  which is held by \"a\"\n\n"                                         \
	"Java stack information for the threads listed above:\n"               \
	"===================================================\n"                \
	"\"a\":\n" RUN "\t- waiting to lock <0x02> (a c.D)\n"                  \
	"\"b\":\n" MAIN "\nFound 1 deadlock.\n\n"

#define TWO_THREADS                                                            \
	START "\"a\" " TAIL SLEEPING RUN "\t- locked <0x01> (a c.D)\n" MAIN    \
	      "\n   Locked ownable synchronizers:\n\t- None\n\n"               \
	      "\"n\nl\" " TAIL SLEEPING RUN MAIN "\n" END

#endif
