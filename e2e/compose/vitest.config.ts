import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Runs against a stack of containers that has been started: three files of the end-to-end suite, and the tests of containers. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['e2e/tests/{three-protocols,public-api,webhooks}.test.ts', 'e2e/compose/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
