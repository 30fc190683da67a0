import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import { readSend } from '@herald/contracts/calls/campaigns'
import type { Audience } from '../audience.ts'
import { rulesFor } from './core/delivery-rules.ts'
import { codeOfFailure, isAway } from './page-failure.ts'
import { planWaves } from './core/waves.ts'
import { cutPage, resolveTarget, type Cut } from './cut-page.ts'
import { awaitLastNotified } from './last-notified.ts'
import { insertFanOut, type Beginning, type NewFanOut } from './store/fan-outs.ts'
import { fixBounds, type Selection } from './store/pages.ts'
import type { FanOutFailure } from '../store/tables.ts'
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
  await awaitLastNotified(audience, send.appId, resolved.selection)

  try {
    const fanOut = { ...started, waves: await plan(audience, { send, settings, started_at: bounds.started_at }, resolved.selection) }
    const firstAt = fanOut.waves?.[0]?.at
    if (firstAt && new Date(firstAt) > bounds.started_at) return await begin(fanOut, { waveAt: firstAt })

    const cut = await cutPage(audience, { ...fanOut, settings, send, cursor: '', wave: 0, lane: null }, resolved.selection, (trx, page) =>
      insertFanOut(trx, fanOut, { cut: page }),
    )
    if (cut === 'no_room') return await begin(fanOut, { lane: 'bulk' })
    return cut === 'lost' ? undefined : cut
  } catch (error) {
    if (isAway(error)) throw error
    // As a row it comes back by itself, later each time. As a message it would come back every 2 s for ever, and stand before others.
    audience.log.warn({ campaignId, appId: send.appId, err: error }, 'the first page of a send failed, it is tried again')
    return begin(started, { failedOf: codeOfFailure(error) })
  }
}

export const appIsGone: FanOutFailure = { code: 'not_found', message: 'The app does not exist any more.' }

/** The waves of a send; null: everybody at once. */
export async function plan(
  { db }: Pick<Audience, 'db'>,
  { send, settings, started_at: startedAt }: { send: FrozenSend; settings: AppSettings; started_at: Date },
  selection: Selection,
): Promise<NewFanOut['waves']> {
  const { holdFor } = rulesFor(send, settings)
  const { userTimezone } = send
  if (!userTimezone && !holdFor) return null
  const zones = await findZones(db, send.appId, selection)
  return planWaves({ zones, defaultTimezone: settings.defaultTimezone, userTimezone, holdFor, startedAt })
}
