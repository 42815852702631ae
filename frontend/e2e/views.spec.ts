import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, papers, test, writePapers } from './fixture';

const places: [string, string, ((page: Page) => Promise<unknown>)?][] = [
	['ask', '#/ask'],
	['search', '#/search?q=deposit notice type:md'],
	['search with a document', '#/search?q=deposit', async (page) => {
		await page.getByRole('button', { name: /Lease/ }).first().click();
		await page.locator('[data-mark]').first().waitFor();
	}],
	['search with a reason', '#/search?q=deposit', (page) => page.getByRole('button', { name: /^Why this passage/ }).first().click()],
	['plan', '#/plan', (page) => page.getByRole('treegrid').waitFor()],
	['plan with passages', '#/plan', (page) => page.getByRole('button', { name: /onboarding\.md/ }).click()],
	['sources', '#/sources', (page) => page.getByText(/In step|waiting/).filter({ visible: true }).first().waitFor()],
	['a source', '#/sources', async (page) => {
		await page.getByRole('button', { name: 'Details of papers' }).click();
		await page.getByRole('radio', { name: 'Apply within limits' }).click();
		await page.getByRole('button', { name: 'The folder has moved…' }).click();
	}],
	['activity', '#/activity'],
	['a run', '#/activity', (page) => page.getByRole('button', { name: /^Details of the run/ }).first().click()],
	['settings', '#/settings'],
];

for (const theme of ['light', 'dark'] as const) {
	test(`axe finds nothing, ${theme}`, async ({ page, ibid, open }) => {
		await writePapers(ibid);
		await ibid.index();
		await ibid.write('handbook/onboarding.md', (papers['handbook/onboarding.md'] ?? '').replace('ten', 'twelve'));
		await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
		await open();
		for (const [name, place, act] of places) {
			await page.goto('about:blank');
			await open(place);
			await page.getByRole('navigation').waitFor();
			await expect(page.locator('.animate-breathe')).toHaveCount(0);
			await act?.(page);
			const { violations } = await new AxeBuilder({ page }).analyze();
			expect(violations.map((v) => `${name}: ${v.id} at ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
		}
		await page.keyboard.press('Control+k');
		await page.getByRole('combobox', { name: /Type a view/ }).waitFor();
		const { violations } = await new AxeBuilder({ page }).analyze();
		expect(violations.map((v) => v.id)).toEqual([]);
	});
}

test('every view fits from 320 to 2560 pixels', async ({ page, ibid, open }) => {
	await writePapers(ibid);
	await ibid.index();
	await ibid.write('a-rather-long-folder-name/with-a-file-whose-name-does-not-end-for-a-while-and-has-no-spaces-at-all.md', '# X\n\nY.\n');
	await open();
	for (const width of [320, 640, 800, 2560]) { // 640 is a window of 1280 at 200 %
		await page.setViewportSize({ width, height: 800 });
		for (const [name, place, act] of places) {
			await page.goto('about:blank');
			await open(place);
			await page.getByRole('navigation').waitFor();
			if (name !== 'plan with passages') await act?.(page);
			const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
			expect(over, `${name} at ${width}`).toBeLessThanOrEqual(0);
		}
	}
});

test('nothing jumps as a view fills', async ({ page, ibid, open }) => {
	await writePapers(ibid);
	await ibid.index();
	await ibid.write('handbook/parking.md', '# Parking\n\nBicycles stand in the yard.\n');
	await open();
	for (const place of ['#/plan', '#/sources', '#/activity', '#/settings']) {
		await page.goto('about:blank');
		await open(place);
		await page.getByRole('heading', { level: 1 }).waitFor();
		await expect(page.locator('.animate-breathe')).toHaveCount(0);
		const shift = await page.evaluate(
			() =>
				new Promise<number>((resolve) => {
					let sum = 0;
					new PerformanceObserver((list) => list.getEntries().forEach((e) => (sum += (e as unknown as { value: number }).value))).observe({ type: 'layout-shift', buffered: true });
					setTimeout(() => resolve(sum), 500);
				}),
		);
		expect(shift, place).toBeLessThan(0.05);
	}
});

test('documents are data: nothing in them runs, loads or becomes markup', async ({ page, ibid, open }) => {
	await ibid.write('evil.md', '# <b>Deposit</b> title\n\nThe deposit <img src=x onerror="document.title=\'ran\'"> is here.\n\n<script>document.title="ran"</script>\n\n![pixel](https://tracker.example/p.png) [deposit link](javascript:document.title="ran") [page](https://example.org/)\n');
	await ibid.write('<img src=x onerror=alert(1)>.md', '# A deposit in an odd file\n\nText of the deposit.\n');
	await ibid.index();
	page.on('dialog', (d) => {
		throw new Error(`a dialog: ${d.message()}`);
	});
	await open('#/search?q=deposit');
	const hits = page.getByRole('list', { name: 'Passages found' }).getByRole('listitem');
	await expect(hits).toHaveCount(2);
	await page.getByRole('button', { name: /evil\.md/ }).click();
	const text = page.getByRole('region', { name: 'Document text' });
	await expect(text).toContainText('Image: pixel');
	await expect(text.locator('img, script, b')).toHaveCount(0);
	await expect(text.getByRole('link')).toHaveText(['page']);
	await open('#/ask');
	await page.getByRole('textbox', { name: 'Your question' }).fill('What is the text of the deposit?');
	await page.keyboard.press('Enter');
	await page.getByRole('article').getByText(/Text of the deposit|sufficient/).first().waitFor();
	await expect(page.locator('main img')).toHaveCount(0);
	await expect(page).not.toHaveTitle('ran');
});

test('without the key the page says what to do', async ({ page, ibid }) => {
	await page.goto(`${ibid.address}#/sources`);
	await expect(page.getByRole('alert')).toContainText('Open the address that ibid serve printed');
});
