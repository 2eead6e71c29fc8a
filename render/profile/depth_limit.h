/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depth_limit: how deep stack traces may be for all of them to be written.
 *
 * Formats that write each stack trace with all its callers take memory and time
 * that are no longer in proportion to what was read: half a million frames,
 * each the callee of the one before and each with samples, are 10^11 frames.
 */
#ifndef RENDER_PROFILE_DEPTH_LIMIT_H
#define RENDER_PROFILE_DEPTH_LIMIT_H

#include <stddef.h>
#include <stdint.h>

/*
 * The greatest depth, at least 1, to which stack traces may be cut so that they
 * have at most `most` frames in all.  traces_at[d] of them are d frames deep;
 * it has elements for 0 to deepest.
 */
size_t depth_limit(const uint64_t *traces_at, size_t deepest, uint64_t most);

#endif
