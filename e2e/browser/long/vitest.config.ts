import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** `npm run test:browser`: all that runs in a real browser, also what takes too long for `npm test`. One file at a time. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../../..'),
  test: {
    include: ['e2e/browser/*.test.ts', 'e2e/browser/long/*.long.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
