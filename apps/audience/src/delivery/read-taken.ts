import type { FrozenSend, TakeAnswer } from '@herald/contracts/batch'
import { reachesOptedOut } from '@herald/contracts/live-activity'
import type { Attempt } from '@herald/contracts/outcome'
import type { RecipientColumns } from '@herald/contracts/recipient'
import { LRUCache } from 'lru-cache'
import { findHeldTokens } from '../store/activities.ts'
import { findBadges } from '../store/badges.ts'
import { namesOfSend, type NamesOfSend } from './core/names-of-send.ts'
import { noDevices, partOf, withActivityTokens, type QueuedDevices } from './core/recipient.ts'
import { readRecipients } from './store/recipients.ts'
import { findFrozen, findTrails } from './store/taken-batches.ts'
import type { Db } from '../store/tables.ts'
import type { Granted } from './take-batch.ts'

export type KnownSend = { send: FrozenSend; names: NamesOfSend }
/** The sends of batches that were taken lately, so that they are not read again. */
export type Remembered = LRUCache<string, KnownSend>
type Sends = ReadonlyMap<string, KnownSend>

/** Makes a memory of 500 frozen sends, which never change. A send usually takes 1 KB and at most about 70 KB, so all of them take at most 35 MB. */
export const rememberSends = (): Remembered => new LRUCache({ max: 500 })

/** Remembers a frozen send, which includes the app's time zone, so that audience need not read the send again for its next batches. */
export function remember(remembered: Remembered, send: FrozenSend): KnownSend {
  const known = { send, names: namesOfSend(send) }
  remembered.set(send.campaignId, known)
  return known
}

/**
 * One query reads the pushes of several batches, about this many pushes in all. This bounds the memory when many large batches are taken together;
 * the pushes of 500 small batches still fit into one query.
 */
const pushesPerQuery = 5_000

/**
 * Makes the answers for granted batches, in order: their pushes or a part of them, the devices as they are now, and the send unless the dispatcher
 * has it. `gone`: the campaign was settled, its send deleted.
 */
export async function readTaken({ db, remembered }: { db: Db; remembered: Remembered }, granted: Granted[]): Promise<TakeAnswer[]> {
  const sends = await learnSends(db, remembered, granted)
  const answers: TakeAnswer[] = []
  for (const chunk of intoChunks(granted)) answers.push(...(await readChunk(db, sends, chunk)))
  return answers
}

/** Gives the sends of these batches with the fields that their texts name, from memory or, in one query, from their fan-outs. */
async function learnSends(db: Db, remembered: Remembered, granted: Granted[]): Promise<Sends> {
  const sends = new Map<string, KnownSend>()
  const unknown: string[] = []
  for (const campaignId of new Set(granted.map(({ row }) => row.campaignId))) {
    const known = remembered.get(campaignId)
    if (known) sends.set(campaignId, known)
    else unknown.push(campaignId)
  }
  for (const { campaignId, send: frozen, settings } of unknown.length > 0 ? await findFrozen(db, unknown) : []) {
    if (!frozen) continue
    const send = settings ? { ...frozen, defaultTimezone: settings.defaultTimezone } : frozen
    sends.set(campaignId, remember(remembered, send))
  }
  return sends
}

function* intoChunks(granted: Granted[]): Generator<Granted[]> {
  let chunk: Granted[] = []
  let pushes = 0
  for (const one of granted) {
    chunk.push(one)
    pushes += one.row.size - one.from
    if (pushes < pushesPerQuery) continue
    yield chunk
    chunk = []
    pushes = 0
  }
  if (chunk.length > 0) yield chunk
}

async function readChunk(db: Db, sends: Sends, granted: Granted[]): Promise<TakeAnswer[]> {
  const toRead = granted.flatMap((one) => {
    const known = sends.get(one.row.campaignId)
    return known && !one.row.decided ? [{ one, batchId: one.row.id, platform: one.row.platform, from: one.from, names: known.names }] : []
  })
  const read = await readRecipients(db, toRead)
  const queued = new Map(toRead.map(({ one }, index) => [one, read[index]]))
  for (const { one, batchId } of toRead) {
    const activity = sends.get(one.row.campaignId)?.send.activity
    const found = activity && queued.get(one)
    if (found) queued.set(one, withActivityTokens(found, await findHeldTokens(db, batchId, activity), reachesOptedOut(activity)))
  }
  // Only batches that were tried before have a trail (the answers to earlier tries).
  const tried = granted.flatMap(({ row }) => (row.tries > 0 ? [row.id] : []))
  const trails = tried.length > 0 ? await findTrails(db, tried) : noTrails
  const raising = toRead.flatMap(({ one, batchId }) => (sends.get(one.row.campaignId)?.send.presentation?.badgeIncrement ? [batchId] : []))
  const badges = raising.length > 0 ? await findBadges(db, raising) : noBadges
  return granted.map((one) => {
    const known = sends.get(one.row.campaignId)
    return known ? toAnswer(one, known, queued.get(one) ?? noDevices, trails.get(one.row.id), badges.get(one.row.id)) : { answer: 'gone' }
  })
}

const noTrails: ReadonlyMap<string, Attempt[]> = new Map()
const noBadges: ReadonlyMap<string, number[]> = new Map()

/** Gives each recipient the badge of the place of its push. */
const withBadges = (columns: RecipientColumns, badges: number[]): RecipientColumns => ({
  ...columns,
  badges: columns.addresses.map((_, at) => badges[columns.places?.[at] ?? columns.firstPlace + at] ?? 0),
})

function toAnswer(
  { row, from, knowsSend }: Granted,
  { send, names }: KnownSend,
  queued: QueuedDevices,
  trail: Attempt[] | undefined,
  badges: number[] | undefined,
): TakeAnswer {
  const part = partOf(queued, names, row.platform, from)
  return {
    answer: 'taken',
    batchId: row.id,
    campaignId: row.campaignId,
    appId: row.appId,
    platform: row.platform,
    lane: row.lane,
    day: row.day,
    no: row.no,
    takes: row.takes,
    tries: row.tries,
    ...(trail ? { trail } : {}),
    queuedAt: row.queuedAt.toISOString(),
    elapsedMs: row.elapsedMs,
    send: knowsSend ? null : send,
    recipients: badges ? withBadges(part.recipients, badges) : part.recipients,
    decided: row.decided?.slice(from) ?? part.decided,
    // A batch with ttl 0 is sent completely, even as a probe: its pushes have one try, so they cannot be tried again after the probe.
    probe: row.probes !== null && send.ttl > 0,
    heldEnvironments: row.heldEnvironments,
    more: part.count < queued.facts.length,
  }
}
