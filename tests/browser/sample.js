// SPDX-License-Identifier: Apache-2.0
// A small recording with all features of the format and round numbers.
'use strict';

const s = (stack, thread, state, bucket, count, weight) =>
	({ stack: stack.split(' '), thread, state, bucket, count, weight });

const threads = [
	{ name: 'main', id: 1, tid: 101 },
	{ name: 'pool-1-thread-1', id: 20, tid: 120 },
	{ name: 'pool-1-thread-2', id: 21, tid: 121 },
	{ name: 'GC Thread', id: 0, tid: 0 },
];

// cpu: 100 samples.  app.Main.main 90 = app.Work.sort 50 (java.util.Arrays.sort
// 30) + app.Work.walk 40 that calls itself; GC 10.
const cpu = [
	s('app.Main.main|jit|7 app.Work.sort|jit|20 java.util.Arrays.sort|inlined|5', 0, 0, 0, 10, 1e9),
	s('app.Main.main|jit|7 app.Work.sort|interpreted|21 java.util.Arrays.sort|inlined|6', 1, 0, 1, 20, 2e9),
	s('app.Main.main|jit|7 app.Work.sort|jit|20', 0, 0, 2, 20, 2e9),
	s('app.Main.main|jit|8 app.Work.walk|c1|30', 1, 1, 3, 5, 1e9),
	s('app.Main.main|jit|8 app.Work.walk|c1|31 app.Work.walk|c1|30', 2, 1, 4, 15, 3e9),
	s('app.Main.main|jit|8 app.Work.walk|c1|31 app.Work.step|c1|40 app.Work.walk|c1|30', 2, 1, 5, 20, 1e9),
	s('thread_start|native GC::mark(Heap*)|cpp do_syscall_64|kernel', 3, 2, 9, 10, 0),
];

const alloc = [
	s('app.Main.main|java app.Work.make|java byte[]|synthetic', 0, 0, 0, 3, 3 * 1024 * 1024),
	s('app.Main.main|java app.Work.make|java java.lang.String|synthetic', 0, 0, 1, 1, 1024 * 1024),
];

function sample(changes = {}) {
	return {
		title: 'sample.jfr',
		events: [{ name: 'cpu', unit: 'ns', samples: cpu }, { name: 'alloc', unit: 'bytes', samples: alloc }],
		threads, states: ['RUNNABLE', 'WAITING', 'BLOCKED'],
		time: { start_ms: 1700000000000, bucket_ms: 100, buckets: 10 },
		...changes,
	};
}

// Returns a recording of one event from lines 'a;b;c 12'.
function lines(...text) {
	const samples = text.map((line) => {
		const space = line.lastIndexOf(' ');
		return { stack: line.slice(0, space).split(';'), count: Number(line.slice(space + 1)) };
	});
	return { title: 'lines', events: [{ name: 'samples', samples }] };
}

// Returns a large recording with few frames near the root and many near the leaves.
function large(nodes) {
	let seed = 12345;
	const random = (n) => {
		seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
		return Math.floor(seed / 4294967296 * n);
	};
	const kinds = ['interpreted', 'c1', 'jit', 'inlined', 'native', 'kernel'];
	const frames = Array.from({ length: 60000 }, (_, i) =>
		`org.example.p${i % 300}.Class${i % 5000}.method${i}|${kinds[i % 6]}`);
	const samples = [];
	let stack = [];
	for (let made = 0; made < nodes;) {
		stack = stack.slice(0, Math.max(1, stack.length - 1 - random(random(12) + 1)));
		const grow = 1 + random(14);
		for (let i = 0; i < grow && stack.length < 120; i++, made++)
			stack = [...stack, frames[random(stack.length < 8 ? 40 : frames.length)]];
		samples.push({ stack, count: 1 + random(9), thread: random(50), state: random(3), bucket: random(200) });
	}
	return {
		title: 'large', events: [{ name: 'cpu', samples }],
		threads: Array.from({ length: 50 }, (_, i) => ({ name: `worker-${i}`, id: i, tid: i + 1 })),
		states: ['RUNNABLE', 'WAITING', 'BLOCKED'],
		time: { start_ms: 0, bucket_ms: 100, buckets: 200 },
	};
}

module.exports = { sample, lines, large };
