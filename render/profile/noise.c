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
#include "render/profile/diff.h"

#include "core/base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* Degrees of freedom from which on Student's distribution is normal. */
#define FREEDOM_MOST 200

/* Returns the square root of a number >= 0, by Newton's method. */
static double noise_root(double x)
{
	double root = x > 1 ? x : 1;

	for (int i = 0; i < 600 && x > 0; i++) {
		double next = (root + x / root) / 2;

		if (!(next < root))
			return next;
		root = next;
	}
	return x > 0 ? root : 0;
}

/*
 * Returns the probability that Student's t is at least t in absolute value
 * (Abramowitz and Stegun, 26.7.4). An odd number of degrees of freedom is
 * rounded down, which makes the result larger.
 */
static double student_probability(double t, double freedom)
{
	/* The sum of rounded variances may leave a little less than a number.
	 */
	int n = freedom < FREEDOM_MOST ? (int)(freedom + 1e-6) / 2 * 2
				       : FREEDOM_MOST;
	double cos2, sum = 1, term = 1;

	if (n < 2)
		n = 2;
	cos2 = n / (n + t * t);
	for (int i = 2; i <= n - 2; i += 2) {
		term *= cos2 * (i - 1) / i;
		sum += term;
	}
	sum = 1 - noise_root(1 - cos2) * sum;
	/* Rounding may leave less than 0. */
	return sum > 0 ? sum : 0;
}

/*
 * Returns the variance of a ratio that follows from the differences between
 * neighboring parts; 0 without parts.
 */
static double noise_parts_variance(const struct noise_sum *s,
				   const struct noise_base *b)
{
	double ratio = s->value / b->value, sum = 0, last = 0;
	size_t count = b->part_count;

	for (size_t i = 0; i < count; i++) {
		double rest = (double)s->parts[i] - ratio * b->parts[i];

		if (i)
			sum += (rest - last) * (rest - last) / 2;
		last = rest;
	}
	if (count < 2)
		return 0;
	return sum * (double)count / (double)(count - 1) /
	       (b->value * b->value);
}

static double base_scale(const struct noise_base *b)
{
	return b->scale > 0 ? b->scale : 1;
}

/*
 * Returns the variance of a ratio if samples are independent. The expected
 * number of samples is that of equal ratios on both sides, so that a side
 * without any has a variance, too.
 */
static double noise_samples_variance(const struct noise_sum sums[2],
				     const struct noise_base bases[2],
				     size_t side)
{
	const struct noise_base *b = &bases[side];
	double samples = sums[0].samples + sums[1].samples;
	double scales[] = { base_scale(&bases[0]), base_scale(&bases[1]) };
	double value = sums[0].value * scales[0] + sums[1].value * scales[1];
	double ratio = value / (bases[0].value * scales[0] +
				bases[1].value * scales[1]);
	/* The mean weight of a sample times the expected value. */
	double variance = value / samples * ratio / (b->value * scales[side]);

	if (b->has_sums)
		variance *= ratio < 1 ? 1 - ratio : 0;
	else if (b->samples > 0)
		variance += ratio * ratio / b->samples;
	return variance;
}

double noise_probability(const struct noise_sum sums[2],
			 const struct noise_base bases[2])
{
	double variances[2], difference, sum, freedom;

	if (sums[0].samples + sums[1].samples < NOISE_SAMPLES ||
	    !(bases[0].value > 0 && bases[1].value > 0))
		return (double)NAN;
	for (size_t i = 0; i < 2; i++) {
		double parts = noise_parts_variance(&sums[i], &bases[i]);

		variances[i] = noise_samples_variance(sums, bases, i);
		if (variances[i] < parts)
			variances[i] = parts;
	}
	sum = variances[0] + variances[1];
	difference = sums[1].value / bases[1].value -
		     sums[0].value / bases[0].value;
	if (!(sum > 0))
		return difference == 0 ? 1 : (double)NAN;
	freedom = 0;
	for (size_t i = 0; i < 2; i++) {
		double of = bases[i].part_count
				    ? (double)bases[i].part_count - 1
				    : FREEDOM_MOST;

		freedom += variances[i] * variances[i] / of;
	}
	return student_probability(difference / noise_root(sum),
				   sum * sum / freedom);
}

static int probability_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double noise_threshold(const double *probabilities, size_t count)
{
	double *sorted = xmalloc(count * sizeof(*sorted)), threshold = -1;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(probabilities[i]))
			sorted[n++] = probabilities[i];
	}
	qsort(sorted, n, sizeof(*sorted), probability_compare);
	for (size_t i = 0; i < n; i++) {
		if (sorted[i] <=
		    NOISE_FALSE_DISCOVERIES * (double)(i + 1) / (double)n)
			threshold = sorted[i];
	}
	free(sorted);
	return threshold;
}
