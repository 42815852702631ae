import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import { docx, pdf, pptx, xlsx } from './files';
import { expect, test } from './fixture';

const filler = (what: string, n: number): string[] => Array.from({ length: n }, (_, i) => `The ${what} of number ${i + 1} says nothing that anybody asked for.`);

interface Journey {
	file: string;
	content: string | Uint8Array;
	query: string;
	label: string;
	/** What the marked passage says; of pages, where it is. */
	marked: string | RegExp;
	check?: (page: Page, text: Locator) => Promise<void>;
}

const csv = `region,month,euros\n${Array.from({ length: 600 }, (_, i) => `Region ${i + 1},May,${1000 + i}`).join('\n').replace('Region 481', 'Zanzibar')}\n`;

const journeys: Journey[] = [
	{
		file: 'lease.pdf',
		content: pdf([...Array.from({ length: 11 }, (_, i) => filler(`clause ${i + 1}`, 30)), ['4.2 Deposits', '', 'The zebrawood deposit is returned within six months.', ...filler('annex', 8)], filler('end', 30)]),
		query: 'zebrawood deposit returned',
		label: 'p. 12',
		marked: '',
		async check(page, text) {
			await expect(page.getByRole('spinbutton', { name: 'Page' })).toHaveValue('12');
			const paper = text.getByRole('region', { name: 'Page 12 of 13' });
			await expect(paper).toContainText('zebrawood');
			await expect.poll(() => paper.locator('img').evaluate((i: HTMLImageElement) => i.complete && i.naturalWidth)).toBeGreaterThan(300);
			// The box is where the words were written: 720 points up, 72 from the left.
			const box = await text.locator('[data-mark]').first().boundingBox();
			const sheet = await paper.boundingBox();
			if (!box || !sheet) throw new Error('no box');
			const scale = sheet.width / 612;
			expect(Math.abs(box.x + 5 - sheet.x - 72 * scale)).toBeLessThan(6);
			expect((box.y - sheet.y) / scale).toBeGreaterThan(40);
			expect((box.y - sheet.y) / scale).toBeLessThan(100);
			// Only pages near the view have pictures.
			expect(await text.locator('img').count()).toBeLessThan(6);
			await page.getByRole('button', { name: 'Next page' }).click();
			await expect(page.getByRole('spinbutton', { name: 'Page' })).toHaveValue('13');
			await page.getByRole('spinbutton', { name: 'Page' }).fill('2');
			await page.keyboard.press('Enter');
			await expect(text.getByRole('region', { name: 'Page 2 of 13' }).locator('img')).toBeVisible();
			await page.getByRole('button', { name: 'Larger' }).click();
			await expect(page.getByText('125 %')).toBeVisible();
			await page.getByRole('radio', { name: 'Text' }).click();
			await expect(text.locator('[data-mark]').filter({ hasText: 'zebrawood' })).toBeInViewport();
		},
	},
	{
		file: 'costs.xlsx',
		content: xlsx('Costs', [['Item', 'Month', 'Euros'], ...Array.from({ length: 300 }, (_, i) => [i === 217 ? 'Quicksilver pump' : `Part ${i + 1}`, 'May', 100 + i])]),
		query: 'Quicksilver pump',
		label: 'Costs, rows',
		marked: /Quicksilver pump/,
		async check(_, text) {
			const row = text.getByRole('row', { name: /Quicksilver pump/ });
			await expect(row).toHaveAttribute('data-mark', 'true');
			await expect(row.getByRole('rowheader')).toHaveText('219');
			// The header stays in sight however far down the row is.
			await expect(text.getByRole('columnheader', { name: 'Euros' }).first()).toBeInViewport();
		},
	},
	{
		file: 'regions.csv',
		content: csv,
		query: 'Zanzibar',
		label: 'rows',
		marked: /Zanzibar/,
		check: async (_, text) => expect(text.getByRole('row', { name: /Zanzibar/ }).getByRole('rowheader')).toHaveText('482'),
	},
	{
		file: 'kickoff.pptx',
		content: pptx([...Array.from({ length: 8 }, (_, i) => ({ title: `Part ${i + 1}`, lines: filler(`point ${i + 1}`, 6) })), { title: 'Deadlines', lines: ['The xylophone ships in October.'], notes: 'Say that October is certain.' }]),
		query: 'xylophone ships October',
		label: 'slide 9 · Deadlines',
		marked: /xylophone/,
		async check(page, text) {
			const slide = text.getByRole('region', { name: 'Slide 9 of 9' });
			await expect(slide.getByRole('complementary', { name: 'Speaker notes' })).toContainText('October is certain');
			await page.getByRole('button', { name: 'Previous section' }).click();
			await expect(text.getByRole('region', { name: 'Slide 8 of 9' })).toBeInViewport();
		},
	},
	{
		file: 'policy.docx',
		content: docx(['# Travel', ...filler('journey', 40), '# Receipts', 'Receipts for the yurt are handed in within thirty days.', ...filler('receipt', 40)]),
		query: 'receipts for the yurt',
		label: '§ Receipts',
		marked: /yurt/,
		check: async (page, text) => {
			await expect(text.getByRole('heading', { name: 'Receipts' })).toBeInViewport();
			await page.getByRole('combobox', { name: 'Go to' }).selectOption({ label: 'Travel' });
			await expect(text.getByRole('heading', { name: 'Travel' })).toBeInViewport();
		},
	},
	{
		file: 'offer.eml',
		content: 'From: Ada <ada@example.org>\r\nTo: Bo <bo@example.org>\r\nSubject: The wolfram offer\r\nDate: Mon, 3 Mar 2025 10:00:00 +0000\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe wolfram costs forty euros a kilogram.\r\n',
		query: 'wolfram costs kilogram',
		label: '§ The wolfram offer',
		marked: /forty euros/,
		check: async (_, text) => expect(text.locator('dl').first()).toContainText('Ada <ada@example.org>'),
	},
	{
		file: 'guide.html',
		content: `<!doctype html><html><head><title>Guide</title><script>document.title='ran'</script></head><body><article><h1>Guide</h1>${filler('step', 40).map((p) => `<p>${p}</p>`).join('')}<h2>Valves</h2><p>The vermilion valve is closed by hand.</p><img src="https://tracker.example/p.png"></article></body></html>`,
		query: 'vermilion valve closed',
		label: 'Valves',
		marked: /vermilion/,
		check: async (page, text) => {
			await expect(text.locator('img, script')).toHaveCount(0);
			await expect(page).not.toHaveTitle('ran');
		},
	},
	{
		file: 'handbook.md',
		content: `# Handbook\n\n${filler('rule', 60).join('\n\n')}\n\n## Umbrellas\n\nThe umbrella stand is emptied on Fridays.\n`,
		query: 'umbrella stand emptied',
		label: 'Umbrellas',
		marked: /umbrella stand/,
	},
	{
		file: 'pump.go',
		content: `package pump\n\n${filler('line', 120).map((l) => `// ${l}`).join('\n')}\n\n// tungstenLimit is the highest pressure of the pump in bar.\nconst tungstenLimit = 12\n`,
		query: 'tungstenLimit highest pressure',
		label: 'line',
		marked: /tungstenLimit = 12/,
		check: async (_, text) => expect(text.locator('[data-mark]').filter({ hasText: 'tungstenLimit = 12' })).toContainText('125'),
	},
	{
		file: 'notes.txt',
		content: `${filler('note', 60).join('\n\n')}\n\nThe sarsaparilla is kept in the cellar.\n`,
		query: 'sarsaparilla cellar',
		label: 'line',
		marked: /sarsaparilla/,
	},
];

