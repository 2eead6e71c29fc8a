// SPDX-License-Identifier: Apache-2.0
// Time ranges in time buckets; bounds that are no whole numbers are finer.

// Bounds closer than this to a bucket's edge, in buckets, are on it.
export const EDGE = 1e-7;

// Returns how each bucket lies in a range of times: 0 outside, 1 inside, 2 partly.
export function bucketsIn(buckets, [from, to]) {
	const how = new Uint8Array(buckets + 1);
	for (let b = 1; b <= buckets; b++) {
		if (b > from + EDGE && b - 1 < to - EDGE)
			how[b] = b - 1 >= from - EDGE && b <= to + EDGE ? 1 : 2;
	}
	return how;
}

// True if a range of times is finer than the buckets.
export function isFine(time) {
	return time !== null && time.some((t) => Math.abs(t - Math.round(t)) > EDGE);
}
