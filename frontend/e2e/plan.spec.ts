import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, papers, test, writePapers } from './fixture';
import type { Ibid } from './fixture';

async function writeMany(ibid: Ibid, n: number): Promise<void> {
	for (let i = 0; i < n; i++) await ibid.write(`box-${i % 4}/record-${i}.md`, `# Record ${i}\n\n${`Entry ${i} was filed by clerk ${i * 7} in the year ${1800 + i}, and nobody has read it since. `.repeat(12)}\n`);
}

test('an apply stands still, goes on, and loses nothing to a reload', async ({ ibid, open }) => {
	await writeMany(ibid, 160);
	await ibid.call('AddSource', { path: ibid.folder });
	const page = await open('#/plan');
	await page.getByRole('button', { name: 'Apply 160 changes' }).waitFor();
	await page.getByRole('checkbox', { name: /record-0\.md/ }).uncheck();
	await expect(page.getByText('1 document left out')).toBeVisible();
	// What is left out is written down soon after, and is there again.
	await page.waitForTimeout(600);
	await page.reload();
	await expect(page.getByRole('checkbox', { name: /record-0\.md/ })).not.toBeChecked();
	await page.getByRole('button', { name: 'Apply 159 changes' }).click();

	const main = page.getByRole('main');
	await main.getByRole('button', { name: 'Pause' }).click();
	await expect(main.getByText(/· paused/)).toBeVisible({ timeout: 3000 });
	const { runs } = (await ibid.call('Runs', {})) as { runs: { id: string; kind: string; plan: string; progress: { chunks: number } }[] };
	const run = runs.find((r) => r.kind === 'apply');
	const far = async (): Promise<unknown> => ((await ibid.call('GetRun', { id: run?.id }))['progress'] as { chunks: number }).chunks;
	// What was under way when the pause came may still end.
	let before: unknown;
	await expect(async () => {
		before = await far();
		await page.waitForTimeout(1500);
		expect(await far()).toBe(before);
	}).toPass({ timeout: 30_000 });
	await page.reload();
	// The plan, what is left out, and what is done are as they were.
	await expect(page.getByRole('heading', { name: /^Applying/ })).toBeVisible();
	await expect(page.getByRole('row', { name: /record-0\.md/ })).toContainText('left out');
	await expect(main.getByText(/· paused/)).toBeVisible();
	await page.waitForTimeout(1000);
	expect(await far()).toBe(before);

	await main.getByRole('button', { name: 'Resume' }).click();
	await expect(page.getByText('Applied.')).toBeVisible({ timeout: 90_000 });
	const outcomes = await ibid.call('Outcomes', { run: run?.id });
	expect(outcomes['total']).toBe(159);
	await expect(page.getByRole('row', { name: /box-0\// })).toContainText('39 of 40');

	// Also when it has ended.
	await page.reload();
	await expect(page.getByText('Applied.')).toBeVisible();
	await expect(page.getByRole('row', { name: /box-0\// })).toContainText('39 of 40');
});

test('what changed since the plan is skipped and named', async ({ ibid, open }) => {
	await writePapers(ibid);
	await ibid.index();
	await ibid.write('notes/backup.txt', 'Backups are made every hour and kept for a year.\n');
	await ibid.write('notes/new.md', '# New\n\nText.\n');
	const page = await open('#/plan');
	await page.getByRole('button', { name: 'Apply 2 changes' }).waitFor();
	await ibid.write('notes/backup.txt', 'Backups are made every minute and kept for a decade.\n');
	await page.getByRole('button', { name: 'Apply 2 changes' }).click();
	await expect(page.getByText('Applied, but not everything.')).toBeVisible({ timeout: 60_000 });
	await expect(page.getByRole('list', { name: /^1 document skipped/ })).toContainText('notes/backup.txt');
	await page.getByRole('main').getByRole('button', { name: 'Plan again' }).first().click();
	await expect(page.getByRole('button', { name: 'Apply 1 change' })).toBeVisible();
});

test('a mass removal waits for its number', async ({ ibid, open }) => {
	await writeMany(ibid, 40);
	await ibid.index();
	for (let i = 0; i < 30; i++) await ibid.remove(`box-${i % 4}/record-${i}.md`);
	const page = await open('#/plan');
	await expect(page.getByText('This removes 30 of 40 documents of papers.')).toBeVisible();
	const apply = page.getByRole('button', { name: 'Apply 30 changes' });
	await expect(apply).toBeDisabled();
	await page.getByRole('textbox', { name: 'Type 30 to allow it' }).fill('29');
	await expect(apply).toBeDisabled();
	await page.getByRole('button', { name: 'Keep them' }).click();
	await expect(page.getByRole('button', { name: 'Apply 0 changes' })).toBeDisabled();
	await page.getByRole('button', { name: 'Take all in' }).click();
	await page.getByRole('textbox', { name: 'Type 30 to allow it' }).fill('30');
	await expect(page.getByText('Allowed')).toBeVisible();
	await apply.click();
	await expect(page.getByText('Applied.')).toBeVisible({ timeout: 60_000 });
});

test('whole groups are left out, and files that nothing reads stand apart', async ({ ibid, open }) => {
	await writePapers(ibid);
	await writeFile(join(ibid.folder, 'handbook/party.jpg'), Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'));
	await ibid.call('AddSource', { path: ibid.folder });
	const page = await open('#/plan');
	await page.getByRole('button', { name: 'Apply 4 changes' }).waitFor();
	await expect(page.getByRole('row', { name: /party\.jpg/ })).toHaveCount(0);
	await page.getByRole('checkbox', { name: 'Apply to all of papers/handbook/' }).uncheck();
	await expect(page.getByRole('button', { name: 'Apply 2 changes' })).toBeVisible();
	await page.getByRole('checkbox', { name: /onboarding\.md/ }).check();
	await expect(page.getByRole('checkbox', { name: 'Apply to all of papers/handbook/' })).toHaveJSProperty('indeterminate', true);
	await expect(page.getByRole('button', { name: 'Apply 3 changes' })).toBeVisible();

	// The passages of a change: those that stay are folded.
	await page.getByRole('button', { name: 'Apply 3 changes' }).click();
	await expect(page.getByText('Applied.')).toBeVisible({ timeout: 60_000 });
	await ibid.write('handbook/onboarding.md', (papers['handbook/onboarding.md'] ?? '').replace('ten working days', 'fifteen working days'));
	await page.getByRole('main').getByRole('button', { name: 'Plan again' }).click();
	await page.getByRole('button', { name: /onboarding\.md/ }).click();
	await expect(page.getByRole('region', { name: 'Passages' })).toContainText(/fifteen/);
});

test('a plan that only names what nothing reads offers nothing to apply', async ({ ibid, open }) => {
	await writePapers(ibid);
	await ibid.index();
	await writeFile(join(ibid.folder, 'handbook/party.jpg'), Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'));
	const page = await open('#/plan');
	await expect(page.getByText('Nothing to do. The library is in step with your files.')).toBeVisible();
	await expect(page.getByRole('button', { name: /not supported/ })).toBeVisible();
	await expect(page.getByRole('button', { name: /^Apply/ })).toHaveCount(0);
});
