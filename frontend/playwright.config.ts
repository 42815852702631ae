import { defineConfig } from '@playwright/test';

// The browser is the system's: set CHROMIUM where it lies elsewhere.
export default defineConfig({
	testDir: 'e2e',
	timeout: 120_000,
	expect: { timeout: 20_000 },
	workers: 1,
	fullyParallel: false,
	forbidOnly: Boolean(process.env['CI']),
	reporter: [['list']],
	use: {
		viewport: { width: 1280, height: 800 },
		locale: 'en',
		trace: 'retain-on-failure',
		launchOptions: {
			executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
			args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
		},
	},
});
