import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * A file with `.long.` in its name is long: `npm test` leaves it out and `npm run test:rest` runs it. Without HERALD_TIER, which tools/src/test.ts
 * sets, both kinds run.
 */
const tier = process.env['HERALD_TIER']
const name = tier === 'rest' ? '*.long' : '*'
const ignored = ['**/node_modules/**', '**/.tools/**', '**/.data/**', '**/dist/**', ...(tier === 'quick' ? ['**/*.long.*'] : [])]

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

/** Begins with long files, so that none of them runs alone at the end. Otherwise the order is vitest's: by what a file took last time, else by its size. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isShort = ({ moduleId }: TestSpecification) => Number(!moduleId.includes('.long.'))
    return (await super.sort(files)).toSorted((one, other) => isShort(one) - isShort(other))
  }
}

/**
 * Four kinds of test, run in this order: `unit` (nothing but the code), `integration` (a real Postgres and nats-server,
 * started once, a database per file), `e2e` (the whole platform as processes, two of them at a time) and `browser` (the platform with a
 * real Chromium or Firefox before it, one at a time). Those with servers wait for leases, retries and starts half of their time, so more of them run at once than a small machine has cores.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [`{apps,libs,sdks}/*/src/**/${name}.test.{ts,tsx}`, `tools/src/**/${name}.test.ts`],
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
          include: [`{apps,libs,sdks}/*/src/**/${name}.integration.test.ts`, `tools/src/**/${name}.integration.test.ts`],
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
          include: [`e2e/tests/${name}.test.ts`],
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
          include: [`e2e/browser/${name}.test.ts`],
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
