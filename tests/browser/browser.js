// SPDX-License-Identifier: Apache-2.0
// One Chromium for all tests, and tabs with a log of the events of each page.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { chromium } = require('playwright-core');
const { makePage, pageOf } = require('./page.js');

const ARGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	'--disable-background-networking', '--disable-component-update', '--disable-sync'];

// The headless shell has no user interface, whose processes take most of the CPU time.
const PROGRAMS = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const VIEWPORT = { width: 1280, height: 800 };

class Browser {
	async open() {
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sjkc-page-'));
		this.template = path.join(this.folder, 'template.html');
		execFileSync('sh', [path.join(__dirname, '../../render/page/assemble.sh'), this.template]);
		this.chromium = await chromium.launch({
			executablePath: PROGRAMS.find((file) => file && fs.existsSync(file)), args: ARGS });
		this.count = 0;
		this.tabs = new Map();
		this.made = new Map();
		this.blank = this.file('<!doctype html><title>blank</title>');
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

	// Returns what `make` returns for the first of the tests that share a key.
	once(key, make) {
		if (!this.made.has(key))
			this.made.set(key, make());
		return this.made.get(key);
	}

	write(description) {
		return this.file(makePage(this.template, description));
	}

	writeRaw(base64) {
		return this.file(pageOf(this.template, 'raw', base64));
	}

	// Opens a file; `tab.seen` logs requests, dialogs, errors and console messages. Tests
	// with the same options share a tab, which loads a page in a tenth of the time of a
	// new one; `alone: true` makes a tab of its own.
	async visit(file, options = {}) {
		const { viewport, colorScheme, ...others } = options.context || {};
		const key = JSON.stringify([others, String(options.init)]);
		let tab = this.tabs.get(key);
		if (options.alone || !tab || tab.isUsed) {
			tab = await this.newTab(others, options.init);
			tab.isShared = !options.alone && !this.tabs.has(key);
			if (tab.isShared)
				this.tabs.set(key, tab);
		}
		tab.isUsed = true;
		await this.clean(tab, viewport || VIEWPORT, {
			media: null, colorScheme: colorScheme || 'light',
			reducedMotion: others.reducedMotion || 'reduce' });
		// A link to the same file with another fragment would not load it again.
		if (tab.address === `file://${file}`)
			await tab.goto(`file://${this.blank}`);
		tab.address = `file://${file}`;
		tab.seen = { requests: [], dialogs: [], errors: [], console: [] };
		await tab.goto(tab.address + (options.hash || ''), { timeout: 120000 });
		if (options.wait !== false)
			await tab.waitForFunction(() => window.sjkcPage, null, { timeout: 120000 });
		return tab;
	}

	// Undoes what a test may have changed in a tab.
	async clean(tab, viewport, media) {
		const { width, height } = tab.viewportSize();
		if (tab.address)
			await tab.mouse.move(0, 0);
		if (width !== viewport.width || height !== viewport.height)
			await tab.setViewportSize(viewport);
		await tab.emulateMedia(media);
	}

	async newTab(settings, init) {
		const context = await this.chromium.newContext({ viewport: VIEWPORT, ...settings });
		const tab = await context.newPage();
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
		if (init)
			await tab.addInitScript(init);
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
		tab.done = async () => {
			tab.isUsed = false;
			if (!tab.isShared)
				await context.close();
		};
		return tab;
	}

	// Closes the shared tabs, whose state is unknown after a failure.
	async forgetTabs() {
		const tabs = [...this.tabs.values()];
		this.tabs.clear();
		await Promise.all(tabs.map((tab) => tab.context().close()));
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
