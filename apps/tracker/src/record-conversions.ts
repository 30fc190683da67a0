import type { RecordedConversion, ToldConversion } from '@herald/contracts/calls/tracker'
import {
  conversionAheadMinutes,
  conversionLatestDays,
  mostConversionNames,
  mostOpenNames,
  noCurrency,
  type Attribution,
} from '@herald/contracts/conversion'
import { eventSubjects } from '@herald/contracts/topology'
import { findListeners } from '@herald/service/listeners'
import { transact } from '@herald/service/postgres'
import { announcementsOf } from './announce.ts'
import { attributeConversions } from './attribute-conversions.ts'
import type { Cause } from './core/attribution.ts'
import { conversionMoves } from './core/conversion-moves.ts'
import { conversionEvent } from './core/event.ts'
import { insertAnnouncements } from './store/announcements.ts'
import {
  conversionKey,
  findKnownConversions,
  holdPeople,
  insertConvertedUsers,
  insertConversions,
  moveConversions,
  nameOfKey,
  nameOfUser,
  takeNames,
  type ConversionKey,
} from './store/conversions.ts'
import { databaseNow } from './store/series.ts'
import type { Db } from './store/tables.ts'
import type { Tracker } from './tracker.ts'

export type ConversionCall = { appId: string; attribution: Attribution; conversions: ToldConversion[] }

/** A conversion that may be new, with its index in the call and the push that led to it. */
type Candidate = { index: number; conversion: ToldConversion; key: ConversionKey; cause: Cause | undefined }

/**
 * Counts conversions and attributes them, and answers after the commit (spec: conversions/once). An id that the app has already for that day changes
 * nothing, and is answered with what it was attributed to.
 */
export async function recordConversions(
  {
    db,
    ensureDay,
    followUp,
    retentionDays,
    stripe = 0,
  }: Pick<Tracker, 'db' | 'ensureDay' | 'followUp' | 'retentionDays'> & { stripe?: number },
  { appId, attribution, conversions }: ConversionCall,
): Promise<{ results: RecordedConversion[] }> {
  const now = await databaseNow(db)
  const results: (RecordedConversion | undefined)[] = conversions.map(({ at }) => refusalOf(at, now))
  const keys = conversions.map(conversionKey)
  const asked = conversions.flatMap((conversion, index) => {
    const key = keys[index]
    return key && !results[index] ? [{ index, conversion, key }] : []
  })
  const known = await findKnownConversions(
    db,
    appId,
    asked.map(({ key }) => key),
  )
  const unknown = asked.filter(({ key }) => !known.has(nameOfKey(key)))
  // Of an id that comes twice in one call the second is the duplicate.
  const fresh = [...Map.groupBy(unknown, ({ key }) => nameOfKey(key)).values()].flatMap(([first]) => first ?? [])
  const causes = await attributeConversions(
    { db, retentionDays },
    { appId, attribution, conversions: fresh.map(({ conversion }) => conversion), now },
  )
  const candidates = fresh
    .map((one, place): Candidate => ({ ...one, cause: causes[place] }))
    .toSorted((one, other) => (nameOfKey(one.key) < nameOfKey(other.key) ? -1 : 1))
  // The users of a campaign's conversions are kept with the campaign's day, which may be older than the conversion's.
  for (const day of new Set(candidates.flatMap(({ key, cause }) => (cause ? [key.day, cause.push.day] : [key.day])))) await ensureDay(day)

  if (candidates.length > 0) {
    const { announcements, decided } = await transact(db, (trx) => write(trx, appId, candidates, stripe))
    followUp({ announcements, settled: [] })
    for (const { index, key } of candidates) {
      const result = decided.get(index)
      if (result) results[index] = result
      // What is refused is refused each time that this call says it.
      if (result && result.status !== 'counted')
        for (const one of asked) if (nameOfKey(one.key) === nameOfKey(key)) results[one.index] = result
    }
  }
  const left = asked.filter(({ index }) => !results[index])
  // Those that another call has written meanwhile are read again, so that every answer says what was decided first.
  const late = left.flatMap(({ key }) => (known.has(nameOfKey(key)) ? [] : [key]))
  const all = late.length === 0 ? known : new Map([...known, ...(await findKnownConversions(db, appId, late))])
  for (const { index, key } of left) results[index] = { status: 'duplicate', attribution: all.get(nameOfKey(key)) ?? null }
  return { results: results.map((result) => result ?? { status: 'unknown_user' }) }
}

