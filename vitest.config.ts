import { defineConfig } from 'vitest/config'

const ignored = ['**/node_modules/**', '**/.tools/**', '**/.data/**', '**/dist/**']

/**
 * Three kinds of test, run in this order: `unit` (nothing but the code), `integration` (a real Postgres and nats-server,
 * started once, a database per file) and `e2e` (the whole platform as processes, so one file at a time).
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{apps,libs}/*/src/**/*.test.ts', 'tools/src/**/*.test.ts'],
          exclude: [...ignored, '**/*.integration.test.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{apps,libs}/*/src/**/*.integration.test.ts', 'tools/src/**/*.integration.test.ts'],
          exclude: ignored,
          globalSetup: ['libs/testing/src/global-setup.ts'],
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 30_000,
          hookTimeout: 30_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/tests/**/*.test.ts'],
          exclude: ignored,
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
