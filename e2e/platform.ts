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

let shared: Promise<Herald> | undefined

/**
 * Gives the Herald that the test files of this process use one after another, and starts it for the first of them. It ends with this process, and
 * global-setup.ts removes its data. A test file makes an app of its own on it, removes the faults that it sets at the simulator, and leaves every
 * service running. When HERALD_STACK describes containers in which Herald runs, it gives those.
 */
export function sharedPlatform(): Promise<Herald> {
  shared ??= startShared()
  return shared
}

async function startShared(): Promise<Herald> {
  // Tests of containers run without global-setup.ts.
  const { directory, env } = inject('shared') ?? { directory: tmpdir(), env: {} }
  return startHerald({ dataDir: freshDataDir(directory), env })
}

/**
 * Starts a Herald for this test file as `npm start` does, with the simulator and without the demo, on free ports of 127.0.0.1 and with a new data
 * directory. The Herald and its data are removed at the end of the file. `env` are further settings of docs/configuration.md.
 */
export async function startPlatform(env: Record<string, string> = {}): Promise<Herald> {
  const dataDir = freshDataDir()
  const herald = await startHerald({ dataDir, env })
  atEnd(async () => {
    await herald.stop()
    removeDataDir(dataDir)
  })
  return herald
}
