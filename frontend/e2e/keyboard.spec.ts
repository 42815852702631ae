import { expect, test, writePapers } from './fixture';

test('keyboard only', async ({ ibid, open }) => {
	await writePapers(ibid);
	const page = await open();
	const keys = page.keyboard;
	const tabTo = async (name: RegExp | string, role: 'button' | 'link' | 'combobox' | 'treegrid' | 'searchbox'): Promise<void> => {
		const wanted = page.getByRole(role, { name }).first();
		await expect(wanted).toBeVisible();
		for (let i = 0; i < 40; i++) {
			if (await wanted.evaluate((e) => e === document.activeElement)) return;
			await keys.press('Tab');
		}
		throw new Error(`no way to ${String(name)} by tab`);
	};

	await keys.press('Control+k');
	await keys.type('add a folder');
	await keys.press('Enter');
	await tabTo(/Folder, file or address/, 'combobox');
	await keys.type(ibid.folder);
	await keys.press('Enter');

	// In the plan: down to a document, leave it out, look at it, back, take it in again.
	await tabTo('Changes of the plan', 'treegrid');
	const rows = page.getByRole('row');
	await keys.press('ArrowDown');
	await keys.press('Space');
	await expect(page.getByRole('button', { name: 'Apply 3 changes' })).toBeVisible();
	await keys.press('Enter');
	await expect(page.getByRole('region', { name: 'Passages' })).toBeVisible();
	await keys.press('Escape');
	await expect(page.getByRole('treegrid')).toBeFocused();
	await keys.press('Space');
	await keys.press('ArrowLeft');
	await expect(rows).toHaveCount(6);
	await keys.press('ArrowRight');
	await expect(rows).toHaveCount(7);
	await page.keyboard.press('Shift+Tab');
	await tabTo(/^Apply 4/, 'button');
	await keys.press('Enter');
	await expect(page.getByText('Applied.')).toBeVisible({ timeout: 60_000 });

	// Search, walk, ask why, open, go on, back.
	await keys.press('Control+k');
	await keys.type('search');
	await keys.press('Enter');
	await expect(page.getByRole('searchbox')).toBeFocused();
	await keys.type('notice deposit');
	await expect(page.getByRole('list', { name: 'Passages found' })).toBeVisible();
	await keys.press('ArrowDown');
	await keys.press('?');
	await expect(page.getByText(/by meaning: rank \d/).first()).toBeVisible();
	await keys.press('Enter');
	const title = page.getByRole('complementary').getByRole('heading', { level: 2 });
	await expect(page.getByRole('region', { name: 'Document text' }).locator('[data-mark]').first()).toBeInViewport();
	await tabTo('Previous passage', 'button');
	await keys.press('p');
	await expect(title).toBeVisible();
	await keys.press('Escape');
	await expect(page.getByRole('searchbox')).toBeFocused();

	// Every focus can be seen.
	await keys.press('Tab');
	const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle);
	expect(outline).not.toBe('none');
});
