// SPDX-License-Identifier: Apache-2.0
//
//	node reports.js FILE [MOST]
//
// Checks documents of schema sjkc.ttop/1, one per line, as a script would read
// them: all keys exist, all numbers are numbers, and no share is negative or
// above the number of CPUs.  Prints for each: seconds, number of threads, and
// the thread with the most CPU time.
'use strict';
const fs = require('fs');
const os = require('os');

const [, , file, most] = process.argv;
const cpus = Number(most || os.cpus().length) * 100;

const processKeys = ['cpu_pct', 'application_pct', 'user_pct', 'sys_pct',
	'other_pct', 'threads', 'alloc_bytes_per_s', 'gc', 'safepoints_per_s',
	'safepoint_avg_ms', 'safepoint_sync_pct', 'safepoint_pct'];
const threadKeys = ['id', 'tid', 'name', 'state', 'cpu_pct', 'user_pct',
	'sys_pct', 'alloc_bytes_per_s', 'waits_per_s', 'wait_pct', 'blocks_per_s',
	'block_pct', 'runq_pct', 'csw_per_s'];

function check(holds, what) {
	if (!holds)
		throw new Error(what);
}

function checkObject(object, keys, limit) {
	for (const key of keys) {
		check(key in object, `no ${key}`);
		const value = object[key];

		if (value === null || typeof value !== 'number')
			continue;
		check(value >= 0, `${key} is ${value}`);
		if (key.endsWith('_pct'))
			check(value <= limit, `${key} is ${value}`);
	}
}

function checkReport(report) {
	check(report.schema === 'sjkc.ttop/1', 'no schema');
	check(!Number.isNaN(Date.parse(report.time)), `time is ${report.time}`);
	check(report.interval_s > 0, `interval_s is ${report.interval_s}`);
	checkObject(report.process, processKeys, cpus);
	for (const gc of report.process.gc || [])
		checkObject(gc, ['name', 'pct', 'count'], 100);
	for (const thread of report.threads) {
		checkObject(thread, threadKeys, 100);
		const split = thread.user_pct + thread.sys_pct - thread.cpu_pct;

		check(!(Math.abs(split) > 0.01), `${thread.name} is off by ${split}`);
	}
	const top = report.threads[0] || {};

	console.log(report.interval_s.toFixed(1), report.process.threads,
		top.name);
}

const lines = fs.readFileSync(file, 'utf8').split('\n');

check(lines.pop() === '', 'the last line is cut');
lines.forEach((line) => checkReport(JSON.parse(line)));
