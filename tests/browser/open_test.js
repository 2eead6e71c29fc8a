// SPDX-License-Identifier: Apache-2.0
// Tests of opening: the parts of the page, damaged data, extreme sizes.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const zlib = require('node:zlib');
const { block } = require('./page.js');
const { sample, lines, large } = require('./sample.js');

const empty = { title: 'nothing', events: [{ name: 'cpu', samples: [] }] };

module.exports = (test) => {
	test('page_is_one_file_with_a_strict_policy', async (browser) => {
		const file = browser.write(sample());
		await browser.with(file, async (tab) => {
			assert.deepStrictEqual(tab.seen.requests, [`file://${file}`]);
			const html = fs.readFileSync(file, 'utf8');
			const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)[1];
			assert.match(policy, /^default-src 'none'; script-src( 'sha256-[\w+/=]{44}'){2}; style-src 'sha256-[\w+/=]{44}';/);
			assert.doesNotMatch(policy, /unsafe/);
			assert.doesNotMatch(html, / style=/);
			assert.strictEqual(await tab.title(), 'sample.jfr');
		});
	});

	test('policy_blocks_an_added_script', async (browser) => {
		const html = fs.readFileSync(browser.write(sample()), 'utf8')
			.replace('</body>', '<script>window.ran = 1</script></body>');
		const tab = await browser.visit(browser.file(html));
		assert.strictEqual(await tab.evaluate(() => window.ran), undefined);
		assert.strictEqual(await tab.evaluate(() => window.violations.length), 1);
		await tab.done();
	});

	test('summary_is_visible_without_javascript', async (browser) => {
		const tab = await browser.visit(browser.write(sample()),
			{ wait: false, context: { javaScriptEnabled: false } });
		assert.strictEqual(await tab.locator('noscript h1').textContent(), 'sample.jfr');
		assert(await tab.locator('noscript h1').isVisible());
		assert(!await tab.locator('#app').isVisible());
		await tab.done();
	});

	test('missing_decompression_stream_is_reported', async (browser) => {
		const tab = await browser.visit(browser.write(sample()), {
			wait: false, init: () => { delete window.DecompressionStream; } });
		await tab.locator('#trouble').waitFor();
		assert.match(await tab.locator('#trouble').textContent(), /DecompressionStream/);
		await tab.done();
	});

	test('page_opens_without_from_base64', async (browser) => {
		await browser.with(sample(), async (tab) => {
			assert.strictEqual(await tab.evaluate(() => window.sjkcPage.total()), 100);
		}, { init: () => { delete Uint8Array.fromBase64; } });
	});

	test('damaged_data_is_reported', async (browser) => {
		const whole = block(sample());
		for (const bytes of [whole.subarray(0, whole.length - 3), Buffer.from('nonsense')]) {
			const tab = await browser.visit(browser.writeRaw(
				zlib.deflateRawSync(bytes).toString('base64')), { wait: false });
			await tab.locator('#trouble').waitFor();
			assert.deepStrictEqual(tab.seen.errors, []);
			await tab.done();
		}
		const tab = await browser.visit(browser.writeRaw('AAAA/w=='), { wait: false });
		await tab.locator('#trouble').waitFor();
		assert.match(await tab.locator('#trouble').textContent(), /damaged/);
		await tab.done();
	});

	test('counts_larger_than_the_data_are_reported', async (browser) => {
		const whole = block(sample({ time: { start_ms: 0, bucket_ms: 1, buckets: 10 } }));
		const length = whole.readUInt32LE(0);
		for (const spoil of [(h) => { h.names = 1e9; }, (h) => { h.frames = 1e9; },
			(h) => { h.nodes = 1e9; }, (h) => { h.nodes = -1; }, (h) => { h.events[0].cells = 1e9; },
			(h) => { h.time.buckets = 1e9; }]) {
			const head = JSON.parse(whole.subarray(4, 4 + length));
			spoil(head);
			const json = Buffer.from(JSON.stringify(head));
			const size = Buffer.alloc(4);
			size.writeUInt32LE(json.length);
			const tab = await browser.visit(browser.writeRaw(zlib.deflateRawSync(Buffer.concat(
				[size, json, whole.subarray(4 + length)])).toString('base64')), { wait: false });
			await tab.locator('#trouble').waitFor();
			assert.match(await tab.locator('#trouble').textContent(), /damaged/);
			await tab.done();
		}
	});

	test('page_without_samples_opens', async (browser) => {
		await browser.with(empty, async (tab) => {
			assert.match(await tab.locator('#empty').textContent(), /no samples/);
			for (const view of ['callers', 'sandwich', 'table', 'callees'])
				await tab.locator(`[data-view=${view}]`).click();
			assert.strictEqual(await tab.locator('#summary').textContent(), '0 samples');
		});
	});

	test('page_with_one_sample_opens', async (browser) => {
		await browser.with(lines('only.Frame.here 1'), async (tab) => {
			const frame = await tab.frame_('only.Frame.here');
			assert.deepStrictEqual([frame.total, frame.self, frame.level], [1, 1, 1]);
			assert.strictEqual(frame.width, 1280);
			assert.strictEqual(await tab.locator('#summary').textContent(), '1 sample');
		});
	});

	test('sample_without_stack_trace_has_its_own_frame', async (browser) => {
		const description = lines('a.A.a 3');
		description.events[0].samples.push({ stack: [], count: 1 });
		await browser.with(description, async (tab) => {
			assert.strictEqual((await tab.frame_('[no stack trace]')).total, 1);
			assert.strictEqual(await tab.evaluate(() => window.sjkcPage.total()), 4);
		});
	});

	// At these counts, the ids of frames need another byte.
	for (const count of [256, 65536, 65537])
		test(`${count}_frames_have_distinct_names`, async (browser) => {
			const names = Array.from({ length: count }, (_, i) => `f.F.m${i} ${i + 1}`);
			await browser.with(lines(...names), async (tab) => {
				assert.deepStrictEqual(await tab.evaluate(() => {
					const { graph, profile } = window.sjkcPage.page;
					const nameOf = (i) => profile.names[graph.labels.nameOf(graph.label[i])];
					let right = 0;
					for (let i = 1; i < graph.n - 1; i++)
						right += nameOf(i) === `f.F.m${graph.total[i] - 1}` ? 1 : 0;
					return [right, nameOf(0), nameOf(graph.n - 1)];
				}), [count, 'all', '[no stack trace]']);
			});
		});

	for (const depth of [300, 100000])
		test(`stack_trace_of_${depth}_frames_is_scrolled_to_its_end`, async (browser) => {
			const frames = Array.from({ length: depth }, (_, i) => `deep.D.f${i % 50}`);
			await browser.with(lines(`${frames.join(';')} 2`, 'flat.F.f 1'), async (tab) => {
				assert.strictEqual(await tab.evaluate(() => window.sjkcPage.levels()), depth + 1);
				const canvas = await tab.evaluate(() =>
					document.querySelector('#graph canvas').height);
				assert(canvas <= 800);
				await tab.mouse.move(600, 400);
				await tab.mouse.wheel(0, depth * 19);
				await tab.waitForFunction((d) => window.sjkcPage.frames()
					.some((f) => f.level === d), depth);
				const last = (await tab.frames_()).find((f) => f.level === depth);
				assert.strictEqual(last.name, `deep.D.f${(depth - 1) % 50}`);
				await tab.keyboard.press('c');
				assert((await tab.frames_()).length > 10);
			});
		});

	// A million nodes, and the view of callers, only in make check-all.
	test('page_with_many_nodes_opens', async (browser) => {
		const all = Boolean(process.env.EVERY_JDK), nodes = all ? 1e6 : 1e5;
		const description = large(nodes);
		const samples = description.events[0].samples.reduce((sum, s) => sum + s.count, 0);
		await browser.with(description, async (tab) => {
			assert(await tab.evaluate(() => window.sjkcPage.nodes()) > 0.99 * nodes);
			assert.strictEqual(await tab.evaluate(() => window.sjkcPage.total()), samples);
			const frame = (await tab.frames_()).find((f) => f.level === 5 && f.width > 15);
			await tab.mouse.click(frame.x + 5, frame.y + 5);
			assert((await tab.frames_()).find((f) => f.node === frame.node).width > 1270);
			await tab.locator('#search').fill('class77.');
			assert((await tab.evaluate(() => window.sjkcPage.matches())).count > 0);
			if (!all)
				return;
			// 60,000 leaf frames on 1,280 pixels are gray boxes until the page zooms in.
			await tab.locator('[data-view=callers]').click();
			const { y, height } = await tab.frame_('all');
			for (let i = 0; i < 6 && (await tab.frames_()).length < 10; i++)
				await tab.mouse.click(640, y + height + 5);
			assert((await tab.frames_()).length >= 10);
		});
	});

	test('weights_above_2_53_are_printed_exactly', async (browser) => {
		const description = lines('a.A.a 1');
		description.events[0].unit = 'bytes';
		description.events[0].samples = [
			{ stack: ['a.A.a'], count: '9007199254740993', weight: '18014398509481985' },
			{ stack: ['b.B.b'], count: '2', weight: '2' },
		];
		await browser.with(description, async (tab) => {
			assert.strictEqual(await tab.locator('#summary').textContent(),
				'9,007,199,254,740,995 samples');
			assert((await tab.frame_('a.A.a')).width > 1270);
			await tab.locator('[data-measure=weight]').click();
			assert.strictEqual(await tab.locator('#summary').getAttribute('title'),
				'18,014,398,509,481,987 bytes');
		});
	});

	test('self_weight_of_a_rounded_sum_is_not_negative', async (browser) => {
		const description = lines('a.A.a 1');
		description.events[0].samples = [
			{ stack: ['a.A.a', 'b.B.b'], count: '9007199254740992' },
			{ stack: ['a.A.a', 'c.C.c'], count: '1' },
		];
		await browser.with(description, async (tab) => {
			const frames = await tab.frames_();
			assert.deepStrictEqual(frames.map((f) => [f.name, f.self]),
				[['all', 0], ['a.A.a', 0], ['b.B.b', 2 ** 53]]);
			await tab.locator('[data-view=table]').click();
			const text = await tab.locator('#table').innerText();
			assert(!/[-−]\d/.test(text), text);
			assert.match(text, /9,007,199,254,740,992 samples/);
		});
	});

	test('notes_and_omitted_frames_are_shown', async (browser) => {
		await browser.with(sample({ notes: ['2 chunks were cut'], elided: { nodes: 7, below: 0.3 } }),
			async (tab) => {
				const notes = await tab.locator('#notes').textContent();
				assert.match(notes, /2 chunks were cut/);
				assert.match(notes, /7 stack traces narrower than 0\.3%/);
			});
	});
};
