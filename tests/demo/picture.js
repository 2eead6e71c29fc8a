// SPDX-License-Identifier: Apache-2.0
// Takes the picture of a page for the README:
//
//     node picture.js PAGE PNG
'use strict';

const path = require('node:path');
const { chromium } = require('playwright-core');

async function main() {
	const [page, png] = process.argv.slice(2).map((p) => path.resolve(p));
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--headless', '--no-sandbox', '--disable-gpu'] });
	const tab = await browser.newPage({
		viewport: { width: 1200, height: 640 }, colorScheme: 'light', reducedMotion: 'reduce' });
	await tab.goto(`file://${page}`);
	await tab.waitForFunction(() => window.sjkcPage);
	await tab.screenshot({ path: png });
	await browser.close();
}

main().catch((error) => {
	console.error(error);
	process.exitCode = 1;
});
