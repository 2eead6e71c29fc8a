/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/depth_limit.h"

size_t depth_limit(const uint64_t *traces_at, size_t deepest, uint64_t most)
{
	uint64_t frames = 0, deeper = 0;
	size_t depth = 0;

	for (size_t i = 1; i <= deepest; i++)
		deeper += traces_at[i];
	/* One frame deeper is one more in each stack trace that goes on. */
	for (; depth < deepest && frames + deeper <= most; depth++) {
		frames += deeper;
		deeper -= traces_at[depth + 1];
	}
	return depth ? depth : 1;
}
