import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test as base, expect } from '@playwright/test';
import type { Page } from '@playwright/test';

const token = 'a-token-for-tests';
const binary = process.env['IBID_BIN'] ?? join(import.meta.dirname, '../../bin/ibid');

/** The real program with a library and a folder of its own. */
export interface Ibid {
	address: string;
	folder: string;
	/** Writes a document into the folder. */
	write(path: string, content: string | Uint8Array): Promise<void>;
	remove(path: string): Promise<void>;
	/** Calls a use case as another client would. */
	call(method: string, request: unknown): Promise<Record<string, unknown>>;
	/** Adds the folder and applies its plan, without the page. */
	index(): Promise<void>;
}

async function start(root: string): Promise<{ child: ChildProcess; address: string }> {
	const child = spawn(binary, ['--library', join(root, 'library'), '--json', 'serve', '--addr', '127.0.0.1:0'], {
		env: { ...process.env, IBID_TOKEN: token, IBID_DATABASE_URL: '' },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	for await (const line of createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })) {
		const message = JSON.parse(line) as { message_type: string; address: string };
		if (message.message_type === 'listening') return { child, address: message.address };
	}
	throw new Error(`${binary} ended before it listened`);
}

export const test = base.extend<{ ibid: Ibid; complaints: string[]; open: (place?: string) => Promise<Page> }>({
	ibid: async ({}, use) => {
		const root = await mkdtemp(join(tmpdir(), 'ibid-e2e-'));
		const folder = join(root, 'papers');
		await mkdir(folder);
		const { child, address } = await start(root);
		const call: Ibid['call'] = async (method, request) => {
			const answer = await fetch(`${address}api/v1/${method}`, {
				method: 'POST',
				headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
				body: JSON.stringify(request),
			});
			const body = (await answer.json()) as Record<string, unknown>;
			if (!answer.ok) throw new Error(`${method}: ${JSON.stringify(body)}`);
			return body;
		};
		await use({
			address,
			folder,
			call,
			async write(path, content) {
				await mkdir(dirname(join(folder, path)), { recursive: true });
				await writeFile(join(folder, path), content);
			},
			remove: (path) => rm(join(folder, path)),
			async index() {
				await call('AddSource', { path: folder });
				const { id } = await call('Plan', {});
				await call('Apply', { run_id: 'index', plan: id });
				await expect.poll(async () => (await call('GetRun', { id: 'index' }))['state'], { timeout: 60_000 }).not.toBe('running');
			},
		});
		child.kill('SIGTERM');
		await once(child, 'exit');
		await rm(root, { recursive: true, force: true });
	},

	// What the page logs as an error, throws, or asks of another host: there must be none.
	complaints: async ({ page, ibid }, use) => {
		const complaints: string[] = [];
		page.on('console', (m) => m.type() === 'error' && complaints.push(m.text()));
		page.on('pageerror', (e) => complaints.push(String(e)));
		page.on('request', (r) => !r.url().startsWith(ibid.address) && !r.url().startsWith('data:') && complaints.push(`asked for ${r.url()}`));
		await use(complaints);
		expect(complaints).toEqual([]);
	},

	open: async ({ page, ibid, complaints }, use) => {
		void complaints;
		let first = true;
		await use(async (place = '') => {
			await page.goto(`${ibid.address}${first ? `?token=${token}` : ''}${place}`);
			first = false;
			return page;
		});
	},
});

export { expect };

/** The papers of a small firm. */
export const papers: Readonly<Record<string, string>> = {
	'handbook/onboarding.md': '# Onboarding\n\nEveryone who joins gets the same first week.\n\n## Laptop\n\nThe laptop is ordered ten working days before the start date. Whoever hires writes the ticket.\n\n## Probation\n\nThe probation talk takes place after ninety days. The notice period during probation is two weeks.\n',
	'handbook/travel.md': '# Travel\n\nJourneys of less than six hours go by train.\n\n## Receipts\n\nReceipts are handed in within thirty days after the trip. A photograph of a receipt is enough.\n',
	'contracts/lease.md': '# Lease of the Berlin office\n\n## § 4 Deposit\n\nThe tenant pays a deposit of three months rent. The landlord returns the deposit within six months after the lease has ended.\n\n## § 9 Notice\n\nNotice must be given in writing and signed by hand.\n',
	'notes/backup.txt': 'Backups are made every night and kept for thirty-five days.\n\nA restore is tested twice a year.\n',
};

export async function writePapers(ibid: Ibid): Promise<void> {
	for (const [path, text] of Object.entries(papers)) await ibid.write(path, text);
}
