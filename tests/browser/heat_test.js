// SPDX-License-Identifier: Apache-2.0
// Tests of the heat map, with the times that the JDK's jfr prints.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { sample, lines } = require('./sample.js');

const recordings = path.join(__dirname, '../../../shared/data/own/jfr');
const total = (tab) => tab.evaluate(() => window.sjkcPage.total());
const heat = (tab) => tab.evaluate(() => window.sjkcPage.heat());

function input(name, Skip) {
	const file = path.join(recordings, name);
	if (!fs.existsSync(file))
		throw new Skip('../shared has no recordings');
	return file;
}

function run(sjkc, ...args) {
	return execFileSync(sjkc, args, { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 }).toString();
}

function pageOf(browser, sjkc, file) {
	return browser.once(`flame ${file}`, () => {
		const output = path.join(browser.folder, `heat${browser.count++}.html`);
		run(sjkc, 'flame', '-q', '-o', output, file);
		return output;
	});
}

// Returns the times of an event in milliseconds, from the newest JDK's jfr.
function timesOf(file, event, Skip) {
	const root = '/usr/lib/jvm';
	const tools = (fs.existsSync(root) ? fs.readdirSync(root) : [])
		.map((jdk) => path.join(root, jdk, 'bin/jfr')).filter((jfr) => fs.existsSync(jfr));
	if (!tools.length)
		throw new Skip('no JDK has jfr');
	const text = execFileSync(tools[tools.length - 1], ['print', '--json', '--stack-depth', '1',
		'--events', event, file], { maxBuffer: 1 << 28 }).toString();
	return JSON.parse(text).recording.events.map(({ values }) => {
		const [, second, fraction, zone] =
			/^(.{19})(?:\.(\d+))?(.*)$/.exec(values.startTime);
		return Date.parse(second + zone) + Math.floor(Number(`0.${fraction || 0}`) * 1000 + 1e-7);
	});
}

// Counts times by the cells of the heat map.
function binned(times, { first_ms, column, rows, columns }) {
	const cells = new Array(columns * rows).fill(0);
	for (const ms of times)
		cells[Math.floor((ms - first_ms) / (column / rows))]++;
	return cells;
}

async function open(tab) {
	await tab.locator('[data-view=heatmap]').click();
	await tab.waitForFunction(() => window.sjkcPage.heat());
}

// Drags from a cell to another one.
async function drag(tab, from, to) {
	const map = await heat(tab);
	const point = ([column, row]) => [map.x + map.width * (column + 0.5),
		map.y + map.tall - map.height * (row + 0.5)];
	await tab.mouse.move(...point(from));
	await tab.mouse.down();
	await tab.mouse.move(...point(to), { steps: 4 });
	await tab.mouse.up();
	return map;
}

// Returns the selected times in milliseconds since the epoch.
const selected = (tab) => tab.evaluate(() => {
	const { page } = window.sjkcPage;
	const { moments } = page.profile;
	return page.state.time.map((t) => moments.start_ms + moments.stepAt(t) * moments.step_ms);
});

// Collapsed stack traces of a page: "root;leaf" -> weight.
const stacks = (tab) => tab.evaluate(() => {
	const { graph, profile } = window.sjkcPage.page;
	const found = {};
	for (let i = 1; i < graph.n; i++) {
		if (!(graph.self[i] > 0.5))
			continue;
		const names = [];
		for (let k = i; k > 0; k = graph.parent[k])
			names.unshift(profile.names[graph.labels.nameOf(graph.label[k])]);
		found[names.join(';')] = Math.round(graph.self[i]);
	}
	return found;
});

function stacksOfText(text) {
	const found = {};
	for (const line of text.trim().split('\n').filter(Boolean)) {
		const space = line.lastIndexOf(' ');
		const key = line.slice(0, space).split(';')
			.map((name) => name.replace(/_\[[jik01]\]$/, '')).join(';');
		found[key] = (found[key] || 0) + Number(line.slice(space + 1));
	}
	return found;
}

