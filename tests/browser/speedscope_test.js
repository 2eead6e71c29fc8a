// SPDX-License-Identifier: Apache-2.0
// What speedscope, as it is published, shows of the files we write for it and
// for pprof: the totals of each frame are those of the collapsed text.
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

// Self and total of each frame of collapsed text, [self, total] by name.
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

// What the table of frames shows: "1,234 (5.6%)" for total and self, the name.
// Only rows in sight are there, those of the greatest self; to have all, it is
// scrolled from its beginning to its end, again where the page was too slow.
const totalsShown = async (wantsAll) => {
	const head = [...document.querySelectorAll('table')]
		.find((t) => t.innerText.includes('Symbol Name'));
	const list = head.nextElementSibling;
	const rows = new Map();
	const number = (text) => Number(text.replace(/ \(.*/, '').replaceAll(',', ''));
	const look = () => {
		for (const row of list.querySelectorAll('tr')) {
			// Rows that scroll in have no cells yet.
			if (row.cells.length < 3)
				continue;
			const [total, self, name] = [...row.cells].map((cell) => cell.textContent);
			rows.set(name, [number(self), number(total)]);
		}
	};
	look();
	const all = wantsAll ? list.scrollHeight / list.querySelector('tr').offsetHeight : 0;
	for (let round = 0; round < 20 && rows.size < all; round++) {
		for (let top = 0; top < list.scrollHeight; top += list.clientHeight - 40) {
			list.scrollTop = top;
			await new Promise((done) => requestAnimationFrame(() => setTimeout(done, round * 20)));
			look();
		}
	}
	return [...rows];
};

// All frames are shown as they should be, or at least so many of them.
async function check(tab, text, least = Infinity) {
	const wanted = totalsOf(text);
	const shown = await tab.evaluate(totalsShown, least === Infinity);
	for (const [name, totals] of shown)
		assert.deepStrictEqual([name, totals], [name, wanted.get(name)]);
	assert(shown.length >= Math.min(wanted.size, least), `${shown.length} of ${wanted.size}`);
}

// Opens a file as a person does; `body` gets the tab, its frames in a table.
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

// The profiles of a file that we wrote, and which is shown first.
const written = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const eventsOf = (file) => written(file).profiles.map((p) => p.name);
const activeOf = (file) => written(file).activeProfileIndex;

module.exports = (test) => {
	const files = fs.existsSync(shared) ? ['ap-busy17-multi.jfr', 'busy25-profile.jfr']
		.map((name) => path.join(shared, name)) : [path.join(own, 'ap-lock.jfr')];
	for (const input of files) {
		const name = path.basename(input);
		test(`every event of ${name} has the totals of collapsed text`, async (browser, { sjkc }) => {
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

		test(`pprof of ${name} has the totals of collapsed text`, async (browser, { sjkc }) => {
			const file = path.join(browser.folder, `${name}.pb.gz`);
			flame(sjkc, '--samples', '-o', file, input);
			await open(browser, file, (tab) => check(tab,
				flame(sjkc, '-o', '-', '--output-format', 'collapsed', input), 20));
		});
	}

	test('threads are profiles, the greatest first', async (browser, { sjkc }) => {
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

	test('hostile names are names', async (browser, { sjkc }) => {
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
