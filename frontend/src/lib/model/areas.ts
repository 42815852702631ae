import type { Box } from '$lib/client';

/**
 * Joins the boxes of lines into the areas that a passage covers: lines that
 * follow each other in one column are one area, another column or a gap begins
 * the next, so that no frame goes around what is not the passage.
 */
export function areas(boxes: readonly Box[]): Box[] {
	const list: Box[] = [];
	for (const box of boxes) {
		const last = list.at(-1);
		const height = box.y1 - box.y0;
		const follows = last && box.x0 < last.x1 && last.x0 < box.x1 && box.y0 - last.y1 < 2.5 * height && box.y0 > last.y0 - height;
		if (!follows) list.push({ ...box });
		else Object.assign(last, { x0: Math.min(last.x0, box.x0), y0: Math.min(last.y0, box.y0), x1: Math.max(last.x1, box.x1), y1: Math.max(last.y1, box.y1) });
	}
	return list;
}

/** The pixels that a picture is asked for: in steps, so that a small change of width asks for none anew. */
export function pictureWidth(width: number, density: number): number {
	return Math.min(4096, Math.max(200, Math.ceil((width * density) / 200) * 200));
}
