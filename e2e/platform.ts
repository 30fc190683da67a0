import type { ChildProcess } from 'node:child_process'
import { atEnd } from '@herald/testing/at-end'
import { freshDataDir, heraldOf, removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenStack } from '@herald/testing/stack'
import { inject } from 'vitest'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merged with vitest's own interface
  interface ProvidedContext {
    /** One Herald for each process that runs test files. */
    platforms: Pick<Herald, 'baseUrl' | 'adminToken' | 'dataDir' | 'simulator'>[]
    /** A certificate for a test's own webhook receiver, which the shared Heralds trust. */
    receiver: { certificate: string; privateKey: string }
  }
}

/**
 * Gives the Herald that the test files of this process use one after another. A file makes an app of its own there, removes the faults that it sets at the
 * simulator, and leaves every service running. global-setup.ts starts and stops it. When HERALD_STACK describes containers with Herald, all files
 * share those.
 */
export function sharedPlatform(): Herald {
  const stack = givenStack()
  if (stack) return heraldOf(stack, '')
  const platform = inject('platforms')[Number(process.env['VITEST_POOL_ID']) - 1]
  if (!platform)
    throw new Error('there is no Herald for this process: maxWorkers in vitest.config.ts is larger than global-setup.ts expects')
  return {
    ...platform,
    get starter(): ChildProcess {
      throw new Error('the shared platform is not for a test to stop')
    },
    output: () => '',
    stop: () => Promise.resolve(0),
  }
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
