import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test, writePapers } from './fixture';

test('a source says how it is, as it happens', async ({ ibid, open }) => {
	await writePapers(ibid);
	await ibid.index();
	const page = await open('#/sources');
	const row = page.getByRole('row', { name: /papers/ });
	await expect(row).toContainText('In step');
	await expect(row).toContainText('watching');
	await expect(row.getByRole('cell', { name: '4', exact: true })).toBeVisible();

	// Changes wait, and wait no more, without a reload.
	await ibid.write('handbook/parking.md', '# Parking\n\nBicycles stand in the yard.\n');
	await expect(row).toContainText('1 change waiting');
	await ibid.remove('handbook/parking.md');
	await expect(row).toContainText('In step');

	// A folder that goes away removes nothing.
	const away = `${ibid.folder}-away`;
	await rename(ibid.folder, away);
	await expect(row).toContainText('Not reachable', { timeout: 60_000 });
	await row.click();
	const details = page.getByRole('region', { name: 'Details of papers' });
	await expect(details.getByRole('status')).toContainText('Its 4 documents stay in the library; nothing is removed.');
	await expect(page.getByTitle('A source needs attention')).toBeVisible();

	// It has moved: its documents keep what they have.
	await details.getByRole('button', { name: 'The folder has moved…' }).click();
	const place = details.getByRole('combobox', { name: 'Where it is now' });
	await place.fill(away.slice(0, -2));
	await details.getByRole('option', { name: away }).click();
	await expect(place).toHaveValue(`${away}/`);
	await details.getByRole('button', { name: 'Use this place' }).click();
	await expect(row).toContainText('In step', { timeout: 30_000 });
	await page.getByRole('status').filter({ hasText: `papers is at ${away}` }).getByRole('button', { name: 'Show plan' }).click();
	await expect(page.getByText('Nothing to do.')).toBeVisible();
});

test('another folder at the place of a source is taken only when asked', async ({ ibid, open }) => {
	await writePapers(ibid);
	await ibid.index();
	const away = `${ibid.folder}-away`;
	await rename(ibid.folder, away);
	await mkdir(ibid.folder);
	await writeFile(join(ibid.folder, 'other.md'), '# Other\n\nText.\n');
	const page = await open('#/plan');
	await page.getByRole('button', { name: 'Plan again' }).or(page.getByRole('button', { name: 'Show source' })).first().waitFor();
	await expect(page.getByText(/papers is not reachable: another folder or volume/)).toBeVisible({ timeout: 30_000 });
	await page.getByRole('button', { name: 'Show source' }).click();
	const details = page.getByRole('region', { name: 'Details of papers' });
	await details.getByRole('button', { name: 'Take this folder' }).click();
	await page.getByRole('status').filter({ hasText: 'takes the folder as it is now' }).getByRole('button', { name: 'Show plan' }).click();
	await expect(page.getByRole('row', { name: /other\.md/ })).toContainText('new file');
	await expect(page.getByRole('row', { name: /lease\.md/ })).toContainText('file is gone');
	await rm(away, { recursive: true });
});

