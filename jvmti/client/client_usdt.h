/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_usdt: writes an ELF library of USDT probes, without a compiler.
 *
 * Each probe is a stub, which loads the address of its title and has a nop at
 * the place of the note.  The notes are those of SystemTap's sys/sdt.h
 * (.note.stapsdt, type 3): address, base, semaphore, and the strings provider,
 * name and arguments.  bpftrace, bcc, libbpf and perf find them by the path of
 * the mapped file.
 *
 * A library for aarch64 would differ in the machine, the stub (adr x1, title;
 * nop; ret), the registers of the arguments ("8@x1"), and the numbers of the
 * return address (30) and of SP (31) in the call frame information.
 */
#ifndef JVMTI_CLIENT_CLIENT_USDT_H
#define JVMTI_CLIENT_CLIENT_USDT_H

#include "core/base/text.h"
#include "jvmti/agent/agent_probe_protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A method with the probes NAME__entry (thread, title) and NAME__return (ns,
 * thrown, title, thread).
 */
struct usdt_probe {
	const char *name;  /* "submit": letters, digits and '_' */
	const char *title; /* "com.acme.Orders.submit" */
	uint32_t id;       /* at least first_id, below PROBE_MAX */
};

/* What the agent needs to map the library: see PROBE_PUBLISH. */
struct usdt_layout {
	uint32_t stubs_at, stubs_end, semaphores_at;
};

/*
 * Writes the library to out, which must be empty.  The stub of an entry is at
 * stubs_at + (id - first_id) * 2 * PROBE_STUB, that of the return follows it.
 * Returns false if the probes do not fit into PROBE_STUBS bytes.
 */
bool usdt_write(struct text *out, const char *provider, uint32_t first_id,
		const struct usdt_probe *probes, size_t count,
		struct usdt_layout *layout);

#endif
