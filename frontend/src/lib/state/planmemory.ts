import type { PlanTable } from '$lib/model/plantable';

const name = 'ibid.plan';
/** Keys that are kept as such: they outlive the plan. More are kept as places in it. */
const most = 2000;

/** What the tab remembers of a plan, so that a reload loses nothing. */
export interface Remembered {
	plan: string | undefined;
	run: string | undefined;
	/** Keys of documents that are left out, if they are few. */
	left: readonly string[];
	/** Their places in the plan. */
	indices(): Iterable<number>;
}

/** Reads and writes what a tab remembers of the plan that it shows. */
export class PlanMemory {
	constructor(private readonly storage: Storage) {}

	read(): Remembered {
		const value = this.#value();
		const text = (key: string): string | undefined => (typeof value[key] === 'string' ? value[key] : undefined);
		const left = Array.isArray(value['left']) ? value['left'].filter((v) => typeof v === 'string') : [];
		const ranges = Array.isArray(value['ranges']) ? value['ranges'].filter((v) => Number.isSafeInteger(v)) : [];
		return { plan: text('plan'), run: text('run'), left, indices: () => unfold(ranges as number[]) };
	}

	write(plan: string | undefined, run: string | undefined, table: PlanTable | undefined): void {
		if (!plan || !table) return this.storage.removeItem(name);
		const value = { plan, run, ...(table.leftCount <= most ? { left: table.left() } : { ranges: fold(table) }) };
		try {
			this.storage.setItem(name, JSON.stringify(value));
		} catch {
			this.storage.removeItem(name); // no room: a reload makes a plan anew
		}
	}

	#value(): Record<string, unknown> {
		try {
			const value: unknown = JSON.parse(this.storage.getItem(name) ?? '{}');
			return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
		} catch {
			return {};
		}
	}
}

/** The places that are left out, as pairs of a first place and a length. */
function fold(table: PlanTable): number[] {
	const ranges: number[] = [];
	for (let i = 0; i < table.length; i++) {
		const from = i;
		while (i < table.length && table.isLeft(i)) i++;
		if (i > from) ranges.push(from, i - from);
	}
	return ranges;
}

function* unfold(ranges: readonly number[]): Iterable<number> {
	for (let i = 0; i + 1 < ranges.length; i += 2) for (let k = 0; k < (ranges[i + 1] as number); k++) yield (ranges[i] as number) + k;
}
