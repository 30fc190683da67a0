import { verifyMessageId } from '@herald/auth/message-id'
import { findConverters } from '@herald/contracts/calls/audience'
import { conversionsAtOnce, recordConversions, type RecordedConversion, type ToldConversion } from '@herald/contracts/calls/tracker'
import { mostConversions, type Attribution, type ReportConversion } from '@herald/contracts/conversion'
import { Fault, invalidField, queueUnavailable } from '@herald/contracts/fault'
import type { UserAddress } from '@herald/contracts/user'
import type { Bus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import type { Kysely } from 'kysely'
import { findConversionRule, type ConversionRule } from '../apps/store/apps.ts'
import { rememberByApp, type AppMemory } from '../remember-by-app.ts'
import type { Tables } from '../store/tables.ts'

export type ConversionRules = AppMemory<ConversionRule>

/** Remembers how apps attribute conversions, and whether a public key may report a value. */
export const openConversionRules = ({ db }: { db: Kysely<Tables> }, ttlSeconds: number): ConversionRules =>
  rememberByApp((appId) => findConversionRule(db, appId), ttlSeconds)

/** A conversion of the user whom `of` names. `push`: the push that its msgId names. `open`: a public key reported it. */
export type Reported = {
  of: UserAddress | { subscriptionId: string }
  conversion: ReportConversion
  push: ToldConversion['push']
  open?: true
}

/** Gives the push that a msgId names; null without one. Fault: invalid_body at `msgId` for one that is not of this app. */
export function pushOf(hmacSecrets: readonly string[], appId: string, msgId: string | undefined): ToldConversion['push'] {
  if (msgId === undefined) return null
  const push = verifyMessageId(hmacSecrets, msgId)
  if (push?.appId !== appId) throw invalidField('msgId', 'must be the msgId of a push of this app')
  const { campaignId, userId, subscriptionId, platform, variant } = push
  return { campaignId, userId, subscriptionId, platform, variant }
}

/** Counts conversions of an app, in portions that fit into a call. The results are in the order given. A repeat after a failure is harmless. */
export async function reportConversions(
  bus: Pick<Bus, 'call'>,
  { appId, attribution, reported }: { appId: string; attribution: Attribution; reported: Reported[] },
): Promise<RecordedConversion[]> {
  const results: RecordedConversion[] = []
  for (let from = 0; from < reported.length; from += conversionsAtOnce)
    results.push(...(await reportPortion(bus, { appId, attribution, reported: reported.slice(from, from + conversionsAtOnce) })))
  return results
}

async function reportPortion(
  bus: Pick<Bus, 'call'>,
  { appId, attribution, reported }: { appId: string; attribution: Attribution; reported: Reported[] },
): Promise<RecordedConversion[]> {
  const { users } = await bus.call(findConverters, { appId, users: reported.map(({ of }) => of) })
  const results = reported.map((): RecordedConversion => ({ status: 'unknown_user' }))
  const known = reported.flatMap(({ conversion, push, open }, index) => {
    const user = users[index]
    return user ? [{ index, told: toldOf(conversion, { ...user, push, ...(open && { open }) }) }] : []
  })
  if (known.length === 0) return results
  const recorded = await bus.call(recordConversions, { appId, attribution, conversions: known.map(({ told }) => told) })
  known.forEach(({ index }, place) => {
    const result = recorded.results[place]
    if (!result) throw new Error(`${known.length} conversions were answered with ${recorded.results.length}`)
    results[index] = result
  })
  return results
}

const toldOf = (
  { id, name, at, value, currency }: ReportConversion,
  of: Pick<ToldConversion, 'userId' | 'subscriptionIds' | 'push' | 'open'>,
): ToldConversion => ({ id, name, at, value: value === undefined ? null : String(value), currency: currency ?? null, ...of })

type One = { appId: string; attribution: Attribution; reported: Reported }

/** Opens a function that counts a conversion of a device. Those that come while a call is under way share the next one. */
export const openConversionCounter = ({ bus }: { bus: Pick<Bus, 'call'> }): ((one: One) => Promise<RecordedConversion>) =>
  group<One, RecordedConversion>(
    async (all) => {
      const results = new Map<One, RecordedConversion>()
      const ofApps = Map.groupBy(all, ({ appId }) => appId)
      await Promise.all(
        [...ofApps].map(async ([appId, ofApp]) => {
          const attribution = ofApp[0]?.attribution ?? { directHours: 24, influencedHours: 1 }
          const answers = await reportConversions(bus, { appId, attribution, reported: ofApp.map(({ reported }) => reported) })
          answers.forEach((answer, place) => {
            const one = ofApp[place]
            if (one) results.set(one, answer)
          })
        }),
      )
      return all.map((one) => results.get(one) ?? { status: 'unknown_user' })
    },
    {
      limit: mostConversions,
      maxWaiting: 5_000,
      full: queueUnavailable,
      isShared: (error) => Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable'),
    },
  )
