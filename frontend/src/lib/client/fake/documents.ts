/** The texts of the made-up library: a small firm's papers. */

export interface FakeDocument {
	source: string;
	path: string;
	type: string;
	text: string;
}

const markdown = 'text/markdown';
const plain = 'text/plain';

export const documents: readonly FakeDocument[] = [
	{
		source: 'handbook',
		path: 'people/onboarding.md',
		type: markdown,
		text: `---
owner: People team
reviewed: 2026-02-11
---
# Onboarding

Everyone who joins gets the same first week, whatever their role. The point of the week is that nothing has to be asked twice.

## Before the first day

The laptop is ordered **ten working days** before the start date. Whoever hires writes the ticket; the People team only follows up.

- Contract signed and filed under *contracts/people*
- Laptop, keyboard and badge ordered
- A buddy is named and has agreed

## The first week

On Monday the new colleague meets the team and sets up the laptop with the [setup guide](https://intranet.example/setup). Tuesday and Wednesday belong to the product; Thursday to the customers; Friday is free of meetings.

| Day | What | With whom |
| --- | --- | --- |
| Monday | Team, laptop, accounts | Buddy |
| Tuesday | Product walk-through | Product lead |
| Thursday | Two customer calls, listening | Support |

## After ninety days

The probation talk takes place after ninety days, not later. Both sides write down beforehand what went well and what did not. The notice period during probation is two weeks.

> A probation talk that surprises anybody came too late.
`,
	},
	{
		source: 'handbook',
		path: 'people/travel.md',
		type: markdown,
		text: `# Travel and expenses

Travel is booked by the traveller and paid by the firm. Nobody needs permission for a trip below 600 euros.

## Trains before planes

Journeys of less than six hours go by train, first class if the ticket is cheaper than a day of work lost. Flights need a reason in one sentence.

## Hotels

A night costs at most 140 euros, 190 euros in London, Paris and Zürich. Breakfast is included in that.

## Getting the money back

Receipts are handed in within thirty days after the trip. After sixty days they are not paid any more, because the books of that quarter are closed. A photograph of a receipt is enough; originals are not kept.

\`\`\`sh
# hand in from the command line
expenses submit --trip 2026-018 receipts/*.jpg
\`\`\`
`,
	},
	{
		source: 'handbook',
		path: 'security/passwords.md',
		type: markdown,
		text: `# Passwords and keys

Every account uses a password made by the password manager and a second factor. Messages on a phone do not count as a second factor.

## Keys of servers

Keys are rotated every ninety days by a job that tells the owner a week before. A key that was shown to anybody is exchanged within one hour.

## When something was lost

Whoever loses a laptop or a phone calls +49 30 5550 1234 at once, at any hour. The device is locked within ten minutes. Nobody is blamed for a loss that was told.
`,
	},
	{
		source: 'contracts',
		path: 'leases/berlin-office.md',
		type: markdown,
		text: `# Lease, Berlin office

Between Kastanien Immobilien GmbH (the landlord) and the firm (the tenant), signed on 14 March 2024.

## § 3 Term

The lease begins on 1 May 2024 and runs for five years. It is prolonged by one year at a time unless one side gives notice six months before it ends.

## § 4 Rent and deposits

### § 4.1 Rent

The rent is 8,450 euros a month, due on the third working day. It rises with the consumer price index, at most once a year and by at most three percent.

### § 4.2 Deposit

The tenant pays a deposit of three months' rent before the keys are handed over. The landlord keeps the deposit on an account of its own and returns it within six months after the lease has ended, less what is needed for repairs that the tenant owes.

## § 9 Notice

Notice must be given in writing and signed by hand. An e-mail is not enough.
`,
	},
	{
		source: 'contracts',
		path: 'nda-acme.md',
		type: markdown,
		text: `# Mutual non-disclosure agreement, Acme Ltd

Both sides keep secret what they learn about each other in the project "Harbour".

## Term

The duty to keep secrets ends three years after the last disclosure. Trade secrets stay secret for as long as they are such.

## Return of documents

Documents are returned or destroyed within thirty days after a request in writing. Copies in backups may be kept until the backups are overwritten.
`,
	},
	{
		source: 'contracts',
		path: 'suppliers/hosting-2025.txt',
		type: plain,
		text: `HOSTING AGREEMENT 2025

The supplier runs the servers in Frankfurt and keeps them reachable for 99.9 percent of each calendar month.

When a month falls below 99.9 percent, the customer is credited five percent of the monthly fee for each tenth of a percent below, at most half of the fee.

Backups are made every night and kept for thirty-five days. A restore is tested twice a year, and the report of the test is sent to the customer within ten days.

Either side may end this agreement with three months' notice to the end of a quarter.
`,
	},
	{
		source: 'notes',
		path: '2026/incident-0114.md',
		type: markdown,
		text: `# Incident of 14 January 2026

The import of invoices stopped at 03:12 with \`ERR_0x80070005\`. It was noticed at 07:40, when accounting opened the books.

## Cause

The service account had lost its right to write to the archive share after the quarterly review of permissions. The job tried again every minute and wrote 268 lines to a log that nobody reads.

## What changes

1. A job that fails three times in a row calls the person on duty.
2. The review of permissions names jobs, not only people.

![Graph of failed imports](https://metrics.example/graph.png)
`,
	},
	{
		source: 'notes',
		path: '2026/retro-february.md',
		type: markdown,
		text: `# Retrospective, February

What went well: two customers moved to the new storage without a call at night. The probation talks took place on time for the first time since autumn.

What did not: deposits paid by customers were booked a month late, twice. The reason is the same as in December.

What we try: accounting sees the list of open deposits every Monday.
`,
	},
	{
		source: 'notes',
		path: 'tools/backup.py',
		type: 'text/x-python',
		text: `"""Checks that last night's backup can be read."""

import hashlib
import pathlib
import sys

ROOT = pathlib.Path("/srv/backup")


def digest(path: pathlib.Path) -> str:
    """Returns the SHA-256 of a file, read in pieces of one megabyte."""
    h = hashlib.sha256()
    with path.open("rb") as f:
        while piece := f.read(1 << 20):
            h.update(piece)
    return h.hexdigest()


def main() -> int:
    wanted = dict(line.split() for line in (ROOT / "SHA256SUMS").read_text().splitlines())
    broken = [name for name, sum in wanted.items() if digest(ROOT / name) != sum]
    for name in broken:
        print(f"broken: {name}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
`,
	},
];

