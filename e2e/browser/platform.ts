import type { ChildProcess } from 'node:child_process'
import { atEnd } from '@herald/testing/at-end'
import { freshDataDir, removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { inject } from 'vitest'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merged with vitest's own interface
  interface ProvidedContext {
    platform: Pick<Herald, 'baseUrl' | 'adminToken' | 'dataDir' | 'simulator'>
    /** With this certificate a test's own server is believed by the webhooks of the shared platform. */
    receiver: { certificate: string; privateKey: string }
  }
}

/** The platform that is shared by all test files that only need an app of their own. global-setup.ts starts and stops it. */
export const sharedPlatform = (): Herald => ({
  ...inject('platform'),
  get starter(): ChildProcess {
    throw new Error('the shared platform is not for a test to stop')
  },
  output: () => '',
  stop: () => Promise.resolve(0),
})

/**
 * The whole platform on free ports and a data directory of its own, started as `npm start` does it, with the simulator and without the
 * demo. Stopped and gone at the end of the test file. Everything is on 127.0.0.1; `env` are further settings of docs/configuration.md.
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
