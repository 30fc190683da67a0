import { freshDataDir, removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { atEnd } from '@herald/testing/at-end'

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
