// SPDX-License-Identifier: Apache-2.0
// Tests of speedscope and pprof files: the published speedscope must show the same
// totals of each frame as collapsed text.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const shared = path.join(__dirname, '../../../shared/data/own/jfr');
const own = path.join(__dirname, '../data/jfr');
const page = () => path.join(path.dirname(require.resolve('speedscope/package.json')),
	'dist/release/index.html');

function flame(sjkc, ...args) {
	return execFileSync(sjkc, ['flame', '-q', ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
}

// Returns [self, total] of each frame of collapsed text, by name.
function totalsOf(text) {
	const totals = new Map();
	for (const line of text.trim().split('\n')) {
		const space = line.lastIndexOf(' ');
		const weight = Number(line.slice(space + 1));
		const stack = line.slice(0, space).split(';');
		for (const name of new Set(stack)) {
			const sum = totals.get(name) || [0, 0];
			totals.set(name, [sum[0] + (name === stack[stack.length - 1] ? weight : 0),
				sum[1] + weight]);
		}
	}
	return totals;
}

// Returns [self, total] of each frame in speedscope's table, by name. The table has
// rows for its visible part only; with wantsAll, the test scrolls through it.
const totalsShown = async (wantsAll) => {
	const head = [...document.querySelectorAll('table')]
		.find((t) => t.innerText.includes('Symbol Name'));
	const list = head.nextElementSibling;
	const rows = new Map();
	const number = (text) => Number(text.replace(/ \(.*/, '').replaceAll(',', ''));
	// The rows have cells and cover the visible part of the list.
	const isRendered = () => {
		const all = [...list.querySelectorAll('tr')];
		if (!all.length || all.some((row) => row.cells.length < 3))
			return false;
		const view = list.getBoundingClientRect();
		const first = all[0].getBoundingClientRect();
		const last = all[all.length - 1].getBoundingClientRect();
		const end = list.scrollHeight - list.scrollTop + view.top;
		return first.top <= view.top + 1 && (list.scrollHeight <= list.clientHeight ||
			last.bottom >= Math.min(view.bottom, end) - 1);
	};
	const read = async () => {
		const deadline = performance.now() + 30000;
		do {
			await new Promise((done) => requestAnimationFrame(done));
		} while (!isRendered() && performance.now() < deadline);
		for (const row of list.querySelectorAll('tr')) {
			const [total, self, name] = [...row.cells].map((cell) => cell.textContent);
			rows.set(name, [number(self), number(total)]);
		}
	};
	await read();
	for (let top = 0; wantsAll && top < list.scrollHeight; top += list.clientHeight - 40) {
		list.scrollTop = top;
		await read();
	}
	return [...rows];
};

// Checks the totals of all frames, or of at least `least` of them.
async function check(tab, text, least = Infinity) {
	const wanted = totalsOf(text);
	const shown = await tab.evaluate(totalsShown, least === Infinity);
	for (const [name, totals] of shown)
		assert.deepStrictEqual([name, totals], [name, wanted.get(name)]);
	assert(shown.length >= Math.min(wanted.size, least), `${shown.length} of ${wanted.size}`);
}

// Opens a file in speedscope and its table of frames, then calls body(tab).
async function open(browser, file, body) {
	const tab = await browser.visit(page(), { wait: false });
	try {
		await tab.locator('input[type=file]').setInputFiles(file);
		await tab.getByText('Sandwich').click();
		await tab.getByText('Symbol Name').waitFor();
		await body(tab);
		assert.deepStrictEqual([...tab.seen.dialogs, ...tab.seen.errors], []);
		assert.deepStrictEqual(tab.seen.requests.filter((url) => !url.startsWith('file://')), []);
	} finally {
		await tab.done();
	}
}

// The names of a file's profiles, and the index of the first one to show.
const written = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const eventsOf = (file) => written(file).profiles.map((p) => p.name);
const activeOf = (file) => written(file).activeProfileIndex;

module.exports = (test) => {
	const files = fs.existsSync(shared) ? ['ap-busy17-multi.jfr', 'busy25-profile.jfr']
		.map((name) => path.join(shared, name)) : [path.join(own, 'ap-lock.jfr')];
	for (const input of files) {
		const name = path.basename(input);
		test(`speedscope_file_of_${name}_has_the_totals_of_collapsed_text`, async (browser, { sjkc }) => {
			const file = path.join(browser.folder, `${name}.speedscope.json`);
			flame(sjkc, '--samples', '-o', file, input);
			const events = eventsOf(file);
			await open(browser, file, async (tab) => {
				for (let at = activeOf(file); at > 0; at--)
					await tab.keyboard.press('p');
				for (let i = 0; i < events.length; i++) {
					if (i > 0)
						await tab.keyboard.press('n');
					await tab.getByText(events.length > 1 ?
						`${events[i]} (${i + 1}/${events.length})` : events[i]).waitFor();
					const text = flame(sjkc, '-e', events[i], '-o', '-',
						'--output-format', 'collapsed', input);
					await check(tab, text, i ? 20 : Infinity);
				}
			});
		});

		test(`pprof_file_of_${name}_has_the_totals_of_collapsed_text`, async (browser, { sjkc }) => {
			const file = path.join(browser.folder, `${name}.pb.gz`);
			flame(sjkc, '--samples', '-o', file, input);
			await open(browser, file, (tab) => check(tab,
				flame(sjkc, '-o', '-', '--output-format', 'collapsed', input), 20));
		});
	}

	test('threads_are_profiles_sorted_by_total', async (browser, { sjkc }) => {
		const file = path.join(browser.folder, 'threads.json');
		flame(sjkc, '--samples', '--threads', '-o', file, files[0]);
		const text = flame(sjkc, '--threads', '-o', '-', '--output-format', 'collapsed', files[0]);
		const events = eventsOf(file);
		const thread = events[activeOf(file)].replace(/^\S+ /, '');
		const lines = text.trim().split('\n').filter((line) => line.startsWith(`${thread};`))
			.map((line) => line.slice(thread.length + 1));
		const sum = (of) => of.reduce((n, line) => n + Number(line.slice(line.lastIndexOf(' '))), 0);
		for (const other of new Set(text.trim().split('\n').map((line) => line.split(';')[0])))
			assert(sum(lines) >= sum(text.trim().split('\n')
				.filter((line) => line.startsWith(`${other};`))), other);
		await open(browser, file, (tab) => check(tab, lines.join('\n'), 20));
	});

	test('hostile_names_stay_names_in_speedscope', async (browser, { sjkc }) => {
		const names = ['</script><img src=x onerror=attack()>', '"}],"profiles":[]', "'\\u0022\\",
			'\u05e9\u05dc\u05d5\u05dd', '__proto__', 'constructor', '\ud83d\ude00', 'a'.repeat(65536)];
		const input = path.join(browser.folder, 'hostile.collapsed');
		const text = names.map((name, i) => `${name};z${i} ${i + 1}\n`).join('');
		fs.writeFileSync(input, text);
		for (const extension of ['json', 'pb.gz']) {
			const file = path.join(browser.folder, `hostile.${extension}`);
			flame(sjkc, '-o', file, '--title', names[0], input);
			await open(browser, file, async (tab) => {
				await check(tab, text);
				assert.strictEqual(await tab.locator('img').count(), 0);
			});
		}
	});
};
