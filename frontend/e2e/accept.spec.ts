import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from './fixture';
import { scrollThrough, work } from './longtasks';
import type { Work } from './longtasks';

// The plan of a large folder, through the real program. IBID_DOCUMENTS says how
// many documents; the few of an ordinary run show that the measure works.
const documents = Number(process.env['IBID_DOCUMENTS'] ?? 2000);

test.use({ trace: 'off' }); // it would be measured, too

test(`a plan of ${documents} documents`, async ({ browser, ibid, open }) => {
	test.setTimeout(180_000 + documents * 15);
	for (let i = 0; i < documents; i++) {
		const folder = `${ibid.folder}/${2000 + Math.floor(i / 2500)}/box-${Math.floor(i / 125)}`;
		if (i % 125 === 0) mkdirSync(folder, { recursive: true });
		writeFileSync(`${folder}/record-${String(i).padStart(5, '0')}.md`, `# Record ${i}\n\nNumber ${i}.\n`);
	}
	await ibid.call('AddSource', { path: ibid.folder });
	const page = await open('#/activity');
	await page.getByRole('navigation').waitFor();
	const report: Record<string, Work> = {};
	const measure = async (what: string, act: () => Promise<unknown>): Promise<void> => void (report[what] = await work(browser, page, act));

	// From the arrival of the plan to its list.
	await page.evaluate(() => {
		const times = { data: 0, list: 0, all: 0 };
		Object.assign(window, { times });
		const send = window.fetch.bind(window);
		window.fetch = async (...args) => {
			const answer = await send(...args);
			if (String(args[0]).endsWith('/Plan')) times.data = performance.now();
			return answer;
		};
		const watcher = new MutationObserver(() => {
			if (!times.list && document.querySelector('[role=treegrid] [role=row]')) times.list = performance.now();
			const apply = [...document.querySelectorAll('button')].find((b) => b.textContent?.startsWith('Apply '));
			if (!times.list || !apply || apply.disabled) return;
			times.all = performance.now();
			watcher.disconnect();
		});
		watcher.observe(document.body, { subtree: true, childList: true, attributes: true });
	});
	const apply = page.getByRole('button', { name: `Apply ${documents.toLocaleString('en')} changes` });
	await measure('listing', async () => {
		await page.getByRole('link', { name: 'Plan' }).click();
		await expect(apply).toBeEnabled({ timeout: 600_000 });
	});
	const times = await page.evaluate(() => (window as unknown as { times: { data: number; list: number; all: number } }).times);

	await measure('scrolling', () => scrollThrough(page, '[role=treegrid]', documents >= 50_000 ? 400 : 60));
	await measure('grouping', () => page.getByRole('radio', { name: 'Reason' }).click());
	await measure('unticking all', async () => {
		await page.getByRole('checkbox', { name: /^Apply to all/ }).first().click();
		await expect(page.getByRole('button', { name: 'Apply 0 changes' })).toBeVisible();
		await page.waitForTimeout(400); // it is written down
	});
	await measure('ticking all', async () => {
		await page.getByRole('button', { name: 'Take all in' }).click();
		await expect(apply).toBeVisible();
	});
	await measure('filtering', async () => {
		await page.getByRole('searchbox', { name: 'Filter by path' }).pressSequentially('record-0199', { delay: 30 });
		await expect(page.getByRole('row')).toHaveCount(11);
	});
	const heap = await page.evaluate(() => Math.round((performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 1e6));
	const listed = Math.round(times.list - times.data);
	console.log(JSON.stringify({ documents, 'listed after data, ms': listed, 'whole after data, ms': Math.round(times.all - times.data), 'heap, MB': heap, ...report }, null, 1));

	expect(listed, 'listed after data').toBeLessThan(1000);
	// By processor time: the clock also counts what other programs do.
	for (const [what, { longestCpu }] of Object.entries(report)) {
		expect(longestCpu, what).toBeGreaterThan(0);
		expect(longestCpu, what).toBeLessThanOrEqual(50);
	}
});