test('rules, policy, pause and removal of a source', async ({ ibid, open }) => {
	await writePapers(ibid);
	await ibid.index();
	const page = await open('#/sources');
	const row = page.getByRole('row', { name: /papers/ });
	await expect(row).toContainText('In step');
	await row.click();
	const details = page.getByRole('region', { name: 'Details of papers' });

	// Applied by themselves from now on.
	await details.getByRole('radio', { name: 'Apply', exact: true }).click();
	await expect(details).toContainText('Changes are applied by themselves.');
	await ibid.write('notes/yard.md', '# Yard\n\nBicycles stand in the yard.\n');
	await expect(row.getByRole('cell', { name: '5', exact: true })).toBeVisible({ timeout: 30_000 });
	await page.getByRole('link', { name: 'Activity' }).click();
	await expect(page.getByRole('row', { name: /Files changed/ })).toContainText('1 added');
	await page.goBack();

	// Limits are the library's.
	await details.getByRole('radio', { name: 'Apply within limits' }).click();
	const limit = details.getByRole('textbox', { name: /Remove at most/ });
	await expect(limit).toHaveValue('10');
	await limit.fill('2,5');
	await details.getByRole('button', { name: 'Save limits' }).click();
	await expect(limit).toHaveValue('2.5');
	await limit.fill('0');
	await details.getByRole('button', { name: 'Save limits' }).click();
	await expect.poll(async () => (await ibid.call('GetConfig', { key: 'limits.removed' }))['settings']).toMatchObject([{ value: '0' }]);
	await details.getByRole('radio', { name: 'Ask' }).click();

	// Rules change the next plan, and nothing before.
	await details.getByRole('textbox', { name: /^Without/ }).fill('notes/**');
	await details.getByRole('button', { name: 'Save patterns' }).click();
	await page.getByRole('status').filter({ hasText: 'The patterns of papers have changed' }).getByRole('button', { name: 'Show plan' }).click();
	await expect(page.getByRole('row', { name: /backup\.txt/ })).toContainText('now excluded');
	await page.getByRole('link', { name: 'Sources' }).click();
	await expect(row.getByRole('cell', { name: '5', exact: true })).toBeVisible();

	await row.click();
	await details.getByRole('button', { name: 'Pause source' }).click();
	await expect(row).toContainText('Paused');
	await details.getByRole('button', { name: 'Resume source' }).click();
	await expect(row).not.toContainText('Paused');

	await details.getByRole('button', { name: 'Remove…' }).click();
	await expect(details).toContainText(/Removes 5 documents and \d+ passages from the library/);
	await page.keyboard.press('Escape');
	await expect(details.getByRole('button', { name: 'Remove…' })).toBeVisible();
	await details.getByRole('button', { name: 'Remove…' }).click();
	await details.getByRole('button', { name: 'Remove papers' }).click();
	await expect(page.getByText('Removed papers and 5 documents from the library.')).toBeVisible();
	await expect(page.getByRole('heading', { name: 'Choose a folder' })).toBeVisible();
});

test('what cannot be read is named with its reason, and tried again', async ({ ibid, open }) => {
	await writePapers(ibid);
	await ibid.write('notes/broken.eml', '\nThis was never sent.\n');
	await ibid.index();
	const page = await open('#/sources');
	const row = page.getByRole('row', { name: /papers/ });
	await expect(row).toContainText('1 unreadable');
	await row.click();
	const problems = page.getByRole('list', { name: '1 document cannot be read' });
	await expect(problems).toContainText('notes/broken.eml');
	await ibid.write('notes/broken.eml', 'From: a@example.org\nSubject: Mended\n\nText.\n');
	await page.getByRole('button', { name: 'Try again' }).click();
	await page.getByRole('button', { name: 'Apply 1 change' }).click();
	await expect(page.getByText('Applied.')).toBeVisible({ timeout: 60_000 });
	await page.getByRole('link', { name: 'Sources' }).click();
	await expect(row).not.toContainText('unreadable');
});

test('a path is completed by keys alone', async ({ ibid, open }) => {
	await writePapers(ibid);
	await mkdir(join(dirname(ibid.folder), 'papers-of-2019', 'spring'), { recursive: true });
	const page = await open('#/sources');
	const field = page.getByRole('combobox', { name: /Folder, file or address/ });
	await field.focus();
	await page.keyboard.type(`${ibid.folder}-`);
	await expect(page.getByRole('option', { name: 'papers-of-2019' })).toBeVisible();
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('Tab');
	await expect(field).toHaveValue(`${ibid.folder}-of-2019/`);
	await expect(page.getByRole('option', { name: 'spring' })).toBeVisible();
	await page.keyboard.press('Escape');
	await expect(page.getByRole('option')).toHaveCount(0);
	await field.fill(ibid.folder);
	await page.keyboard.press('Enter');
	await expect(page.getByRole('heading', { name: 'Plan for 1 source' })).toBeVisible();
});
