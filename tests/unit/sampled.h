/* SPDX-License-Identifier: Apache-2.0 */
/* sampled: small profiles for tests of the renderers, and their output. */
#ifndef TESTS_UNIT_SAMPLED_H
#define TESTS_UNIT_SAMPLED_H

#include "core/base/output.h"
#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* Adds a frame; the class is the part of the name before the last '.'. */
uint32_t sampled_frame(struct profile *p, const char *name,
		       enum frame_kind kind, uint32_t line);

/* Adds a stack trace "root;caller;leaf" of FRAME_JAVA frames; "" is none. */
uint32_t sampled_stack(struct profile *p, const char *path);

/* Adds count samples of weight 1 to event 0, which is "cpu" if it is new. */
void sampled(struct profile *p, const char *path, uint64_t count);

/* Adds depth nested frames with one sample each. */
void sampled_chain(struct profile *p, size_t depth);

/* Returns a view of only that event. */
struct event_view sampled_view(const struct profile *p, uint32_t event);

/* A renderer whose output goes to a temporary file. */
typedef void sampled_write_fn(struct output *out, void *self);

struct text sampled_written(sampled_write_fn *write, void *self);

#endif
