// SPDX-License-Identifier: Apache-2.0
// Tests of the page of two recordings.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const before = `main;app.Order.price;app.Tax.compute 1000
main;app.Order.price;app.Discount.find 1000
main;app.Store.load 2000
main;app.Legacy.convert 500
main;app.Rare.call 3
`;
const after = `main;app.Order.price;app.Tax.compute 3000
main;app.Order.price;app.Discount.find 1010
main;app.Store.load 1500
main;app.Cache.refill 600
main;app.Rare.call 4
`;

function diff(browser, sjkc, ...options) {
	return diffOf(browser, sjkc, '', options);
}

// The files' names end with `suffix`.
function diffOf(browser, sjkc, suffix, options, texts = [before, after]) {
	return browser.once(`diff ${suffix} ${options}`, () => {
		const name = (kind) => path.join(browser.folder, `${kind}${browser.count++}${suffix}`);
		const files = [[`${name('before')}.txt`, texts[0]], [`${name('after')}.txt`, texts[1]]];
		for (const [file, text] of files)
			fs.writeFileSync(file, text);
		const output = `${name('diff')}.html`;
		execFileSync(sjkc, ['diff', '-q', ...options, '-o', output, ...files.map(([f]) => f)]);
		return output;
	});
}

const side = (tab, name) => tab.locator(`#sides [data-side=${name}]`).click();
const totals = (tab) => tab.evaluate(() => Object.fromEntries(
	window.sjkcPage.frames('graph').map((f) => [f.name, f.total])));

