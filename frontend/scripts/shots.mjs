// Takes a picture of every view in its states, in both themes and at two
// widths, from the build with the made-up library: npm run shots [name…]
import { mkdir } from 'node:fs/promises';
import { chromium } from '@playwright/test';
import { preview } from 'vite';

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const out = new URL('../shots/', import.meta.url).pathname;

const press = (...keys) => async (page) => {
	for (const key of keys) await page.keyboard.press(key);
};
const click = (name, role = 'button') => (page) => page.getByRole(role, { name }).first().click();
const type = (text) => async (page) => {
	await page.keyboard.type(text);
	await page.waitForTimeout(400);
};
const all = (...steps) => async (page) => {
	for (const step of steps) {
		await step(page);
		await page.waitForTimeout(150);
	}
};

/** Name, scenario, place, what is done before the picture. */
const shots = [
	['first-run', 'empty', 'sources'],
	['sources', 'full', 'sources'],
	['sources-details', 'full', 'sources?source=contracts'],
	['sources-problems', 'full', 'sources?source=handbook'],
	['sources-polling', 'full', 'sources?source=notes', click('Apply within limits', 'radio')],
	['sources-unavailable', 'full', 'sources?source=archive'],
	['sources-moved', 'full', 'sources?source=archive', all(click('The folder has moved…'), press('Control+a'), type('/home/mara/D'), press('ArrowDown'))],
	['sources-exchanged', 'exchanged', 'sources?source=archive'],
	['sources-remove', 'full', 'sources?source=contracts', click('Remove…')],
	['sources-added', 'full', 'sources', all(click('Folder, file or address to add', 'combobox'), type('/home/mara/Documents/minutes'), press('Enter'), (page) => page.getByText('Added minutes').waitFor())],
	['sources-paused', 'paused', 'sources'],
	['sources-error', 'full', 'sources', all(click('Folder, file or address to add', 'combobox'), type('Documents'), press('Enter'))],
	['sources-failing', 'broken', 'sources'],
	['sources-loading', 'loading', 'sources'],
	['plan', 'full', 'plan'],
	['plan-diff', 'full', 'plan', all(click(/onboarding\.md/), press('ArrowDown', 'ArrowDown', 'Space'))],
	['plan-diff-changed', 'full', 'plan', click(/onboarding\.md/)],
	['plan-reason', 'full', 'plan', click('Reason', 'radio')],
	['plan-guard', 'guard', 'plan'],
	['plan-applying', 'full', 'plan', all(click(/^Apply \d/), (page) => page.waitForTimeout(1400))],
	['plan-applied', 'full', 'plan', all(click(/^Apply \d/), (page) => page.getByText('Applied, but').waitFor())],
	['plan-paused', 'full', 'plan', all(click(/^Apply \d/), (page) => page.waitForTimeout(900), click('Pause'))],
	['plan-stale', 'stale', 'plan', all(click(/^Apply \d/), (page) => page.getByText('Applied, but').waitFor())],
	['plan-left', 'full', 'plan', all(press('Tab'), click(/^Apply to all of Contracts\/leases/, 'checkbox'), click(/^Apply to people\/travel.md/, 'checkbox'))],
	['plan-unsupported', 'full', 'plan', click(/not supported/)],
	['plan-nomatch', 'full', 'plan', all(click('Filter by path', 'searchbox'), type('zeppelin'))],
	['plan-none', 'step', 'plan'],
	['plan-huge', 'huge', 'plan', press('Tab')],
	['plan-loading', 'loading', 'plan'],
	['plan-error', 'error', 'plan'],
	['plan-empty', 'empty', 'plan'],
	['search', 'full', 'search?q=deposit notice'],
	['search-viewer', 'full', 'search?q=deposit notice', press('Enter')],
	['search-why', 'full', 'search?q=deposit notice', press('ArrowDown', 'ArrowUp', '?')],
	['search-chips', 'full', 'search?q=notice type:md source:contracts', press('Enter')],
	['search-code', 'full', 'search?q=sha256 digest', press('Enter')],
	['search-text', 'full', 'search?q=backups thirty-five days', press('Enter')],
	['search-none', 'full', 'search?q=zeppelin'],
	['search-idle', 'full', 'search'],
	['search-error', 'error', 'search?q=deposit'],
	['search-loading', 'loading', 'search?q=deposit'],
	['ask-idle', 'full', 'ask'],
	['ask', 'full', 'ask', all(type('When is the deposit of the lease returned?'), press('Enter'), (page) => page.getByText('Sources used').waitFor())],
	['ask-quote', 'full', 'ask', all(type('When is the deposit of the lease returned?'), press('Enter'), (page) => page.getByText('Sources used').waitFor(), (page) => page.getByRole('button', { name: /^Citation 1/ }).hover(), (page) => page.waitForTimeout(300))],
	['ask-viewer', 'full', 'ask', all(type('When is the deposit of the lease returned?'), press('Enter'), (page) => page.getByText('Sources used').waitFor(), click(/^Citation 1/))],
	['ask-refusal', 'full', 'ask', all(type('Who won the chess championship?'), press('Enter'), (page) => page.getByText('sufficient documentation').waitFor())],
	['ask-busy', 'loading', 'ask', all(type('When is the deposit of the lease returned?'), press('Enter'))],
	['ask-error', 'error', 'ask', all(type('When is the deposit of the lease returned?'), press('Enter'), (page) => page.getByText('disk I/O').waitFor())],
	['activity', 'full', 'activity'],
	['activity-details', 'full', 'activity?run=run-3'],
	['activity-interrupted', 'full', 'activity?run=run-0'],
	['activity-running', 'full', 'plan', all(click(/^Apply \d/), click('Activity', 'link'), (page) => page.waitForTimeout(600))],
	['activity-failing', 'broken', 'activity'],
	['activity-loading', 'loading', 'activity'],
	['activity-empty', 'empty', 'activity'],
	['settings', 'full', 'settings'],
	['settings-saved', 'full', 'settings', async (page) => {
		await page.getByRole('combobox', { name: 'Embedding model' }).selectOption('builtin:bge-small');
		await page.getByText('Saved.').waitFor();
	}],
	['palette', 'full', 'sources', all(press('Control+k'), type('lease'))],
];

