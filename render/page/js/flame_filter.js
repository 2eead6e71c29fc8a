// SPDX-License-Identifier: Apache-2.0
// Filters samples by thread, thread state and time.

import { compilePattern, matchNames } from './flame_search.js';
import { bucketsIn } from './flame_time.js';

const NUMBERS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+/gi;

// Returns the name of a thread's pool; threads of a pool differ in numbers and
// UUIDs only. The spelling is that of pool_name() in render/profile.
function poolName(name) {
	return name.replace(NUMBERS, '*');
}

export class Filter {
	constructor(profile) {
		this.profile = profile;
	}

	// Returns a byte per thread: 1 if its samples pass.
	threadsOn(state) {
		const { threads } = this.profile;
		const on = new Uint8Array(threads.length).fill(1);
		this.threadError = null;
		if (state.threadPattern) {
			const pattern = compilePattern(state.threadPattern, true);
			const labels = threads.map((t, i) =>
				this.profile.names[this.profile.threadName0 + i].slice(1, -1));
			const found = matchNames(labels, pattern);
			this.threadError = found.error;
			if (pattern.regex)
				on.set(found.hit);
		}
		this.threadListed = on.slice();
		for (const thread of state.threadOff)
			on[thread] = 0;
		return on;
	}

	// Returns a byte per thread or state: 1 if the event has samples of it.
	static seen(cells, column, count) {
		const key = `${column}Seen`;
		if (!cells[key]) {
			cells[key] = new Uint8Array(count);
			for (const index of cells[column] || [])
				cells[key][index] = 1;
		}
		return cells[key];
	}

	// Adds the cells that pass to `sums`, by node. Also sums by thread, state and
	// bucket, each ignoring its own filter. `part` returns the part of a cell whose
	// bucket is partly in the time range; it may be null.
	apply(cells, node, weights, state, sums, part) {
		const { profile } = this;
		const threadOn = this.threadsOn(state);
		const stateOn = new Uint8Array(profile.states.length).fill(1);
		for (const off of state.stateOff)
			stateOn[off] = 0;
		const buckets = profile.time ? profile.time.buckets : 0;
		const inTime = state.time && bucketsIn(buckets, state.time);
		this.threadOn = threadOn;
		this.threadSum = new Float64Array(profile.threads.length);
		this.stateSum = new Float64Array(profile.states.length);
		this.timeSum = new Float64Array(buckets);
		if (cells.sums) {
			this.applySums(cells, node, weights, sums);
			return;
		}
		const { thread, state: states, bucket } = cells;
		for (let i = 0; i < cells.n; i++) {
			let w = weights[i];
			const t = thread === null || threadOn[thread[i]] === 1;
			const s = states === null || stateOn[states[i]] === 1;
			const b = bucket === null || inTime === null || inTime[bucket[i]] > 0;
			if (bucket !== null && t && s && bucket[i] > 0)
				this.timeSum[bucket[i] - 1] += w;
			if (part !== null && b && bucket !== null && inTime[bucket[i]] === 2)
				w = part(i);
			if (t && s && b)
				sums[node[i]] += w;
			if (thread !== null && s && b)
				this.threadSum[thread[i]] += w;
			if (states !== null && t && b)
				this.stateSum[states[i]] += w;
		}
	}

	// Likewise without any filter, from the sums of a large page.
	applySums(cells, node, weights, sums) {
		const part = weights === cells.count ? 'count' : 'weight';
		const { thread, state, bucket } = cells.sums;
		for (let i = 0; i < cells.n; i++)
			sums[node[i]] += weights[i];
		thread[part].forEach((w, t) => { this.threadSum[t] = w; });
		this.stateSum.forEach((_, s) => { this.stateSum[s] = state[part][s]; });
		this.timeSum.forEach((_, b) => { this.timeSum[b] = bucket[part][b + 1]; });
	}

	// Returns the pools of the listed threads; pools and threads are sorted by
	// weight.
	pools(cells) {
		const { threads } = this.profile;
		const seen = Filter.seen(cells, 'thread', threads.length);
		const pools = new Map();
		for (let i = 0; i < threads.length; i++) {
			if (!this.threadListed[i] || !seen[i])
				continue;
			const name = poolName(threads[i].name);
			let pool = pools.get(name);
			if (!pool)
				pools.set(name, pool = { name, threads: [], weight: 0 });
			pool.threads.push(i);
			pool.weight += this.threadSum[i];
		}
		const list = [...pools.values()];
		for (const pool of list) {
			pool.threads.sort((a, b) => this.threadSum[b] - this.threadSum[a] || a - b);
			if (pool.threads.length === 1)
				pool.name = threads[pool.threads[0]].name;
		}
		return list.sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
	}
}
