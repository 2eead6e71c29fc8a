/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_list: all that is in HotSpot's code cache at a time.
 *
 * The JVM runs on while it is read: what comes or goes meanwhile may be in it
 * or not.
 */
#ifndef CORE_HOTSPOT_CODE_LIST_H
#define CORE_HOTSPOT_CODE_LIST_H

#include "core/base/error.h"
#include "core/hotspot/code_cache.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stddef.h>

struct code_list {
	/* By where their code begins; identities are those of the list. */
	struct code_blob *blobs;
	size_t count;
};

/*
 * ERROR_UNAVAILABLE says what the JVM does not say of its code.
 * code_list_release() is due.
 */
int code_list_read(struct code_list *list, const struct vm_structs *v,
		   struct memory *memory, struct error *err);
void code_list_release(struct code_list *list); /* zeroed storage is fine */

#endif
