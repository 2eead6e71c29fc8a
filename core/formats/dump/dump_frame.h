/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_frame: one frame of a thread dump, as each dialect writes it.
 */
#ifndef CORE_FORMATS_DUMP_DUMP_FRAME_H
#define CORE_FORMATS_DUMP_DUMP_FRAME_H

#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

enum dump_frame_form {
	/*
	 * java.lang.Thread.run(java.base@17/Thread.java:840), as HotSpot, or
	 * java.base@17/java.lang.Thread.run(Thread.java:840), as Java prints.
	 */
	DUMP_FRAME_JAVA,
	/* java/lang/Thread.run(Thread.java:840(Compiled Code)): OpenJ9 */
	DUMP_FRAME_J9,
	/* a.B.run() @bci=11, line=840 (Interpreted frame): jhsdb */
	DUMP_FRAME_SA,
	/* 0x00007f8be0aa38c5<tab>Thread::call_run() + 0xa5: jhsdb --mixed */
	DUMP_FRAME_MIXED,
};

/*
 * Reads a frame without the "at " or "- " before it.  Lines are 0 when the
 * profile does not keep them.  False when the text is not of that form.
 */
bool dump_frame_parse(struct profile *p, enum dump_frame_form form,
		      const char *text, size_t len, struct frame *f);

#endif
