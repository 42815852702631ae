import { describe, expect, it } from 'vitest';
import { createClient } from '../client';
import { methods } from '../types.gen';
import { fake } from '.';
import { passages, documents } from './documents';

const client = createClient(fake({ scenario: 'full', pace: 0 }));

describe('the made-up library', () => {
	it('has every use case', () => {
		for (const method of Object.keys(methods)) expect(client).toHaveProperty(method);
	});

	it('finds what it has, and its segments are the snippet', async () => {
		const { hits } = await client.Search({ query: 'deposit returned' });
		expect(hits[0]?.path).toBe('leases/berlin-office.md');
		for (const hit of hits) expect(hit.marks.map((s) => s.text).join('')).toBe(hit.snippet);
	});

	it('cites what stands there, or refuses', async () => {
		const answer = await client.Ask({ question: 'When is the deposit returned?' });
		expect(answer.citations.length).toBeGreaterThan(0);
		for (const c of answer.citations) expect(passages.some((p) => p.text.includes(c.quote))).toBe(true);
		expect((await client.Ask({ question: 'Who won the chess championship?' })).sufficient).toBe(false);
	});

	it('gives documents back whole', async () => {
		for (const [i, d] of documents.entries()) {
			const document = await client.Document({ document: `doc-${i + 1}` });
			expect(document.segments.map((s) => s.text).join('')).toBe(d.text);
		}
	});

	it('has nothing to do after its plan was applied', async () => {
		const plan = await client.Plan({});
		const ended = new Promise((resolve) => client.events({ event: (e) => e.type === 'end' && resolve(e), connected: () => undefined }));
		await client.Apply({ run_id: 'r', plan: plan.id });
		await ended;
		expect((await client.GetRun({ id: 'r' })).state).toBe('partial');
		expect((await client.Plan({})).summary.added).toBe(0);
	});
});
