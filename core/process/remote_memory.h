/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_memory: reads a process's memory without being held up by it.
 *
 * process_vm_readv(2) waits for a page that the target may have made never to
 * come (userfaultfd, FUSE).  So a child of ours reads, and answers on a pair of
 * sockets; one that takes more than a second is killed, and another is begun.
 * What stalled is left alone for half a minute, and all of the target is once
 * five seconds of that have been waited in vain.
 */
#ifndef CORE_PROCESS_REMOTE_MEMORY_H
#define CORE_PROCESS_REMOTE_MEMORY_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"
#include "core/process/memory.h"

struct remote_memory;

/*
 * jvm is borrowed: nothing is read once its process has ended, whoever has its
 * pid.  ERROR_PERMISSION names the right that is missing.
 */
struct remote_memory *remote_memory_open(const struct jvm *jvm,
					 struct error *err);
void remote_memory_close(struct remote_memory *m); /* NULL is fine */

struct memory *remote_memory_of(struct remote_memory *m);

/* How often a child was killed since it gave no answer. */
uint64_t remote_memory_stalls(const struct remote_memory *m);
/* How many ranges were not read for that reason, or since they had stalled. */
uint64_t remote_memory_missed(const struct remote_memory *m);
/* How many reads were made: each is some microseconds. */
uint64_t remote_memory_reads(const struct remote_memory *m);

#endif
