import type { AppSettings } from '@herald/contracts/app'
import { appChanged, readApp } from '@herald/contracts/calls/gateway'
import type { Bus } from '@herald/service/bus'
import type { Audience } from './audience.ts'
import { keepRecent } from './core/recent.ts'

/** Should the word of a change be lost, it is found out after this. */
const keptMs = 60_000

/** Reads apps' settings and remembers them until the gateway says that they have changed. An app that is gone is asked for again. */
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
    // An answer that met a change may be what was before it: used once, not kept.
    if (app && changes === before) known.set(appId, { settings: app.settings, readAt })
    return app?.settings
  }
}
