import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/**
 * The configuration of `npm run test:clients`: the Go client, whose compiler is fetched once into .tools/, and projects outside the repository, whose
 * frameworks come from the npm registry.
 */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['e2e/clients/*.test.ts'],
    globalSetup: ['e2e/browser/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    setupFiles: ['libs/testing/src/close-at-end.ts'],
    testTimeout: 900_000,
    hookTimeout: 300_000,
  },
})