/** A passage of a document: a heading with the text below it, or a part of a longer text. */
export interface Passage {
	document: number;
	number: number;
	text: string;
	start: number;
	headings: string[];
	line: number;
}

/** Cuts a document at its headings or, where it has none, at blank lines. */
export function passagesOf(document: FakeDocument, index: number): Passage[] {
	const separator = document.type === markdown ? /\n(?=#{1,6} )/ : /\n\n(?=\S)/;
	const passages: Passage[] = [];
	const path: string[] = [];
	let at = 0;
	for (const text of document.text.split(separator)) {
		const start = document.text.indexOf(text, at);
		const heading = /^(#{1,6}) (.+)$/m.exec(text);
		if (document.type === markdown && heading) {
			path.length = (heading[1] ?? '').length - 1;
			path.push(heading[2] ?? '');
		}
		passages.push({
			document: index,
			number: passages.length + 1,
			text,
			start,
			headings: path.filter(Boolean).slice(1),
			line: document.text.slice(0, start).split('\n').length,
		});
		at = start + text.length;
	}
	return passages;
}

export const titleOf = (d: FakeDocument): string => /^# (.+)$/m.exec(d.text)?.[1] ?? d.path.slice(d.path.lastIndexOf('/') + 1);
export const documentId = (index: number): string => `doc-${index + 1}`;
export const chunkId = (p: Passage): string => `${documentId(p.document)}-p${p.number}`;
export const passages: readonly Passage[] = documents.flatMap(passagesOf);
