import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The configuration of `npm run test:browser`: all tests in real browsers, also those that are too slow for `npm test`. One file runs at a time. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../../..'),
  test: {
    include: ['e2e/browser/*.test.ts', 'e2e/browser/long/*.long.ts'],
    globalSetup: ['e2e/browser/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    setupFiles: ['libs/testing/src/close-at-end.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
