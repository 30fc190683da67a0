import type { AppName } from '@herald/contracts/call'
import { openLog } from '@herald/service/log'
import type { Service } from '@herald/service/run'
import { atEnd } from './at-end.ts'

/** A running service for a test: silent, closed in reverse order when the file is done (or by `stop`, to test a stop). */
export function testService<Config>(name: AppName, config: Config): Service<Config> & { stop: () => Promise<void> } {
  const closers: (() => unknown)[] = []
  const stop = async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  }
  atEnd(stop)
  return { name, config, log: openLog(name, 'silent'), onStop: (_what, close) => closers.push(close), stop }
}
