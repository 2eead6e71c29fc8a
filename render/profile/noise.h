/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise: decides whether the difference between two sampled values is more than
 * sampling explains.
 *
 * A value is a ratio: a sum of samples divided by a base, such as the seconds
 * of the recording or the sum of all samples. Samples of one thread resemble
 * each other, so they vary more than independent ones. Therefore the variance
 * of a ratio is estimated from parts of the recording of equal length (batch
 * means: Law, Simulation Modeling and Analysis, 9.5.3; ratios: Cochran,
 * Sampling Techniques, 6.3), by the differences between neighboring parts (von
 * Neumann, Ann. Math. Statist. 12, 1941), so that a slow change, such as a
 * warm-up, is no noise. It is never taken to be smaller than that of
 * independent samples. Two ratios are compared by Welch's t-test (Biometrika
 * 34, 1947).
 *
 * Limits: work that happens once in a recording, such as class loading, counts
 * as noise, since it makes a part differ from its neighbors. Load that changes
 * slowly by chance is not recognized as noise. Neither are differences between
 * two runs of a program, such as other decisions of the JIT compiler: they are
 * real.
 */
#ifndef RENDER_PROFILE_NOISE_H
#define RENDER_PROFILE_NOISE_H

#include "core/profile/sides.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The proportion of changes reported as significant that are noise. */
#define NOISE_FALSE_DISCOVERIES 0.05

/* Fewer samples on both sides together are never significant. */
#define NOISE_SAMPLES 10

/* A sum of samples; parts[i] is its value in part i of the recording. */
struct noise_sum {
	double value;
	double samples;
	const float *parts;
};

/* The base of one side. */
struct noise_base {
	double value;   /* > 0 */
	double samples; /* 0 if it is not a sum of samples */
	double parts[SIDE_PARTS];
	size_t part_count; /* 0: unknown, samples count as independent */
	bool has_sums;     /* each sum is a part of the base: a share */
	/* Makes values of both sides comparable if their units differ; 0 = 1.
	 */
	double scale;
};

/*
 * Returns the probability (two-sided) that ratios of equal sources differ at
 * least as much; NaN if there are too few samples, or none on a side has a
 * variance.
 */
double noise_probability(const struct noise_sum sums[2],
			 const struct noise_base bases[2]);

/*
 * Returns the largest of `count` probabilities that is significant, or a
 * negative number if none is: by Benjamini and Hochberg (J. R. Statist. Soc. B
 * 57, 1995), which limits the proportion of false reports although many
 * changes are tested. It holds for values that rise together, as those of a
 * caller and its callee (Benjamini and Yekutieli, Ann. Statist. 29, 2001). NaN
 * is not counted.
 */
double noise_threshold(const double *probabilities, size_t count);

#endif
