import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The configuration of `npm run test:clients`: the tests of clients whose compiler is not on every machine. It is fetched once into .tools/. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['e2e/clients/*.test.ts'],
    globalSetup: ['e2e/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    setupFiles: ['libs/testing/src/close-at-end.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