const sizes = { 1280: 800, 800: 900 };
const wanted = process.argv.slice(2).filter((a) => !/^\d+$/.test(a));
const only = process.argv.slice(2).filter((a) => /^\d+$/.test(a)).map(Number);

await mkdir(out, { recursive: true });
const server = await preview({ mode: 'fake', build: { outDir: 'dist-fake' }, preview: { port: 0, host: '127.0.0.1' }, logLevel: 'warn' });
const base = server.resolvedUrls.local[0];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags });
let failed = 0;
for (const theme of ['light', 'dark']) {
	for (const width of only.length > 0 ? only : Object.keys(sizes).map(Number)) {
		for (const [name, scenario, place, act] of shots) {
			if (wanted.length > 0 && !wanted.some((w) => name === w || name.startsWith(`${w}-`))) continue;
			const context = await browser.newContext({ viewport: { width, height: sizes[width] ?? 800 }, colorScheme: theme, reducedMotion: 'reduce', locale: 'en' });
			const page = await context.newPage();
			page.on('console', (m) => m.type() === 'error' && console.error(`${name}: ${m.text()}`));
			page.on('pageerror', (e) => console.error(`${name}: ${e.message}`));
			try {
				await page.goto(`${base}?fake=${scenario}#/${place}`);
				await page.waitForTimeout(scenario === 'loading' ? 300 : 1100);
				page.setDefaultTimeout(8000);
				await act?.(page);
				await page.waitForTimeout(250);
			} catch (error) {
				failed++;
				console.error(`${name} (${theme}, ${width}): ${error.message.split('\n')[0]}`);
			}
			await page.screenshot({ path: `${out}${name}-${theme}-${width}.png` });
			await context.close();
		}
	}
}
await browser.close();
await server.close();
console.log(`pictures in ${out}`);
process.exit(failed > 0 ? 1 : 0);