module.exports = (test) => {
	test('difference_shows_new_vanished_and_changed_frames', async (browser, { sjkc }) => {
		await browser.with(diff(browser, sjkc, '--normalize', 'none'), async (tab) => {
			const names = Object.keys(await totals(tab));
			assert.deepStrictEqual(names.filter((n) => /^[^\w]/.test(n)).sort(), [
				'▲ app.Order.price', '▲ app.Tax.compute', '▲ main', '▼ app.Store.load',
				'✖ app.Legacy.convert', '✚ app.Cache.refill'].sort());
			assert.ok(names.includes('app.Discount.find'), 'within noise: no sign');
			assert.ok(names.includes('app.Rare.call'), 'too few samples: no sign');
			assert.match(await tab.locator('#summary').textContent(),
				/4,503 samples → 6,114 samples, \+35\.8%/);
			assert.match(await tab.locator('#legend').textContent(), /▲ More.*Within noise/);
		});
	});

	test('frames_below_vanished_frames_have_vanished', async (browser, { sjkc }) => {
		const kept = 'main;app.Kept.run;byte[] 5000\n';
		const texts = [`${kept}main;app.Gone.run;byte[] 40\n`, kept];
		const options = ['--normalize', 'none'];
		await browser.with(diffOf(browser, sjkc, '.gone', options, texts), async (tab) => {
			const names = await tab.evaluate(() =>
				window.sjkcPage.frames('graph').map((f) => f.name));
			assert.deepStrictEqual(names.filter((n) => n.includes('byte[]')).sort(),
				['byte[]', '✖ byte[]']);
		});
	});

	test('switch_shows_each_recording_alone', async (browser, { sjkc }) => {
		await browser.with(diff(browser, sjkc), async (tab) => {
			await side(tab, 'before');
			let sums = await totals(tab);
			assert.strictEqual(sums['app.Tax.compute'], 1000);
			assert.strictEqual(sums['app.Legacy.convert'], 500);
			assert.strictEqual(sums['app.Cache.refill'], undefined);
			await side(tab, 'after');
			sums = await totals(tab);
			assert.strictEqual(sums['app.Tax.compute'], 3000);
			assert.strictEqual(sums['app.Legacy.convert'], undefined);
			await tab.keyboard.press('b');
			assert.strictEqual(await tab.locator('#sides [data-side=difference]')
				.getAttribute('aria-pressed'), 'true');
			await tab.goBack();
			assert.strictEqual(await tab.locator('#sides [data-side=after]')
				.getAttribute('aria-pressed'), 'true');
		});
	});

	test('tooltip_states_both_sides_and_the_change', async (browser, { sjkc }) => {
		await browser.with(diff(browser, sjkc, '--normalize', 'none'), async (tab) => {
			const facts = (name) => tab.evaluate((wanted) => {
				const { page } = window.sjkcPage;
				const frame = window.sjkcPage.frames('graph')
					.find((f) => f.name.endsWith(wanted));
				return page.tip.facts(page.pane, frame.node).slice(0, 3);
			}, name);
			assert.deepStrictEqual(await facts('app.Tax.compute'), [
				['Before', '1,000 samples', '22.2%'], ['After', '3,000 samples', '49.1%'],
				['Change', '+2,000 samples', '+200.0%', '']]);
			assert.deepStrictEqual((await facts('app.Legacy.convert'))[2],
				['Change', '−500 samples', 'gone', '']);
			assert.deepStrictEqual((await facts('app.Discount.find'))[2],
				['Change', '+10 samples', '+1.0%', 'within noise']);
		});
	});

	test('trees_of_callers_have_the_same_differences', async (browser, { sjkc }) => {
		await browser.with(diff(browser, sjkc, '--normalize', 'none'), async (tab) => {
			for (const view of ['callers', 'sandwich', 'callees']) {
				await tab.locator(`[data-view=${view}]`).click();
				const sums = await tab.evaluate(() => {
					const { page } = window.sjkcPage;
					const { tree } = page.pane;
					return [tree.old[0], tree.total[0] - tree.old[0]]
						.map((sum) => sum / page.comparison.factor());
				});
				if (view === 'sandwich')
					assert.deepStrictEqual(sums, [1000, 3000], 'app.Tax.compute, the hottest');
				else
					assert.deepStrictEqual(sums, [4503, 6114]);
			}
		});
	});

	test('table_lists_significant_changes_first', async (browser, { sjkc }) => {
		await browser.with(diff(browser, sjkc, '--normalize', 'none'), async (tab) => {
			await tab.locator('[data-view=table]').click();
			const rows = await tab.locator('#table tbody tr').allInnerTexts();
			const cells = rows.map((row) => row.split('\t').map((cell) => cell.trim()));
			assert.deepStrictEqual(cells.slice(0, 4).map((row) => [row[8], row[2], row[3]]), [
				['app.Tax.compute', '+2,000 samples', '+200.0%'],
				['app.Cache.refill', '+600 samples', 'new'],
				['app.Legacy.convert', '−500 samples', 'gone'],
				['app.Store.load', '−500 samples', '−25.0%']]);
			assert.match(cells[4].join(' '), /within noise/);
		});
	});

	for (const width of [480, 1400])
		test(`table_shows_names_in_a_window_of_${width}_pixels`, async (browser, { sjkc }) => {
			await browser.with(diff(browser, sjkc), async (tab) => {
				await tab.locator('[data-view=table]').click();
				const lost = await tab.locator('#table').evaluate((box) => ({
					scrolls: box.scrollWidth - box.clientWidth,
					names: [...box.querySelectorAll('td.frame')].filter((cell) => {
						const { left, right } = cell.getBoundingClientRect();
						return left < 0 || right > window.innerWidth || right - left < 180;
					}).length,
				}));
				assert.deepStrictEqual(lost, { scrolls: 0, names: 0 });
			}, { context: { viewport: { width, height: 600 } } });
		});

	for (const [width, lines] of [[480, 2], [900, 1]])
		test(`title_has_at_most_${lines}_lines_in_a_window_of_${width}_pixels`, async (browser, { sjkc }) => {
			await browser.with(diffOf(browser, sjkc, '-of-the-release', []), async (tab) => {
				const found = await tab.evaluate(() => {
					const box = document.getElementById('title');
					const { left, right, height } = box.getBoundingClientRect();
					const sum = document.getElementById('summary').getBoundingClientRect();
					return [Math.round(height / parseFloat(getComputedStyle(box).lineHeight)),
						left >= 0 && right <= window.innerWidth && sum.right <= window.innerWidth];
				});
				assert.deepStrictEqual([found[0] <= lines, found[1]], [true, true], String(found));
			}, { context: { viewport: { width, height: 600 } } });
		});

	test('normalized_difference_compares_shares', async (browser, { sjkc }) => {
		await browser.with(diff(browser, sjkc, '--normalize', 'total'), async (tab) => {
			const root = await tab.evaluate(() => {
				const { page } = window.sjkcPage;
				return [page.graph.old[0], page.graph.total[0] - page.graph.old[0]]
					.map((sum) => Math.round(sum / page.comparison.factor()));
			});
			assert.deepStrictEqual(root, [6114, 6114]);
			assert.match(await tab.locator('#summary').textContent(),
				/4,503 samples → 6,114 samples, compared by shares$/);
		});
	});

	test('omitted_frames_are_counted_for_both_recordings', async (browser, { sjkc }) => {
		await browser.with(diff(browser, sjkc, '--min-width', '1'), async (tab) => {
			assert.match(await tab.locator('#notes').textContent(),
				/1 stack traces narrower than 1% in every tab are omitted/);
			assert.ok(Object.keys(await totals(tab)).some((n) => n.endsWith('[small frames]')));
		});
	});

	test('difference_is_legible_in_both_themes_and_palettes', async (browser, { sjkc }) => {
		const shots = process.env.SCREENSHOTS;
		await browser.with(diff(browser, sjkc, '--normalize', 'none'), async (tab) => {
			const seen = new Set();
			for (const key of ['', 'd', 'p']) {
				if (key)
					await tab.keyboard.press(key);
				const fills = await tab.evaluate(() => {
					const { page } = window.sjkcPage;
					return window.sjkcPage.frames('graph')
						.map((f) => page.fill(page.pane, f.node));
				});
				assert.ok(new Set(fills).size >= 4, 'more, less and noise differ');
				seen.add(fills.join());
				if (shots)
					await tab.screenshot({ path: path.join(shots, `diff${seen.size}.png`) });
			}
			assert.strictEqual(seen.size, 3);
		});
	});
};
