// SPDX-License-Identifier: Apache-2.0
// One Chromium for all tests, and a new tab for each page with a log of its events.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { chromium } = require('playwright-core');
const { makePage, pageOf } = require('./page.js');

const ARGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	'--disable-background-networking', '--disable-component-update', '--disable-sync'];

class Browser {
	async open() {
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sjkc-page-'));
		this.template = path.join(this.folder, 'template.html');
		execFileSync('sh', [path.join(__dirname, '../../render/page/assemble.sh'), this.template]);
		this.chromium = await chromium.launch({
			executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ARGS });
		this.count = 0;
	}

	async close() {
		await this.chromium.close();
		fs.rmSync(this.folder, { recursive: true });
	}

	file(html) {
		const file = path.join(this.folder, `page${this.count++}.html`);
		fs.writeFileSync(file, html);
		return file;
	}

	write(description) {
		return this.file(makePage(this.template, description));
	}

	writeRaw(base64) {
		return this.file(pageOf(this.template, 'raw', base64));
	}

	// Opens a file; `tab.seen` logs requests, dialogs, errors and console messages.
	async visit(file, options = {}) {
		const context = await this.chromium.newContext({
			viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce',
			colorScheme: 'light', ...options.context });
		const tab = await context.newPage();
		tab.seen = { requests: [], dialogs: [], errors: [], console: [] };
		tab.on('request', (r) => tab.seen.requests.push(r.url().slice(0, 200)));
		tab.on('dialog', (d) => { tab.seen.dialogs.push(d.message()); d.dismiss(); });
		tab.on('pageerror', (e) => tab.seen.errors.push(String(e.stack)));
		tab.on('console', (m) => {
			// Chromium warns about the pixels that the tests read.
			if (['error', 'warning'].includes(m.type()) && !m.text().includes('willReadFrequently'))
				tab.seen.console.push(m.text());
		});
		await tab.addInitScript(() => {
			window.violations = [];
			document.addEventListener('securitypolicyviolation', (e) =>
				window.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
		});
		if (options.init)
			await tab.addInitScript(options.init);
		tab.address = `file://${file}`;
		await tab.goto(tab.address + (options.hash || ''), { timeout: 120000 });
		if (options.wait !== false)
			await tab.waitForFunction(() => window.sjkcPage, null, { timeout: 120000 });
		tab.frames_ = (which) => tab.evaluate((w) => window.sjkcPage.frames(w), which);
		tab.frame_ = async (name, which) => {
			const found = (await tab.frames_(which)).find((f) => f.name === name);
			if (!found)
				throw new Error(`no visible frame ${name}`);
			return found;
		};
		tab.clickFrame = async (name, clickOptions = {}) => {
			const { x, y, width, height } = await tab.frame_(name, clickOptions.which);
			await tab.mouse.click(x + width / 2, y + height / 2, clickOptions);
		};
		tab.link = () => tab.evaluate(() => location.href);
		tab.done = () => context.close();
		return tab;
	}

	// Opens the page of a description, runs `body` and checks the log.
	async with(description, body, options) {
		const tab = await this.visit(typeof description === 'string' ?
			description : this.write(description), options);
		try {
			await body(tab);
			await quiet(tab);
		} finally {
			await tab.done();
		}
	}
}

async function quiet(tab) {
	const violations = await tab.evaluate(() => window.violations);
	const remote = tab.seen.requests.filter((url) => !url.startsWith('file://'));
	const events = [...remote, ...tab.seen.dialogs, ...tab.seen.errors, ...tab.seen.console,
		...violations];
	if (events.length)
		throw new Error(`unexpected events of the page: ${events.slice(0, 5).join('; ')}`);
}

module.exports = { Browser, quiet };
