/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_table: the frames of a profile that an output shows, in the order of
 * their names.
 *
 * A label is what the output tells frames apart by; frames that it cannot tell
 * apart share one.  Labels count from 0 in the order of name, kind and line.
 */
#ifndef RENDER_PROFILE_FRAME_TABLE_H
#define RENDER_PROFILE_FRAME_TABLE_H

#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_label {
	uint32_t name; /* index into names */
	uint32_t line;
	enum frame_kind kind;
};

struct label_name {
	const char *text; /* made safe; not NUL-terminated */
	size_t len;
	size_t shared; /* leading bytes that it has in common with the one
			  before */
};

struct frame_table {
	uint32_t *label_of; /* by frame id of the profile, where it was used */
	struct frame_label *labels;
	size_t label_count;
	struct label_name *names; /* sorted by their bytes, no two alike */
	size_t name_count;
	struct text text; /* what the names point into */
};

/* The value of label_of[] for an unused frame. */
#define NO_LABEL UINT32_MAX

/* How an output names its frames. */
struct frame_naming {
	struct style style;
	/* Frames of one name share a label whatever their kind and line; */
	bool by_name;
	/* or, with that, whatever their kind. */
	bool by_line;
	/* Changes a name in place before it is sorted; may be NULL. */
	void (*adapt)(char *name, size_t len);
};

/*
 * Names and sorts the frames for which used[id] is not 0.  used has one element
 * more than the profile has frames: it stands for small_frames().
 */
void frame_table_init(struct frame_table *t, const struct profile *p,
		      const uint8_t *used, const struct frame_naming *how);

void frame_table_release(struct frame_table *t);

/*
 * The id of "[small frames]", our own word for what was too narrow to be shown:
 * one beyond the profile's last.
 */
static inline uint32_t small_frames(const struct profile *p)
{
	return (uint32_t)p->frame_count;
}

#endif
