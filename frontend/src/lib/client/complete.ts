import { shapes } from './types.gen';

/**
 * Completes an answer so that it has the type's shape: Go writes an empty list
 * or map as null, and views should not have to ask. Values are changed in
 * place; an answer of another kind than an object is returned as it is.
 */
export function complete(type: string, value: unknown): unknown {
	const shape = shapes[type];
	if (!shape || !isRecord(value)) return value;
	for (const [field, part] of Object.entries(shape)) {
		const optional = part.endsWith('?');
		const name = optional ? part.slice(0, -1) : part;
		if (value[field] == null) {
			if (optional) Reflect.deleteProperty(value, field);
			else if (name.endsWith('[]')) value[field] = [];
			else value[field] = complete(name, {});
			continue;
		}
		const inner = value[field];
		if (Array.isArray(inner)) {
			const element = name.slice(0, -2);
			if (element in shapes) for (const item of inner) complete(element, item);
		} else complete(name, inner);
	}
	return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
