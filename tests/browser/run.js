// SPDX-License-Identifier: Apache-2.0
// Runs every *_test.js of this directory in one Chromium:
//
//     node tests/browser/run.js SJKC [PART-OF-NAME]
//
// SJKC is the binary that makes the pages of recording_test.js.  Prints
// `ok N - name`, `not ok N - name` with the reason, and `# SKIP` with one.  Adds the
// names of failed tests to the file $FAILED, if that is set (tests/run.sh), without
// those that took a minute.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Browser } = require('./browser.js');

class Skip extends Error {}

const TICKS = 100; // per second: sysconf(_SC_CLK_TCK) of Linux

// The CPU seconds of this process, the browser and its ended processes.
function cpuSeconds() {
	const parents = new Map(), ticks = new Map();
	for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
		try {
			const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
			const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
			parents.set(pid, fields[1]);
			ticks.set(pid, fields.slice(11, 15).reduce((sum, t) => sum + Number(t), 0));
		} catch {
			// It has exited.
		}
	}
	let sum = 0;
	for (const [pid, spent] of ticks) {
		let above = pid;
		while (above && above !== String(process.pid))
			above = parents.get(above);
		sum += above ? spent : 0;
	}
	return sum / TICKS;
}

async function main() {
	const [sjkc, part = ''] = process.argv.slice(2);
	if (!sjkc) {
		console.error('usage: node run.js SJKC [PART-OF-NAME]');
		return 2;
	}
	const tests = [];
	const files = fs.readdirSync(__dirname).filter((f) => f.endsWith('_test.js')).sort();
	for (const file of files)
		require(path.join(__dirname, file))((name, body) =>
			tests.push({ name: `${path.basename(file, '_test.js')}: ${name}`, body }));
	const browser = new Browser();
	await browser.open();
	let failed = 0, number = 0;
	for (const { name, body } of tests.filter((t) => t.name.includes(part))) {
		number++;
		const began = Date.now(), cpu = cpuSeconds();
		const costs = () => console.log(`# cpu ${(cpuSeconds() - cpu).toFixed(1)} s of ` +
			`${Math.round((Date.now() - began) / 1000)} s ${name.replace(/[ :]+/g, '/')}`);
		try {
			await body(browser, { sjkc: path.resolve(sjkc), Skip });
			console.log(`ok ${number} - ${name}`);
			costs();
		} catch (error) {
			if (error instanceof Skip) {
				console.log(`ok ${number} - ${name} # SKIP ${error.message}`);
				continue;
			}
			failed++;
			console.log(`not ok ${number} - ${name}`);
			if (process.env.FAILED && Date.now() - began < 60000)
				fs.appendFileSync(process.env.FAILED, `${name}\n`);
			console.log(String(error.stack).replace(/^/gm, '# '));
			costs();
			await browser.forgetTabs();
		}
	}
	await browser.close();
	console.log(`1..${number}`);
	return failed || !number ? 1 : 0;
}

main().then((status) => { process.exitCode = status; }, (error) => {
	console.error(error);
	process.exitCode = 1;
});