/** Refuses a conversion that is too old or lies ahead. After that time its key may be forgotten. */
function refusalOf(at: string, now: Date): RecordedConversion | undefined {
  const ahead = Date.parse(at) - now.getTime()
  if (ahead > conversionAheadMinutes * 60_000)
    return { status: 'refused', path: 'at', message: `must lie at most ${conversionAheadMinutes} minutes ahead` }
  if (ahead < -conversionLatestDays * 86_400_000)
    return { status: 'refused', path: 'at', message: `must lie at most ${conversionLatestDays} days back` }
  return undefined
}

/** Writes what is new, with everything that it moves. Gives the results by index; one that another transaction has written is not among them. */
async function write(trx: Db, appId: string, candidates: Candidate[], stripe: number) {
  const decided = new Map<number, RecordedConversion>()
  const nothing = { announcements: [], decided }
  const { isKept, erased } = await holdPeople(
    trx,
    appId,
    candidates.map(({ conversion }) => conversion.userId),
  )
  const isHeard = await findListeners(trx, [appId])
  const here = candidates.filter(({ index, conversion }) => {
    const isGone = !isKept || erased.has(conversion.userId)
    if (isGone) decided.set(index, { status: 'unknown_user' })
    return !isGone
  })
  if (here.length === 0) return nothing
  const namedBy = (isOpen: boolean) => here.flatMap(({ conversion }) => ((conversion.open ?? false) === isOpen ? [conversion.name] : []))
  const byBackend = new Set(namedBy(false))
  const open = new Set(namedBy(true).filter((name) => !byBackend.has(name)))
  const names = await takeNames(trx, appId, [...byBackend, ...open], open)
  const named = here.filter(({ index, conversion }) => {
    const most = open.has(conversion.name) ? mostOpenNames : mostConversionNames
    const message = `would be the app’s name number ${most + 1}; ${conversion.open ? 'with a public key it' : 'it'} may have ${most}`
    if (!names.has(conversion.name)) decided.set(index, { status: 'refused', path: 'name', message })
    return names.has(conversion.name)
  })
  const inserted = await insertConversions(
    trx,
    appId,
    named.map(({ conversion, key, cause }) => ({
      ...key,
      ...conversion,
      attributed: cause ? { campaignId: cause.push.campaignId, how: cause.how } : null,
    })),
  )
  const fresh = named.filter(({ key }) => inserted.has(nameOfKey(key)))
  for (const { index, cause } of fresh)
    decided.set(index, { status: 'counted', attribution: cause ? { campaignId: cause.push.campaignId, how: cause.how } : null })

  const attributed = fresh.flatMap(({ cause, conversion }) => (cause ? [{ cause, conversion }] : []))
  if (attributed.length === 0) return nothing
  const userOf = ({ cause: { push }, conversion: { userId, name } }: (typeof attributed)[number]) => {
    return { day: push.day, campaignId: push.campaignId, userId, name }
  }
  const newUsers = await insertConvertedUsers(trx, appId, attributed.map(userOf))
  const announcements = announcementsOf(
    eventSubjects.pushEngaged,
    isHeard(appId, 'notification.converted') ? attributed.map(({ cause, conversion }) => conversionEvent(appId, conversion, cause)) : [],
  )
  await insertAnnouncements(trx, announcements)
  const moves = attributed.map((one) => {
    const { cause, conversion } = one
    const { campaignId, day, variant, platform } = cause.push
    // A user counts once, with the first conversion of this call.
    const isNewUser = newUsers.delete(nameOfUser(userOf(one)))
    const { name, value, currency } = conversion
    return { campaignId, day, variant, platform, how: cause.how, name, value, currency: currency ?? noCurrency, isNewUser }
  })
  await moveConversions(trx, conversionMoves(appId, moves), stripe)
  return { announcements, decided }
}
