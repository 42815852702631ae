/** Small documents of binary formats, written by hand so that the tests need no files. */

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
	let c = n;
	for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
	return c >>> 0;
});

function crc32(data: Uint8Array): number {
	let c = 0xffffffff;
	for (const b of data) c = (c >>> 8) ^ (crcTable[(c ^ b) & 255] ?? 0);
	return (c ^ 0xffffffff) >>> 0;
}

/** A zip archive (APPNOTE 6.3) whose entries are stored as they are. */
export function zip(entries: Readonly<Record<string, string>>): Uint8Array {
	const parts: Buffer[] = [];
	const directory: Buffer[] = [];
	let at = 0;
	for (const [name, text] of Object.entries(entries)) {
		const data = Buffer.from(text);
		const about = Buffer.alloc(26);
		about.writeUInt16LE(20, 0);
		about.writeUInt16LE(0x5a21, 8); // a date in 2025
		about.writeUInt32LE(crc32(data), 10);
		about.writeUInt32LE(data.length, 14);
		about.writeUInt32LE(data.length, 18);
		about.writeUInt16LE(Buffer.byteLength(name), 22);
		const local = Buffer.concat([Buffer.from('PK\x03\x04'), about, Buffer.from(name), data]);
		const tail = Buffer.alloc(14);
		tail.writeUInt32LE(at, 10);
		directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), about, tail, Buffer.from(name)]));
		parts.push(local);
		at += local.length;
	}
	const central = Buffer.concat(directory);
	const end = Buffer.alloc(22);
	end.write('PK\x05\x06', 'latin1');
	end.writeUInt16LE(directory.length, 8);
	end.writeUInt16LE(directory.length, 10);
	end.writeUInt32LE(central.length, 12);
	end.writeUInt32LE(at, 16);
	return Buffer.concat([...parts, central, end]);
}

/** A PDF with a page for each list of lines. */
export function pdf(pages: readonly (readonly string[])[]): Uint8Array {
	const objects = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] >>`, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
	for (const lines of pages) {
		const content = `BT /F1 12 Tf 16 TL 72 720 Td\n${lines.map((l) => `(${l.replace(/[\\()]/g, '\\$&')}) Tj T*`).join('\n')}\nET\n`;
		objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${objects.length + 2} 0 R >>`);
		objects.push(`<< /Length ${content.length} >>\nstream\n${content}endstream`);
	}
	let text = '%PDF-1.4\n';
	const places = objects.map((o, i) => {
		const at = text.length;
		text += `${i + 1} 0 obj\n${o}\nendobj\n`;
		return at;
	});
	const start = text.length;
	text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map((p) => `${String(p).padStart(10, '0')} 00000 n \n`).join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
	return Buffer.from(text, 'latin1');
}

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const escape = (s: string): string => s.replace(/&/g, '&amp;').replace(/</g, '&lt;');

function ooxml(main: string, type: string, parts: Readonly<Record<string, string>>): Uint8Array {
	return zip({
		'[Content_Types].xml': `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
		'_rels/.rels': `${head}<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/officeDocument" Target="${main}"/></Relationships>`,
		...parts,
	});
}

const links = (kind: string, targets: readonly string[]): string =>
	`${head}<Relationships xmlns="${relations}">${targets.map((t, i) => `<Relationship Id="r${i + 1}" Type="${office}/${kind}" Target="${t}"/>`).join('')}</Relationships>`;

/** A workbook with one sheet. */
export function xlsx(name: string, rows: readonly (readonly (string | number)[])[]): Uint8Array {
	const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
	const cell = (v: string | number): string => (typeof v === 'number' ? `<c><v>${v}</v></c>` : `<c t="inlineStr"><is><t>${escape(v)}</t></is></c>`);
	return ooxml('xl/workbook.xml', 'spreadsheetml.sheet', {
		'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="${name}" sheetId="1" r:id="r1"/></sheets></workbook>`,
		'xl/_rels/workbook.xml.rels': links('worksheet', ['worksheets/sheet1.xml']),
		'xl/worksheets/sheet1.xml': `${head}<worksheet xmlns="${main}"><sheetData>${rows.map((r, i) => `<row r="${i + 1}">${r.map(cell).join('')}</row>`).join('')}</sheetData></worksheet>`,
	});
}

/** A document of headings ("# …") and paragraphs. */
export function docx(paragraphs: readonly string[]): Uint8Array {
	const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
	const paragraph = (p: string): string =>
		p.startsWith('# ') ? `<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>${escape(p.slice(2))}</w:t></w:r></w:p>` : `<w:p><w:r><w:t>${escape(p)}</w:t></w:r></w:p>`;
	return ooxml('word/document.xml', 'wordprocessingml.document', {
		'word/document.xml': `${head}<w:document xmlns:w="${main}"><w:body>${paragraphs.map(paragraph).join('')}</w:body></w:document>`,
	});
}

/** A presentation: the title, the lines and the notes of each slide. */
export function pptx(slides: readonly { title: string; lines: readonly string[]; notes?: string }[]): Uint8Array {
	const p = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
	const shape = (type: string, lines: readonly string[]): string =>
		`<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:cNvSpPr/><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody>${lines.map((l) => `<a:p><a:r><a:t>${escape(l)}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`;
	const tree = (root: string, shapes: string): string => `${head}<p:${root} ${p}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${root}>`;
	const parts: Record<string, string> = {
		'ppt/presentation.xml': `${head}<p:presentation ${p} xmlns:r="${office}"><p:sldIdLst>${slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="r${i + 1}"/>`).join('')}</p:sldIdLst></p:presentation>`,
		'ppt/_rels/presentation.xml.rels': links('slide', slides.map((_, i) => `slides/slide${i + 1}.xml`)),
	};
	slides.forEach((s, i) => {
		parts[`ppt/slides/slide${i + 1}.xml`] = tree('sld', shape('title', [s.title]) + shape('body', s.lines));
		if (!s.notes) return;
		parts[`ppt/slides/_rels/slide${i + 1}.xml.rels`] = links('notesSlide', [`../notesSlides/notes${i + 1}.xml`]);
		parts[`ppt/notesSlides/notes${i + 1}.xml`] = tree('notes', shape('body', [s.notes]));
	});
	return ooxml('ppt/presentation.xml', 'presentationml.presentation', parts);
}
