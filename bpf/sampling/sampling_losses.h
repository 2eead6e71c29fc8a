/* SPDX-License-Identifier: Apache-2.0 */
/* sampling_losses: what a window lost, as remarks of its profile. */
#ifndef BPF_SAMPLING_SAMPLING_LOSSES_H
#define BPF_SAMPLING_SAMPLING_LOSSES_H

#include "bpf/sampling/sampling_target.h"

/* The counts of the current window that no target has. */
struct sampling_losses {
	struct sampling_counts had; /* of all targets */
	struct sampler_counts sampler;
	uint64_t foreign;     /* samples of processes that are not targets */
	uint64_t tickless_ms; /* time without CPU samples */
};

/* Adds the losses and notes of a window to the session's profile. */
void sampling_losses_add(struct sampling_shared *s,
			 const struct sampling_losses *l);

#endif
