import type { AppSettings } from '@herald/contracts/app'
import { appChanged, readApp } from '@herald/contracts/calls/gateway'
import type { Bus } from '@herald/service/bus'
import { LRUCache } from 'lru-cache'
import type { Audience } from './audience.ts'

/**
 * How long a process remembers an app's settings: one call to the gateway in two seconds. When the broadcast of a change is lost, the change takes
 * effect after this time (spec: administration/settings-heard).
 */
const keptMs = 2_000

/** Gives a function that reads apps' settings from the gateway and remembers them for 2 s, or until the gateway broadcasts a change. */
export function openAppSettings(bus: Bus): Audience['settingsOf'] {
  type Answer = Promise<AppSettings | undefined>
  const kept = new LRUCache<string, Answer>({ max: 10_000, ttl: keptMs })
  bus.listen(appChanged, ({ appId }) => void kept.delete(appId))
  return (appId) => {
    const known = kept.get(appId)
    if (known) return known
    // The promise is remembered and not its value: sends that begin together share one call, and a change during the call forgets the answer.
    const answer: Answer = bus.call(readApp, { appId }).then(({ app }) => app?.settings)
    kept.set(appId, answer)
    const forget = () => {
      if (kept.peek(appId) === answer) kept.delete(appId)
    }
    answer.then((settings) => settings ?? forget(), forget)
    return answer
  }
}
