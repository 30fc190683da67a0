import { readSend } from '@herald/contracts/calls/campaigns'
import type { Audience } from './audience.ts'
import { rulesFor } from './core/delivery-rules.ts'
import { planWaves, type ToPlan } from './core/waves.ts'
import { cutPage, resolveTarget, type Cut } from './cut-page.ts'
import { insertFanOut, type Beginning, type NewFanOut } from './store/fan-outs.ts'
import { fixBounds, type Selection } from './store/pages.ts'
import type { FanOutFailure } from './store/tables.ts'
import { findZones } from './store/zones.ts'

/**
 * Makes the row of a campaign that is due, once, and with it, as a rule, its first page: a small send is one commit. The app's
 * settings are read now and frozen, and its waves are planned. Undefined: it is not to be sent, the row is there already, or the app was erased.
 */
export async function startFanOut(audience: Audience, campaignId: string): Promise<Cut | undefined> {
  const { db, bus } = audience
  const found = await bus.call(readSend, { campaignId })
  if (!found) return undefined
  const { send, target } = found
  const settings = await audience.settingsOf(send.appId)
  const bounds = await fixBounds(db, send.appId)
  const started: NewFanOut = {
    campaign_id: campaignId,
    app_id: send.appId,
    send,
    target,
    settings: settings ?? null,
    waves: null,
    ...bounds,
  }
  const begin = async (fanOut: NewFanOut, beginning: Beginning): Promise<Cut | undefined> => {
    const row = await insertFanOut(db, fanOut, beginning)
    return row && { row, batches: [] }
  }
  if (!settings) return begin(started, { failure: appIsGone })
  const resolved = resolveTarget(target)
  if (!resolved.ok) return begin(started, { failure: resolved.failure })

  const { holdFor } = rulesFor(send, settings)
  const toPlan = { defaultTimezone: settings.defaultTimezone, userTimezone: send.userTimezone, holdFor, startedAt: bounds.started_at }
  const fanOut = { ...started, waves: await plan(audience, send.appId, resolved.selection, toPlan) }
  const firstAt = fanOut.waves?.[0]?.at
  if (firstAt && new Date(firstAt) > bounds.started_at) return begin(fanOut, { waveAt: firstAt })

  const cut = await cutPage(audience, { ...fanOut, settings, send, cursor: '', wave: 0, lane: null }, resolved.selection, (trx, page) =>
    insertFanOut(trx, fanOut, { cut: page }),
  )
  if (cut === 'no_room') return begin(fanOut, { lane: 'bulk' })
  return cut === 'lost' ? undefined : cut
}

export const appIsGone: FanOutFailure = { code: 'not_found', message: 'The app does not exist any more.' }

async function plan({ db }: Audience, appId: string, selection: Selection, toPlan: Omit<ToPlan, 'zones'>): Promise<NewFanOut['waves']> {
  if (!toPlan.userTimezone && !toPlan.holdFor) return null
  return planWaves({ ...toPlan, zones: await findZones(db, appId, selection) })
}