/** Searches and opens the first hit. */
async function openHit(page: Page, j: Journey): Promise<Locator> {
	await page.getByRole('list', { name: 'Passages found' }).getByRole('button', { name: new RegExp(j.file.replace('.', '\\.')) }).first().click();
	return page.getByRole('region', { name: 'Document text' });
}

test('a hit of every format opens at its passage', async ({ page, ibid, open }) => {
	for (const j of journeys) await ibid.write(j.file, j.content);
	await ibid.index();
	await open();
	await page.emulateMedia({ reducedMotion: 'reduce' });
	for (const j of journeys) {
		await test.step(j.file, async () => {
			await page.goto('about:blank');
			await open(`#/search?q=${encodeURIComponent(j.query)}`);
			const text = await openHit(page, j);
			await expect(text.locator('[data-mark]').first()).toBeInViewport();
			// A passage may be longer than the view: it begins in sight.
			if (j.marked) await expect(text.locator('[data-mark]').filter({ hasText: j.marked }).first()).toBeVisible();
			await expect(page.getByRole('complementary').first()).toContainText(j.label);
			const { violations } = await new AxeBuilder({ page }).analyze();
			expect(violations.map((v) => `${v.id} at ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
			expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
			await j.check?.(page, text);
		});
	}
});

test('a file that changed or went shows what was read of it', async ({ page, ibid, open }) => {
	const [lease] = journeys;
	if (!lease) throw new Error('no journey');
	await ibid.write(lease.file, lease.content);
	await ibid.index();
	await open(`#/search?q=${encodeURIComponent(lease.query)}`);
	await ibid.write(lease.file, pdf([['Something else.']]));
	const text = await openHit(page, lease);
	await expect(page.getByText('This file changed since it was read: the passage may have moved.')).toBeVisible();
	await expect(text.locator('[data-mark]').filter({ hasText: 'zebrawood' })).toBeInViewport();
	await ibid.remove(lease.file);
	await page.keyboard.press('Escape');
	await openHit(page, lease);
	await expect(page.getByText('This file is no longer in its folder.')).toBeVisible();
	await expect(text.locator('[data-mark]').filter({ hasText: 'zebrawood' })).toBeInViewport();
	await expect(page.getByRole('link', { name: 'Save a copy' })).toHaveCount(0);
});

test('how a document was read is said in the viewer and in the source', async ({ page, ibid, open }) => {
	await ibid.write('brief.txt', Buffer.from('Die Größe der Türen für Chinin wird jährlich überprüft, auch für Gäste.\n', 'latin1'));
	await ibid.index();
	await open('#/search?q=Chinin');
	await page.getByRole('list', { name: 'Passages found' }).getByRole('button').first().click();
	await expect(page.getByRole('list', { name: 'How it was read' })).toContainText(/taken for/);
	const { sources } = (await ibid.call('Sources', {})) as { sources: { id: string }[] };
	await page.goto('about:blank');
	await open(`#/sources?source=${sources[0]?.id ?? ''}`);
	await expect(page.getByRole('list', { name: 'Documents with remarks' })).toContainText(/brief\.txt.*taken for/s);
});