module.exports = (test) => {
	for (const [name, event, type] of [
		['ap-busy17-cpu1ms.jfr', 'cpu', 'jdk.ExecutionSample'],
		['ap-busy25-cpu1ms.jfr', 'cpu', 'jdk.ExecutionSample'],
		['busy17-default-depth16.jfr', 'sleep', 'jdk.ThreadSleep'],
		['busy17-default-depth16.jfr', 'cpu', 'jdk.ExecutionSample'],
	])
		test(`${event}_cells_of_${name}_have_the_counts_of_jfr_print`, async (browser, { sjkc, Skip }) => {
			const file = input(name, Skip);
			const times = timesOf(file, type, Skip);
			await browser.with(pageOf(browser, sjkc, file), async (tab) => {
				await tab.getByRole('tab', { name: event, exact: true }).click();
				await tab.evaluate(() => window.sjkcPage.page.set({ measure: 'samples' }, 'replace'));
				await open(tab);
				const scales = await tab.locator('#heat-column option').evaluateAll(
					(options) => options.map((o) => o.value));
				assert(scales.length > 2, `${scales.length} scales`);
				for (const scale of scales) {
					await tab.locator('#heat-column').selectOption(scale);
					const map = await heat(tab);
					assert(times.length > 100);
					assert.deepStrictEqual(map.cells, binned(times, map), `scale ${scale}`);
				}
			});
		});

	for (const [name, event] of [['ap-busy17-cpu1ms.jfr', 'cpu'], ['busy17-default-depth16.jfr', 'cpu'],
		['busy17-default-depth16.jfr', 'sleep'], ['ap-busy17-alloc.jfr', 'alloc']])
		test(`${event}_span_of_${name}_has_the_stack_traces_of_from_and_to`, async (browser, { sjkc, Skip }) => {
			const file = input(name, Skip);
			await browser.with(pageOf(browser, sjkc, file), async (tab) => {
				await tab.getByRole('tab', { name: event, exact: true }).click();
				await open(tab);
				const { columns, rows } = await heat(tab);
				let compared = 0;
				for (const [from, to] of [[[1, 3], [1, rows - 2]], [[columns >> 2, rows >> 1], [columns >> 1, 2]],
					[[columns - 3, 1], [2, rows - 1]]]) {
					await drag(tab, from, to);
					const [first, end] = await selected(tab);
					const text = path.join(browser.folder, 'heat.collapsed');
					const weights = await tab.evaluate(() => window.sjkcPage.page.state.measure === 'weight');
					let expected = '';
					try {
						run(sjkc, 'flame', '-q', '-e', event, '--from', String(first), '--to', String(end),
							...weights ? ['--total'] : [], '-o', text, file);
						expected = fs.readFileSync(text, 'utf8');
					} catch (error) {
						assert.match(String(error.stderr), /no samples? (is within|of)/);
					}
					assert.deepStrictEqual(await stacks(tab), stacksOfText(expected), `${first} to ${end}`);
					compared += Object.keys(stacksOfText(expected)).length;
				}
				assert(compared > 0, 'no span had samples');
			});
		});

	test('heat_map_selection_is_followed_cleared_and_linked', async (browser, { sjkc, Skip }) => {
		const page = pageOf(browser, sjkc, input('ap-busy17-cpu1ms.jfr', Skip));
		let link, count;
		await browser.with(page, async (tab) => {
			const whole = await total(tab);
			await tab.keyboard.press('h');
			await tab.waitForFunction(() => window.sjkcPage.heat());
			const map = await drag(tab, [3, 10], [5, 20]);
			const expected = map.cells.slice(3 * map.rows + 10, 5 * map.rows + 21).reduce((a, b) => a + b);
			count = await total(tab);
			assert(expected > 0 && expected < whole);
			assert.strictEqual(count, expected);
			assert.match(await tab.locator('#time-text').innerText(), / s\n/);
			await tab.locator('[data-view=table]').click();
			assert.strictEqual(await total(tab), expected);
			link = await tab.link();
			assert.match(link, /time=\d+ms(~|%7E)\d+ms/);
			await tab.locator('[data-view=heatmap]').click();
			await tab.keyboard.press('Escape');
			assert.strictEqual(await total(tab), whole);
			assert.doesNotMatch(await tab.link(), /time=/);
		});
		// The link selects the same span before the heat map is opened.
		await browser.with(page, async (tab) => {
			await tab.waitForFunction((n) => window.sjkcPage.total() === n, count);
			assert(await tab.locator('#table').isVisible());
		}, { hash: new URL(link).hash });
	});

	test('heat_map_is_used_by_keys', async (browser, { sjkc, Skip }) => {
		await browser.with(pageOf(browser, sjkc, input('ap-busy17-cpu1ms.jfr', Skip)), async (tab) => {
			await open(tab);
			const { cells, rows } = await heat(tab);
			await tab.locator('#heat-map').focus();
			for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowUp', 'ArrowUp', 'ArrowDown'])
				await tab.keyboard.press(key);
			assert.match(await tab.locator('#announcement').textContent(),
				/^Time \d\d:\d\d:\d\d\.\d{3} – .*; Total \d+ samples?, /);
			await tab.keyboard.press('Enter');
			assert.strictEqual(await total(tab), cells[2 * rows + 1]);
			await tab.keyboard.press('Shift+ArrowRight');
			await tab.keyboard.press('Shift+ArrowUp');
			assert.strictEqual(await total(tab),
				cells.slice(2 * rows + 1, 3 * rows + 3).reduce((a, b) => a + b));
			await tab.keyboard.press('Escape');
			assert.strictEqual(await total(tab), cells.reduce((a, b) => a + b));
		});
	});

	test('heat_map_marks_cells_of_matching_stack_traces', async (browser, { sjkc, Skip }) => {
		await browser.with(pageOf(browser, sjkc, input('ap-busy17-cpu1ms.jfr', Skip)), async (tab) => {
			await open(tab);
			await tab.locator('#search').fill('Busy.alloc');
			const { matches, cells } = await heat(tab);
			const weight = matches.reduce((a, b) => a + b);
			assert(weight > 0 && matches.every((m, i) => m <= cells[i]));
			assert.strictEqual(weight, await tab.evaluate(() => window.sjkcPage.matches().weight));
			assert(await tab.locator('#heat-match').isVisible());
		});
	});

	test('heat_map_follows_the_thread_filter', async (browser, { sjkc, Skip }) => {
		await browser.with(pageOf(browser, sjkc, input('ap-busy17-cpu1ms.jfr', Skip)), async (tab) => {
			await open(tab);
			const before = (await heat(tab)).cells.reduce((a, b) => a + b);
			await tab.evaluate(() => window.sjkcPage.page.set({ threadPattern: 'main' }, 'replace'));
			const after = (await heat(tab)).cells.reduce((a, b) => a + b);
			assert(after < before);
			assert.strictEqual(after, await total(tab));
		});
	});

	test('heat_map_of_a_page_without_finer_times_has_its_buckets', async (browser) => {
		await browser.with(sample(), async (tab) => {
			await open(tab);
			const { cells, rows } = await heat(tab);
			assert.deepStrictEqual(cells.slice(0, 10), [10, 20, 20, 5, 15, 20, 0, 0, 0, 10]);
			assert.match(await tab.locator('#heat-text').textContent(), /no finer times/);
			await drag(tab, [0, 1], [Math.floor(4 / rows), 4 % rows]);
			assert.match(await tab.link(), /time=1(~|%7E)5/);
			assert.strictEqual(await total(tab), 60);
			assert.strictEqual(await tab.locator('[data-view=heatmap]').getAttribute('aria-pressed'), 'true');
		});
	});

	// Writes 70,000 samples of 70 s as perf script does, and returns them.
	const many = (browser) => {
		const samples = Array.from({ length: 70000 }, (_, i) => ({
			ms: 100000 + i, thread: `worker-${i % 3}`, leaf: `leaf${i * 7919 % 40}` }));
		const input = path.join(browser.folder, 'many.txt');
		fs.writeFileSync(input, samples.map(({ ms, thread, leaf }, i) =>
			`${thread} 4711/${4712 + i % 3} [000] ${(ms / 1000).toFixed(6)}: 1 cpu-clock:\n` +
			`\t    55d0c0de1000 ${leaf} (/usr/bin/app)\n` +
			'\t    55d0c0de0000 main (/usr/bin/app)\n\n').join(''));
		return { input, samples };
	};
	const hasCells = (tab) => tab.evaluate(() => window.sjkcPage.page.profile.hasCells());

	test('large_page_draws_its_heat_map_before_it_reads_the_samples', async (browser, { sjkc }) => {
		const { input, samples } = many(browser);
		const page = pageOf(browser, sjkc, input);
		let link;
		await browser.with(page, async (tab) => {
			assert.strictEqual(await total(tab), samples.length);
			await open(tab);
			const scales = await tab.locator('#heat-column option').evaluateAll(
				(options) => options.map((o) => o.value));
			for (const scale of scales) {
				await tab.locator('#heat-column').selectOption(scale);
				const map = await heat(tab);
				assert.deepStrictEqual(map.cells, binned(samples.map(({ ms }) => ms), map), `scale ${scale}`);
			}
			await tab.keyboard.press('g');
			assert.deepStrictEqual(await tab.evaluate(() => [...window.sjkcPage.page.filter.threadSum]),
				[0, 1, 2].map((t) => samples.filter((_, i) => i % 3 === t).length));
			assert(!await hasCells(tab), 'the samples were read');
			const frames = await tab.frames_();
			// A filter reads the samples.
			await tab.evaluate(() => window.sjkcPage.page.set({ threadPattern: 'worker-1' }, 'replace'));
			const count = samples.filter(({ thread }) => thread === 'worker-1').length;
			await tab.waitForFunction((n) => window.sjkcPage.total() === n, count);
			assert(await hasCells(tab));
			await tab.waitForFunction((n) => window.sjkcPage.heat().cells.reduce((a, b) => a + b) === n, count);
			await tab.evaluate(() => window.sjkcPage.page.set({ threadPattern: '' }, 'replace'));
			assert.deepStrictEqual(await tab.frames_(), frames);
			await tab.locator('#heat-column').selectOption('0');
			await drag(tab, [2, 3], [4, 5]);
			const [from, to] = await selected(tab);
			const inside = samples.filter(({ ms }) => ms >= from && ms < to).length;
			assert(inside > 0);
			assert.strictEqual(await total(tab), inside);
			link = [new URL(await tab.link()).hash, inside];
		});
		await browser.with(page, async (tab) => {
			await tab.waitForFunction((n) => window.sjkcPage.total() === n, link[1]);
			assert(await tab.locator('#reading').isHidden());
		}, { hash: link[0] });
	});

	test('large_page_without_its_samples_shows_their_sums', async (browser, { sjkc }) => {
		const { input, samples } = many(browser);
		const html = fs.readFileSync(pageOf(browser, sjkc, input), 'utf8');
		const at = html.indexOf('\n', html.indexOf('<script id="cells"')) + 1;
		const cut = browser.file(html.slice(0, at + 400) + '\n</script>\n');
		await browser.with(cut, async (tab) => {
			await tab.evaluate(() => window.sjkcPage.page.set({ threads: true }, 'replace'));
			await tab.locator('#reading').filter({ hasText: /damaged/ }).waitFor();
			assert.strictEqual(await total(tab), samples.length);
		});
	});

	test('page_without_times_has_no_script_and_blocks_of_the_heat_map', async (browser, { sjkc, Skip }) => {
		const text = path.join(browser.folder, 'timeless.collapsed');
		fs.writeFileSync(text, 'a.A.a;b.B.b 3\n');
		const marks = ['sjkcParts = ', 'heatScales', '<script id="moments"', '<script id="cells"', '<!--sjkc:'];
		const of = (file) => {
			const html = fs.readFileSync(pageOf(browser, sjkc, file), 'latin1');
			return marks.filter((mark) => html.includes(mark));
		};
		assert.deepStrictEqual(of(text), []);
		assert.deepStrictEqual(of(many(browser).input), marks.slice(0, 4));
		await browser.with(pageOf(browser, sjkc, text), async (tab) => {
			assert.strictEqual(await total(tab), 3);
			assert(!await tab.locator('[data-view=heatmap]').isVisible());
		});
		assert.deepStrictEqual(of(input('ap-busy17-cpu1ms.jfr', Skip)), marks.slice(0, 3));
	});

	test('page_without_times_has_no_heat_map', async (browser) => {
		await browser.with(lines('a.A.a 1'), async (tab) => {
			assert(!await tab.locator('[data-view=heatmap]').isVisible());
			await tab.keyboard.press('h');
			assert(!await tab.locator('#heat').isVisible());
			assert.strictEqual(await total(tab), 1);
		}, { hash: '#v=heatmap&time=5ms~9ms' });
	});

	test('damaged_times_are_reported_and_the_graph_is_shown', async (browser, { sjkc, Skip }) => {
		const html = fs.readFileSync(pageOf(browser, sjkc, input('ap-busy17-cpu1ms.jfr', Skip)), 'utf8');
		const at = html.lastIndexOf('<script id="moments"');
		const block = html.indexOf('\n', at) + 1;
		const cut = browser.file(html.slice(0, block) + html.slice(block, block + 4000) + '\n</script>\n');
		await browser.with(cut, async (tab) => {
			const whole = await total(tab);
			await tab.locator('[data-view=heatmap]').click();
			await tab.locator('#heat-text').filter({ hasText: /damaged|truncated/ }).waitFor();
			assert.strictEqual(await total(tab), whole);
			assert.strictEqual((await tab.frames_()).length > 1, true);
		});
	});
};
