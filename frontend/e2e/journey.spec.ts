import { expect, papers, test, writePapers } from './fixture';

test('first folder to first answer', async ({ ibid, open }) => {
	await writePapers(ibid);
	const page = await open();
	await page.getByRole('link', { name: 'Sources' }).click();
	await expect(page.getByRole('heading', { name: 'Choose a folder' })).toBeVisible();
	await expect(page).not.toHaveURL(/token/);

	await page.getByRole('combobox', { name: /Folder, file or address/ }).fill(ibid.folder);
	await page.getByRole('button', { name: 'Add' }).click();
	await expect(page.getByRole('heading', { name: 'Plan for 1 source' })).toBeVisible();
	await expect(page.getByRole('row')).toHaveCount(7); // three folders and four papers
	await expect(page.getByText(/passages to embed/)).toBeVisible();

	await page.getByRole('button', { name: 'Apply 4 changes' }).click();
	await expect(page.getByText('Applied.')).toBeVisible({ timeout: 60_000 });
	await expect(page.getByText(/4 added/).first()).toBeVisible();

	await page.getByRole('link', { name: 'Search', exact: true }).click();
	await page.keyboard.type('deposit returned');
	const hits = page.getByRole('list', { name: 'Passages found' }).getByRole('listitem');
	await expect(hits.first()).toContainText('Lease of the Berlin office');
	await expect(hits.first().locator('mark').first()).toHaveText(/deposit/i);
	await page.keyboard.press('Enter');
	const viewer = page.getByRole('region', { name: 'Document text' });
	await expect(viewer.locator('[data-mark]').first()).toBeInViewport();
	await expect(viewer.locator('[data-mark]').filter({ hasText: 'within six months' })).toBeVisible();
	await page.keyboard.press('Escape');
	await expect(viewer).toBeHidden();

	await page.getByRole('link', { name: 'Ask' }).click();
	await page.getByRole('textbox', { name: 'Your question' }).fill('When does the landlord return the deposit?');
	await page.keyboard.press('Enter');
	const answer = page.getByRole('article');
	await expect(answer).toContainText('within six months');
	await answer.getByRole('button', { name: /^Citation 1/ }).hover();
	await expect(page.getByRole('tooltip')).toContainText('deposit');
	await answer.getByRole('button', { name: /^Citation 1/ }).click();
	await expect(viewer.locator('[data-mark]').filter({ hasText: 'within six months' })).toBeInViewport();

	// A reload loses nothing.
	await page.reload();
	await expect(page.getByRole('article')).toContainText('within six months');
});

test('a question that nothing answers is refused calmly', async ({ ibid, open }) => {
	await writePapers(ibid);
	await ibid.index();
	const page = await open('#/ask');
	await page.getByRole('textbox', { name: 'Your question' }).fill('Who won the world championship of chess in 1972?');
	await page.keyboard.press('Enter');
	const answer = page.getByRole('article');
	await expect(answer).toContainText('I do not have sufficient documentation to answer this question accurately.');
	await expect(answer.getByRole('button', { name: 'Search for it' })).toBeVisible();
	await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a search that finds nothing says what may be the reason', async ({ ibid, open }) => {
	await writePapers(ibid);
	await ibid.index();
	await ibid.write('notes/zeppelin.md', '# Zeppelins\n\nThe zeppelin leaves at noon.\n');
	const page = await open('#/plan');
	await page.getByRole('button', { name: 'Apply 1 change' }).waitFor();
	await page.getByRole('link', { name: 'Search', exact: true }).click();
	await page.getByRole('combobox', { name: 'Ranking' }).selectOption('Words');
	await page.keyboard.press('/');
	await page.keyboard.type('zeppelin');
	await expect(page.getByText('Nothing found.')).toBeVisible();
	await expect(page.getByText(/changed document waits for your consent|1 change that is not applied/)).toBeVisible();
});

test('edit a file, plan, apply, see the change', async ({ ibid, open }) => {
	await writePapers(ibid);
	await ibid.index();
	const page = await open('#/plan');
	await expect(page.getByText('Nothing to do.')).toBeVisible();

	await ibid.write('handbook/onboarding.md', (papers['handbook/onboarding.md'] ?? '').replace('ten working days', 'fifteen working days'));
	await ibid.write('handbook/parking.md', '# Parking\n\nBicycles stand in the yard.\n');
	await ibid.remove('notes/backup.txt');
	await page.getByRole('button', { name: 'Plan again' }).click();
	await expect(page.getByRole('row', { name: /onboarding\.md/ })).toContainText('text changed');
	await expect(page.getByRole('row', { name: /parking\.md/ })).toContainText('new file');
	await expect(page.getByRole('row', { name: /backup\.txt/ })).toContainText('file is gone');

	await page.getByRole('button', { name: /onboarding\.md/ }).click();
	const passages = page.getByRole('region', { name: 'Passages' });
	await expect(passages.getByText('Before', { exact: true })).toBeVisible();
	await expect(passages).toContainText('fifteen');
	await page.keyboard.press('Escape');

	// Left out by its box; what remains is applied.
	await page.getByRole('checkbox', { name: /parking\.md/ }).uncheck();
	await page.getByRole('button', { name: 'Apply 2 changes' }).click();
	await expect(page.getByText('Applied.')).toBeVisible({ timeout: 60_000 });

	await page.getByRole('link', { name: 'Search', exact: true }).click();
	await page.keyboard.type('laptop ordered working days');
	await expect(page.getByRole('list', { name: 'Passages found' }).getByRole('listitem').first()).toContainText('fifteen');
	await page.getByRole('link', { name: 'Plan' }).click();
	await page.getByRole('button', { name: 'Plan again' }).click();
	await expect(page.getByRole('checkbox', { name: /parking\.md/ })).not.toBeChecked();
	await expect(page.getByRole('row')).toHaveCount(2);
});

test('reload during an apply', async ({ ibid, open }) => {
	for (let i = 0; i < 120; i++) {
		await ibid.write(`box-${i % 4}/record-${i}.md`, `# Record ${i}\n\n${`Entry ${i} was filed by clerk ${i * 7} in the year ${1800 + i}, and nobody has read it since. `.repeat(12)}\n`);
	}
	await ibid.call('AddSource', { path: ibid.folder });
	const page = await open('#/plan');
	await page.getByRole('button', { name: 'Apply 120 changes' }).click();
	const cancel = page.getByRole('button', { name: 'Cancel' });
	await expect(cancel).toBeVisible();
	await page.reload();
	// The run is taken up again: its progress, and the documents that are done.
	await expect(cancel).toBeVisible();
	await expect(page.getByRole('progressbar').first()).toBeVisible();
	await expect(page.getByText(/record-\d+\.md/).first()).toBeVisible();
	await cancel.click();
	await expect(page.getByText(/^Stopped\./)).toBeVisible({ timeout: 15_000 });
	const { runs } = (await ibid.call('Runs', {})) as { runs: { kind: string }[] };
	expect(runs.filter((r) => r.kind === 'apply')).toHaveLength(1);
	await page.getByRole('link', { name: 'Activity' }).click();
	await expect(page.getByRole('row', { name: /Apply/ })).toContainText('stopped');
});
