import type { ChildProcess } from 'node:child_process'
import { atEnd } from '@herald/testing/at-end'
import { freshDataDir, removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { inject } from 'vitest'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merged with vitest's own interface
  interface ProvidedContext {
    platform: Pick<Herald, 'baseUrl' | 'adminToken' | 'dataDir' | 'simulator'>
    /** A certificate for a test's own webhook receiver, which the shared Herald trusts. */
    receiver: { certificate: string; privateKey: string }
  }
}

/** Gives the Herald that is shared by all test files that need only an app of their own. global-setup.ts starts and stops it. */
export const sharedPlatform = (): Herald => ({
  ...inject('platform'),
  get starter(): ChildProcess {
    throw new Error('the shared platform is not for a test to stop')
  },
  output: () => '',
  stop: () => Promise.resolve(0),
})

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
