import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vitest/config';

// What the server and the window send with every page. Preview sends it too, so
// that a style or script which the policy would block is seen before it ships.
const policy = readFileSync(new URL('policy.txt', import.meta.url), 'utf8').trim();

export default defineConfig(({ mode }) => ({
	plugins: [tailwindcss(), svelte()],
	resolve: {
		alias: { $lib: fileURLToPath(new URL('src/lib', import.meta.url)) },
		...(mode === 'test' ? { conditions: ['browser'] } : {}),
	},
	// Relative, because the window serves the files from a scheme of its own.
	base: './',
	// The fake library is only in development and in builds made for pictures.
	define: { __FAKE__: JSON.stringify(mode !== 'production') },
	build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: true },
	preview: { headers: { 'Content-Security-Policy': policy } },
	// With a server beside it (make dev), /api goes there, with its token.
	server: {
		proxy: process.env['IBID_ADDR']
			? { '/api': { target: `http://${process.env['IBID_ADDR']}`, headers: { Authorization: `Bearer ${process.env['IBID_TOKEN']}` } } }
			: {},
	},
	test: { include: ['src/**/*.test.ts'], environment: 'happy-dom' },
}));
