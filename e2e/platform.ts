import { tmpdir } from 'node:os'
import { atEnd } from '@herald/testing/at-end'
import { freshDataDir, removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { inject } from 'vitest'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merged with vitest's own interface
  interface ProvidedContext {
    /**
     * What all Heralds that test files share are started with: the directory in which each has its data directory, and the same settings of
     * docs/configuration.md.
     */
    shared: { directory: string; env: Record<string, string> }
    /** A certificate for a test's own webhook receiver, which the shared Heralds trust. */
    receiver: { certificate: string; privateKey: string }
  }
}

/** All services in one process, which starts and idles with a third of the CPU time of six. For tests that send no signal to a service. */
const together = { HERALD_PROCESSES: '1' }

let shared: Promise<Herald> | undefined
let apart: Promise<Herald> | undefined

/**
 * Gives the Herald that this process's test files share, started for the first of them in one process, or HERALD_STACK's containers. It ends with
 * this process. A file makes its own app and removes its faults at the simulator.
 */
export function sharedPlatform(): Promise<Herald> {
  shared ??= startShared(together)
  return shared
}

/**
 * Gives a shared Herald as `sharedPlatform` does, with each service in a process of its own. A test may kill or freeze one, and leaves every service
 * running.
 */
export function sharedProcesses(): Promise<Herald> {
  apart ??= startShared({})
  return apart
}

async function startShared(more: Record<string, string>): Promise<Herald> {
  // Tests of containers run without global-setup.ts.
  const { directory, env } = inject('shared') ?? { directory: tmpdir(), env: {} }
  return startHerald({ dataDir: freshDataDir(directory), env: { ...env, ...more } })
}

/**
 * Starts a Herald for this test file in one process, with the simulator and without the demo, on free ports and a new data directory, which are
 * removed at its end. `env` are further settings of docs/configuration.md.
 */
export async function startPlatform(env: Record<string, string> = {}): Promise<Herald> {
  const dataDir = freshDataDir()
  const herald = await startHerald({ dataDir, env: { ...together, ...env } })
  atEnd(async () => {
    await herald.stop()
    removeDataDir(dataDir)
  })
  return herald
}
