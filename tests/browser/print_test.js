// SPDX-License-Identifier: Apache-2.0
// Tests of the printed page.
'use strict';

const assert = require('node:assert');
const zlib = require('node:zlib');
const { sample } = require('./sample.js');

// Returns the images of a PDF, with their number of colors, and the number of fonts.
function contents(pdf) {
	const text = pdf.toString('latin1');
	const found = { images: [], fonts: (text.match(/\/Type \/Font\b/g) || []).length };
	const object = /<<([^]*?)>>\s*stream\r?\n/g;
	for (let m = object.exec(text); m; m = object.exec(text)) {
		if (!/\/Subtype \/Image/.test(m[1]) || !/FlateDecode/.test(m[1]))
			continue;
		const pixels = zlib.inflateSync(pdf.subarray(object.lastIndex),
			{ finishFlush: zlib.constants.Z_SYNC_FLUSH });
		const [, width] = /\/Width (\d+)/.exec(m[1]).map(Number);
		const colors = new Set();
		for (let i = 0; i + 2 < pixels.length; i += 3)
			colors.add(pixels.readUIntBE(i, 3));
		found.images.push({ width, colors: colors.size });
	}
	return found;
}

module.exports = (test) => {
	test('printed_page_has_the_graph', async (browser) => {
		await browser.with(sample(), async (tab) => {
			const { images, fonts } = contents(await tab.pdf());
			assert(fonts > 0);
			assert(images.some((i) => i.width > 300 && i.colors > 5),
				JSON.stringify(images));
		});
	});

	test('printed_page_has_the_summary_without_javascript', async (browser) => {
		const tab = await browser.visit(browser.write(sample()),
			{ wait: false, context: { javaScriptEnabled: false } });
		await tab.emulateMedia({ media: 'print' });
		assert(await tab.locator('noscript h1').isVisible());
		assert(contents(await tab.pdf()).fonts > 0);
		await tab.done();
	});
};
