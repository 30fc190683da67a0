import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import { readSend } from '@herald/contracts/calls/campaigns'
import type { Audience } from '../audience.ts'
import type { FanOutFailure } from '../store/tables.ts'
import { rulesFor } from './core/queueing.ts'
import { planWaves } from './core/waves.ts'
import { awaitLastNotified, cutPage, resolveTarget, type Cut } from './cut-page.ts'
import { codeOfFailure, isAway } from './page-failure.ts'
import { insertFanOut, type Beginning, type NewFanOut } from './store/fan-outs.ts'
import { forgetPause } from './store/flow.ts'
import { fixBounds, type Reached, type Selection } from './store/pages.ts'
import { findZones } from './store/zones.ts'

/**
 * Inserts the fan-out of a campaign to be sent now, usually with its first page, so that a small send is one commit. Undefined when it is not to be
 * sent, has a fan-out, or its app was erased.
 */
export async function startFanOut(audience: Audience, campaignId: string): Promise<Cut | undefined> {
  const { db, bus } = audience
  const found = await bus.call(readSend, { campaignId })
  if (!found) return undefined
  const { send, target, flowNo } = found
  if (flowNo > 0) await forgetPause(db, campaignId, flowNo)
  const settings = await audience.settingsOf(send.appId)
  const bounds = await fixBounds(db, send.appId)
  const started: NewFanOut = {
    campaignId,
    appId: send.appId,
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
    const fanOut = { ...started, waves: await plan(audience, { send, settings, startedAt: bounds.startedAt }, resolved.selection) }
    const firstAt = fanOut.waves?.[0]?.at
    if (firstAt && new Date(firstAt) > bounds.startedAt) return await begin(fanOut, { waveAt: firstAt })

    const cut = await cutPage(
      audience,
      { ...fanOut, settings, send, cursor: '', wave: 0, lane: null, perMinute: send.sendRate?.perMinute ?? null },
      resolved.selection,
      (trx, page) => insertFanOut(trx, fanOut, { cut: page }),
    )
    if (cut === 'no_room') return await begin(fanOut, { lane: 'bulk' })
    return cut === 'lost' ? undefined : cut
  } catch (error) {
    if (isAway(error)) throw error
    // The sweep points at the row after longer and longer waits. NATS would deliver the pointer again every 2 s for ever, which would delay
    // other sends.
    audience.log.warn({ campaignId, appId: send.appId, err: error }, 'the first page of a send failed, it is tried again')
    return begin(started, { failedOf: codeOfFailure(error) })
  }
}

const appIsGone: FanOutFailure = { code: 'not_found', message: 'The app does not exist any more.' }

/** Plans the waves of a send; null when the send goes to all users at once. */
export async function plan(
  { db }: Pick<Audience, 'db'>,
  { send, settings, startedAt }: { send: FrozenSend; settings: AppSettings; startedAt: Date },
  selection: Selection | Reached,
): Promise<NewFanOut['waves']> {
  const { holdFor } = rulesFor(send, settings)
  const { userTimezone } = send
  if ((!userTimezone && !holdFor) || selection.kind === 'reached') return null
  const zones = await findZones(db, send.appId, selection)
  return planWaves({ zones, defaultTimezone: settings.defaultTimezone, userTimezone, holdFor, startedAt })
}
