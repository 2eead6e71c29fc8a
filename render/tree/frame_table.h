/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_table: the names of the frames that an output needs, sorted.
 *
 * A label identifies frames that look the same in the output: it has a name
 * and, depending on the output, a kind and a line. Labels are numbered from 0,
 * sorted by name, kind and line.
 */
#ifndef RENDER_TREE_FRAME_TABLE_H
#define RENDER_TREE_FRAME_TABLE_H

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
	size_t shared; /* leading bytes in common with the name before */
};

struct frame_table {
	uint32_t *label_of; /* by frame id; NO_LABEL for unused frames */
	struct frame_label *labels;
	size_t label_count;
	struct label_name *names; /* sorted by bytes, without duplicates */
	size_t name_count;
	struct text text; /* the bytes of all names */
};

/* The value of label_of[] for an unused frame. */
#define NO_LABEL UINT32_MAX

/* Frames may share the name of their class or package. */
enum frame_group { GROUP_FRAME, GROUP_CLASS, GROUP_PACKAGE, FRAME_GROUPS };

/* "frame", "class", "package" */
extern const char *const frame_group_names[FRAME_GROUPS];

/* How an output names its frames. */
struct frame_naming {
	struct style style;
	/*
	 * Names groups of frames. A generated class (a.B$$Lambda) belongs to
	 * the class in front of "$$". Frames without a class are "[native]",
	 * "[kernel]" or "[no class]".
	 */
	enum frame_group group;
	/* Frames of one name have one label: kind and line are ignored. */
	bool by_name;
	/* With by_name: frames of different lines have different labels. */
	bool by_line;
	/* Changes a name in place before it is sorted; may be NULL. */
	void (*adapt)(char *name, size_t len);
};

/*
 * Names and sorts the frames whose used[id] is not 0. used[] has p->frame_count
 * + 1 elements; the last one is small_frames().
 */
void frame_table_init(struct frame_table *t, const struct profile *p,
		      const uint8_t *used, const struct frame_naming *how);

void frame_table_release(struct frame_table *t);

/*
 * Returns the frame id of "[small frames]", which replaces frames that are too
 * narrow to show: the id after the profile's last.
 */
static inline uint32_t small_frames(const struct profile *p)
{
	return (uint32_t)p->frame_count;
}

#endif
