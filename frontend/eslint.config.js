import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import { importX } from 'eslint-plugin-import-x';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

// Which rooms a room may look into. Whatever is not named is closed, so that
// the wire stays in client, decisions in model, and components only render.
const rooms = {
	client: [],
	model: ['client'],
	messages: ['client', 'model'],
	state: ['client', 'model', 'messages'],
	ui: ['client', 'model', 'messages'],
	features: ['client', 'model', 'messages', 'state', 'ui'],
};
const all = Object.keys(rooms);
const closed = (room) => all.filter((other) => other !== room && !rooms[room].includes(other));
const pattern = (names, message) => ({ group: names.flatMap((n) => [`$lib/${n}`, `$lib/${n}/**`]), message });

const layers = all.map((room) => ({
	files: [`src/lib/${room}/**`],
	ignores: ['**/*.test.ts'],
	rules: {
		'no-restricted-imports': ['error', {
			patterns: [
				...(closed(room).length > 0 ? [pattern(closed(room), `${room} must not look into this room`)] : []),
				...(room === 'client' ? [] : [{ group: ['$lib/client/*'], message: 'Import from $lib/client: transports are its own.' }]),
				{ group: ['**/views/**', '../../*', '../../**'], message: 'Reach other rooms by $lib, and views by nobody.' },
			],
		}],
	},
}));

const features = ['activity', 'ask', 'plan', 'search', 'settings', 'shell', 'sources', 'viewer'].map((feature) => ({
	files: [`src/lib/features/${feature}/**`],
	rules: {
		'no-restricted-imports': ['error', {
			patterns: [
				{ group: ['$lib/features/**', '../*'], message: 'Features do not know each other; a view puts them together.' },
				{ group: ['$lib/client/*'], message: 'Import from $lib/client: transports are its own.' },
			],
		}],
	},
}));

/** Finds our own files, which are all that a cycle can be made of. */
function resolve(specifier, importer) {
	const path = specifier.startsWith('$lib/')
		? join(import.meta.dirname, 'src', specifier.slice(1))
		: specifier.startsWith('.') && join(dirname(importer), specifier);
	const found = path && [path, `${path}.ts`, join(path, 'index.ts')].find((p) => existsSync(p) && statSync(p).isFile());
	return found ? { found: true, path: found } : { found: false };
}

export default defineConfig(
	{ ignores: ['dist/', 'dist-fake/', 'shots/', 'test-results/', 'playwright-report/', 'src/lib/client/types.gen.ts', 'wailsjs/'] },
	js.configs.recommended,
	...ts.configs.strict,
	...svelte.configs.recommended,
	{
		languageOptions: { globals: { ...globals.browser } },
		plugins: { 'import-x': importX },
		settings: {
			'import-x/extensions': ['.ts'], // .svelte files are components, which nothing but views and components import
			'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
			'import-x/ignore': ['\\.svelte$'],
			'import-x/resolver-next': [{ interfaceVersion: 3, name: 'rooms', resolve }],
		},
		rules: {
			'no-undef': 'off', // TypeScript knows better
			eqeqeq: ['error', 'always', { null: 'ignore' }],
			'no-console': 'error',
			'import-x/no-cycle': ['error', { ignoreExternal: true }],
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/explicit-module-boundary-types': 'error',
			'@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
			'no-restricted-syntax': ['error', { selector: "MemberExpression[property.name='innerHTML']", message: 'Nothing is given to the page as markup.' }],
			'svelte/no-at-html-tags': 'error',
			'svelte/prefer-svelte-reactivity': 'off', // a class says itself what of it is reactive
			'svelte/no-navigation-without-resolve': 'off', // the router is a hash
		},
	},
	{
		files: ['**/*.svelte', '**/*.svelte.ts'],
		languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
	},
	{ files: ['scripts/**', '*.config.*', 'e2e/**'], languageOptions: { globals: { ...globals.node } }, rules: { 'no-console': 'off', 'no-empty-pattern': 'off' } }, // a fixture without needs is written {}
	{ files: ['src/lib/messages/**'], rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' } }, // the catalogue's type is what it says
	...layers,
	...features,
);
