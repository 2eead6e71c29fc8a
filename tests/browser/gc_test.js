// SPDX-License-Identifier: Apache-2.0
// The page of sjkc gc: zoom, keys, themes, small screens, hostile names.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');
const { execFileSync } = require('node:child_process');
const { quiet } = require('./browser.js');

const LOG = path.join(__dirname, '../data/gc/jdk25-g1-utc.log');

const hostile = ['</script><img src=x onerror=attack()>', '</pre></noscript><script>attack()</script>', '\u202egnp.exe', '__proto__', '&lt;b&gt;'];

function pageOfLog(browser, sjkc, log) {
	return browser.once(`gc ${log}`, () => {
		const file = path.join(browser.folder, `gc${browser.count++}.html`);
		execFileSync(sjkc, ['gc', '-q', '-i', log, '-o', file], { stdio: 'pipe', env: { ...process.env, TZ: 'UTC' } });
		return file;
	});
}

const guard = () => {
	window.attacked = 0;
	window.attack = () => { window.attacked++; };
};

const range = (tab) => tab.evaluate(() => window.sjkcPage.range());

module.exports = (test) => {
	test('page_shows_the_totals_that_gc_prints', async (browser, { sjkc }) => {
		await browser.with(pageOfLog(browser, sjkc, LOG), async (tab) => {
			const text = await tab.locator('#totals').innerText();
			const printed = execFileSync(sjkc, ['gc', '-q', '-i', LOG], { encoding: 'utf8', stdio: 'pipe' });
			const all = printed.split('\n').find((line) => line.startsWith('all collections')).trim().split(/ {2,}/);
			const shown = text.split('\n').find((line) => line.startsWith('all collections')).split('\t');
			// count, stopped, share, p50, p95, p99, longest and count, sum, p50, …
			assert.deepStrictEqual(shown.slice(3), [all[1], all[2], ...all.slice(4, 8)]);
		});
	});

	test('drag_zooms_and_escape_shows_the_whole_time', async (browser, { sjkc }) => {
		await browser.with(pageOfLog(browser, sjkc, LOG), async (tab) => {
			const whole = await range(tab);
			const box = await tab.locator('#pauses').boundingBox();
			await tab.mouse.move(box.x + 400, box.y + 60);
			await tab.mouse.down();
			await tab.mouse.move(box.x + 600, box.y + 80);
			await tab.mouse.up();
			const zoomed = await range(tab);
			assert(zoomed[0] > whole[0] && zoomed[1] < whole[1]);
			assert(await tab.locator('#reset').isEnabled());
			await tab.keyboard.press('Escape');
			assert.deepStrictEqual(await range(tab), whole);
			await tab.keyboard.press('+');
			const keyed = await range(tab);
			assert(keyed[1] - keyed[0] < whole[1] - whole[0]);
			await tab.locator('#reset').click();
			assert.deepStrictEqual(await range(tab), whole);
		});
	});

	test('axis_has_round_times_of_the_log', async (browser, { sjkc }) => {
		const log = path.join(browser.folder, 'uptime.log');
		fs.writeFileSync(log, Array.from({ length: 40 }, (_, i) => `[${(i * 60 + 7.25).toFixed(3)}s][info][gc] ` +
			`GC(${i}) Pause Young (Allocation Failure) 30M->10M(60M) 12.345ms\n`).join(''));
		await browser.with(pageOfLog(browser, sjkc, log), async (tab) => {
			const ticks = () => tab.evaluate(() => window.sjkcPage.ticks());
			const texts = (await ticks()).map(([, text]) => text);
			assert(texts.length > 3, String(texts));
			texts.forEach((text, i) => assert.strictEqual(text, `${i * parseInt(texts[1], 10)} s`));
			assert.match(await tab.locator('#range').innerText(), /^7\.2\d+ s to 2347\.2\d+ s, 40 records$/);
		});
		await browser.with(pageOfLog(browser, sjkc, LOG), async (tab) => {
			const list = await tab.evaluate(() => window.sjkcPage.ticks());
			assert(list.length > 3);
			for (const [, text] of list)
				assert.match(text, /^\d\d:\d\d:\d\d(\.\d+)?$/);
		}, { context: { timezoneId: 'UTC' } });
	});

	test('page_of_one_record_names_unknown_values_and_shows_a_second', async (browser, { sjkc }) => {
		const log = path.join(browser.folder, 'one.log');
		fs.writeFileSync(log, '[2.000s] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 12.345ms\n');
		await browser.with(pageOfLog(browser, sjkc, log), async (tab) => {
			assert.strictEqual(await tab.locator('#range').innerText(), '2.000 s to 2.000 s, 1 record');
			const [from, to] = await range(tab);
			assert.strictEqual(to - from, 1000);
			const text = await tab.locator('#charts').innerText();
			assert.match(text, /Time to safepoint: unknown/);
			assert.match(text, /Heap before and after collections: unknown/);
			assert.deepStrictEqual(await Promise.all(['#pauses', '#syncs', '#heap'].map((id) => tab.locator(id).isVisible())), [true, false, false]);
		});
	});

	test('axis_is_the_observed_period_of_a_live_jvm', async (browser, { sjkc }) => {
		const page = fs.readFileSync(pageOfLog(browser, sjkc, LOG), 'utf8');
		const live = (change) => browser.file(page.replace(/(<script id="data"[^>]*>)([^<]*)/, (all, tag, data) => {
			const document = JSON.parse(zlib.inflateRawSync(Buffer.from(data, 'base64')));
			change(document);
			return tag + zlib.deflateRawSync(JSON.stringify(document)).toString('base64');
		}));
		const observed = live((document) => { document.observed = [-3000, 9000]; });
		await browser.with(observed, async (tab) => {
			const [from, to] = await range(tab);
			assert.deepStrictEqual([Math.round(from), Math.round(to)], [-3120, 9120]);
			assert.match(await tab.locator('#range').innerText(), /^18:39:40\.\d+ to 18:39:52\.\d+, 24 records$/);
		}, { context: { timezoneId: 'UTC' } });
		const empty = live((document) => {
			document.observed = [0, 3000];
			for (const name of Object.keys(document).filter((key) => Array.isArray(document[key])))
				document[name] = ['observed', 'kinds', 'names'].includes(name) ? document[name] : [];
		});
		await browser.with(empty, async (tab) => {
			assert.match(await tab.locator('#range').innerText(), /^18:39:43\.\d+ to 18:39:46\.\d+, no pauses$/);
			assert(!await tab.locator('#charts').isVisible());
		}, { context: { timezoneId: 'UTC' } });
	});

	test('small_screen_shows_all_totals_without_scrolling', async (browser, { sjkc }) => {
		for (const width of [390, 900])
			await browser.with(pageOfLog(browser, sjkc, LOG), async (tab) => {
				const [inner, outer] = await tab.evaluate(() => {
					const { scrollWidth, clientWidth } = document.getElementById('totals');
					return [scrollWidth, clientWidth];
				});
				assert(inner <= outer, `${width}: ${inner} > ${outer}`);
			}, { context: { viewport: { width, height: 800 } } });
	});

	test('single_heap_size_is_visible', async (browser, { sjkc }) => {
		const log = path.join(browser.folder, 'single.log');
		fs.writeFileSync(log, '[1.0s] GC(0) Garbage Collection (Warmup) 10M(1%)->8M(1%)\n[3.0s] GC(1) Pause Mark Start 0.5ms\n');
		await browser.with(pageOfLog(browser, sjkc, log), async (tab) => {
			const pixels = await tab.evaluate(() => {
				const canvas = document.getElementById('heap');
				const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
				let blue = 0;
				for (let i = 0; i < data.length; i += 4)
					blue += data[i] === 0x3b && data[i + 1] === 0x82 && data[i + 2] === 0xf6 ? 1 : 0;
				return blue;
			});
			assert(pixels > 0);
		});
	});

	test('hover_and_arrow_keys_describe_a_pause', async (browser, { sjkc }) => {
		await browser.with(pageOfLog(browser, sjkc, LOG), async (tab) => {
			const box = await tab.locator('#pauses').boundingBox();
			const x = await tab.evaluate(() => window.sjkcPage.position(1));
			await tab.mouse.move(box.x + x, box.y + 100);
			assert.match(await tab.locator('#tip').innerText(), /young\nG1 Evacuation Pause\n.*stopped: 67\.7 ms\ntime to safepoint: 16\.4 us/s);
			await tab.keyboard.press('ArrowRight');
			await tab.keyboard.press('ArrowRight');
			assert.match(await tab.locator('#detail').innerText(), /young · G1 Evacuation Pause .*stopped: 67\.7 ms/);
			await tab.keyboard.press('l');
			assert.strictEqual(await tab.locator('#scale').getAttribute('aria-pressed'), 'true');
			assert.deepStrictEqual(await tab.evaluate(() => window.sjkcPage.marks(0)), [1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);
			assert.deepStrictEqual(await tab.evaluate(() => window.sjkcPage.marks(1)), [1e3, 1e4, 1e5]);
		});
	});

	test('dark_theme_and_small_screen_are_readable', async (browser, { sjkc }) => {
		await browser.with(pageOfLog(browser, sjkc, LOG), async (tab) => {
			assert.strictEqual(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(23, 25, 30)');
			assert(await tab.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
			await tab.keyboard.press('d');
			assert.strictEqual(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
		}, { context: { colorScheme: 'dark', viewport: { width: 390, height: 800 } } });
	});

	test('hostile_causes_are_shown_literally_and_run_no_script', async (browser, { sjkc }) => {
		const log = path.join(browser.folder, '<img src=x onerror=attack()>.log');
		fs.writeFileSync(log, hostile.map((cause, i) =>
			`[${i + 1}.000s] GC(${i}) Pause Young (${cause}) 9M->8M(9M) 1.0ms\n`).join(''));
		for (const javaScriptEnabled of [true, false]) {
			const file = pageOfLog(browser, sjkc, log);
			const tab = await browser.visit(file, { init: guard, wait: javaScriptEnabled, context: { javaScriptEnabled } });
			assert.deepStrictEqual(tab.seen.requests, [`file://${file}`]);
			if (javaScriptEnabled) {
				const text = await tab.locator('#totals').innerText();
				assert(text.includes(hostile[0]) && text.includes('<U+202E>gnp.exe') && text.includes('&lt;b&gt;'));
				assert.strictEqual(await tab.evaluate(() => window.attacked), 0);
				assert.strictEqual(await tab.evaluate(() => document.querySelectorAll('img').length), 0);
				await quiet(tab);
			} else {
				assert.match(await tab.locator('noscript pre').innerText(), /<\/script><img src=x/);
			}
			await tab.done();
		}
	});
};
