import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ignored = ['**/node_modules/**', '**/.tools/**', '**/.data/**', '**/dist/**']

/**
 * No test is about speed, so a limit is only there to end what hangs. On a machine with ten times as much to do as it has cores, a test that
 * takes 3 s alone takes a minute, and a database that is cloned in 70 ms takes several seconds.
 */
const patience = { testTimeout: 120_000, hookTimeout: 120_000 }

/**
 * The test files of a process share their modules: without this each file would load and compile the libraries again, half of the CPU time of unit tests and a
 * third of that of integration tests. So a test leaves no timer, global or variable of the environment changed.
 */
const together = { isolate: false, setupFiles: ['libs/testing/src/close-at-end.ts'] }

/** The files that take longest, the longest first: some 20 s and more on two cores with nothing else to do. */
const longest = [
  'e2e/tests/starter.test.ts',
  'e2e/tests/chaos.test.ts',
  'e2e/tests/campaign-engine.test.ts',
  'e2e/tests/command-line.test.ts',
  'e2e/tests/scenarios.test.ts',
  'e2e/tests/dry-run-random.test.ts',
  'e2e/tests/versions.test.ts',
  'e2e/tests/explain.test.ts',
  'e2e/tests/watching.test.ts',
  'e2e/tests/imports.test.ts',
  'e2e/tests/node-sdk.test.ts',
  'e2e/tests/test-send.test.ts',
  'e2e/tests/several-dispatchers.test.ts',
  'e2e/tests/users.test.ts',
  'e2e/tests/turns.test.ts',
  'apps/gateway/src/http/rolling.integration.test.ts',
  'apps/dispatcher/src/take-over.integration.test.ts',
  'apps/gateway/src/webhooks/watch-events.integration.test.ts',
  'apps/gateway/src/people/imports.integration.test.ts',
  'apps/dispatcher/src/providers/web-push/transport.integration.test.ts',
  'apps/dispatcher/src/deliver-batch.integration.test.ts',
  'apps/audience/src/people/identity.integration.test.ts',
  'apps/gateway/src/audit/audit.integration.test.ts',
  'apps/webhooks/src/deliver.integration.test.ts',
  'apps/audience/src/plans.integration.test.ts',
  'apps/tracker/src/plans.integration.test.ts',
]

/** Begins with the longest files, so that none of them runs alone at the end. The others follow in vitest's order: by what they took last time, else by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((path) => moduleId.endsWith(`/${path}`))
      return found === -1 ? longest.length : found
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}

/**
 * Four kinds of test, run in this order: `unit` (nothing but the code), `integration` (a real Postgres and nats-server,
 * started once, a database per file), `e2e` (the whole platform as processes, two of them at a time) and `browser` (the platform with a
 * real Chromium or Firefox before it, one at a time). Those with servers wait for leases, retries and starts half of their time, so more of them run at once than a small machine has cores.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{apps,libs,sdks}/*/src/**/*.test.{ts,tsx}', 'tools/src/**/*.test.ts'],
          exclude: [...ignored, '**/*.integration.test.ts'],
          ...patience,
          ...together,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{apps,libs,sdks}/*/src/**/*.integration.test.ts', 'tools/src/**/*.integration.test.ts'],
          exclude: ignored,
          globalSetup: ['libs/testing/src/global-setup.ts'],
          pool: 'forks',
          maxWorkers: 4,
          ...patience,
          ...together,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/tests/**/*.test.ts'],
          exclude: ignored,
          globalSetup: ['e2e/global-setup.ts'],
          pool: 'forks',
          maxWorkers: 2,
          ...patience,
          ...together,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['e2e/browser/**/*.test.ts'],
          exclude: ignored,
          globalSetup: ['e2e/browser/global-setup.ts'],
          pool: 'forks',
          maxWorkers: 1,
          ...patience,
          ...together,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
