import type { Browser, Page } from '@playwright/test';

/** The work of the page's main thread while something was done, in milliseconds. */
export interface Work {
	/** Tasks that kept the page from answering for more than 50 ms, as the browser reports them. */
	long: number[];
	/** The longest task, by the clock and by the processor time that it took: on a busy machine they differ. */
	longest: number;
	longestCpu: number;
}

interface TraceEvent {
	name: string;
	ph: string;
	pid: number;
	tid: number;
	dur?: number;
	tdur?: number;
	args?: { name?: string };
}

/** Does something and tells what it cost the page's main thread. */
export async function work(browser: Browser, page: Page, act: () => Promise<unknown>): Promise<Work> {
	await page.evaluate(() => {
		const seen: number[] = [];
		const observer = new PerformanceObserver((list) => seen.push(...list.getEntries().map((e) => Math.round(e.duration))));
		observer.observe({ type: 'longtask' });
		Object.assign(window, { longTasks: seen, stopTasks: () => observer.disconnect() });
	});
	await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
	await act();
	// The observer is told of a task after it ended.
	await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => setTimeout(r, 60))));
	const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
	const long = await page.evaluate(() => {
		const w = window as unknown as { longTasks: number[]; stopTasks: () => void };
		w.stopTasks();
		return w.longTasks;
	});
	const mains = new Set(trace.traceEvents.filter((e) => e.name === 'thread_name' && e.args?.name === 'CrRendererMain').map((e) => `${e.pid}:${e.tid}`));
	const tasks = trace.traceEvents.filter((e) => e.ph === 'X' && e.name.endsWith('RunTask') && mains.has(`${e.pid}:${e.tid}`));
	const most = (of: (e: TraceEvent) => number | undefined): number => Math.round(Math.max(0, ...tasks.map((e) => of(e) ?? 0)) / 1000);
	return { long, longest: most((e) => e.dur), longestCpu: most((e) => e.tdur) };
}

/** Scrolls an element as a wheel does, in steps of one frame each, down to its end and up again. */
export async function scrollThrough(page: Page, selector: string, frames: number): Promise<void> {
	await page.locator(selector).evaluate(async (list, n) => {
		const end = list.scrollHeight - list.clientHeight;
		for (const [from, to] of [[0, end], [end, 0]] as const) {
			for (let i = 0; i <= n; i++) {
				list.scrollTop = from + ((to - from) * i) / n;
				await new Promise((r) => requestAnimationFrame(r));
			}
		}
	}, frames);
}
