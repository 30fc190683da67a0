import type { AppSettings } from '@herald/contracts/app'
import { appChanged, readApp } from '@herald/contracts/calls/gateway'
import type { Bus } from '@herald/service/bus'
import type { Audience } from './audience.ts'
import { keepRecent } from './core/recent.ts'

/**
 * A process remembers an app's settings for this long, so that an app that sends all the time costs each process one call to the gateway in two
 * seconds. When the broadcast of a change is lost, the change takes effect after this time (spec: administration/settings-heard).
 */
const keptMs = 2_000

/** Gives a function that reads apps' settings from the gateway and remembers them for 2 s, or until the gateway broadcasts a change. */
export function openAppSettings(bus: Bus): Audience['settingsOf'] {
  const known = keepRecent<{ settings: AppSettings | undefined; readAt: number }>(10_000)
  let changes = 0
  bus.listen(appChanged, ({ appId }) => {
    changes += 1
    known.set(appId, { settings: undefined, readAt: 0 })
  })
  return async (appId) => {
    const kept = known.get(appId)
    const readAt = performance.now()
    if (kept?.settings && readAt - kept.readAt < keptMs) return kept.settings
    const before = changes
    const { app } = await bus.call(readApp, { appId })
    // If any settings changed while the gateway was asked, the answer may be older than the change: it is used once and not remembered.
    if (app && changes === before) known.set(appId, { settings: app.settings, readAt })
    return app?.settings
  }
}
