import type { FrozenSend, TakenBatch } from '@herald/contracts/batch'
import type { Attempt } from '@herald/contracts/outcome'
import { namesOfSend, type NamesOfSend } from './core/names-of-send.ts'
import { keepRecent, type Recent } from '../core/recent.ts'
import { noDevices, partOf, type QueuedDevices } from './core/recipient.ts'
import { findTrails } from './store/batches.ts'
import { findFrozen } from '../sends/store/fan-outs.ts'
import { readRecipients } from './store/recipients.ts'
import type { Db } from '../store/tables.ts'
import type { Granted } from './take-batch.ts'

type KnownSend = { send: FrozenSend; names: NamesOfSend }
type Sends = ReadonlyMap<string, KnownSend>

/** Sends are frozen, so they may be remembered: 1 KB as a rule, at most about 70 KB each. */
export const rememberSends = (): Recent<KnownSend> => keepRecent(500)

/** A send as it was frozen, with the app's zone in it, for its batches to come. */
export function remember(remembered: Recent<KnownSend>, send: FrozenSend): KnownSend {
  const known = { send, names: namesOfSend(send) }
  remembered.set(send.campaignId, known)
  return known
}

/** Pushes read by one query. Bounds the memory of a group of large batches; 500 small batches are still one query. */
const pushesPerQuery = 5_000

/**
 * The answers for granted batches: their pushes as the devices are now, or the first part of them, and the send unless the
 * dispatcher has it. A campaign settled in between has none any more: `gone`. Answers in the order given.
 */
export async function readTaken({ db, remembered }: { db: Db; remembered: Recent<KnownSend> }, granted: Granted[]): Promise<TakenBatch[]> {
  const sends = await learnSends(db, remembered, granted)
  const answers: TakenBatch[] = []
  for (const chunk of intoChunks(granted)) answers.push(...(await readChunk(db, sends, chunk)))
  return answers
}

/** The sends of these batches with the names their contents read, from memory or, in one query, from their fan-outs. */
async function learnSends(db: Db, remembered: Recent<KnownSend>, granted: Granted[]): Promise<Sends> {
  const sends = new Map<string, KnownSend>()
  const unknown: string[] = []
  for (const campaignId of new Set(granted.map(({ row }) => row.campaign_id))) {
    const known = remembered.get(campaignId)
    if (known) sends.set(campaignId, known)
    else unknown.push(campaignId)
  }
  for (const { campaign_id, send: frozen, settings } of unknown.length > 0 ? await findFrozen(db, unknown) : []) {
    if (!frozen) continue
    const send = settings ? { ...frozen, defaultTimezone: settings.defaultTimezone } : frozen
    sends.set(campaign_id, remember(remembered, send))
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

async function readChunk(db: Db, sends: Sends, granted: Granted[]): Promise<TakenBatch[]> {
  const toRead = granted.flatMap((one) => {
    const known = sends.get(one.row.campaign_id)
    return known && !one.row.decided ? [{ one, batchId: one.row.id, platform: one.row.platform, from: one.from, names: known.names }] : []
  })
  const read = await readRecipients(db, toRead)
  const queued = new Map(toRead.map(({ one }, index) => [one, read[index]]))
  // Only what was tried before has heard anything.
  const tried = granted.flatMap(({ row }) => (row.tries > 0 ? [row.id] : []))
  const trails = tried.length > 0 ? await findTrails(db, tried) : noTrails
  return granted.map((one) => {
    const known = sends.get(one.row.campaign_id)
    return known ? toAnswer(one, known, queued.get(one) ?? noDevices, trails.get(one.row.id)) : { answer: 'gone' }
  })
}

const noTrails: ReadonlyMap<string, Attempt[]> = new Map()

function toAnswer(
  { row, from, knowsSend }: Granted,
  { send, names }: KnownSend,
  queued: QueuedDevices,
  trail: Attempt[] | undefined,
): TakenBatch {
  const part = partOf(queued, names, row.platform, from)
  return {
    answer: 'taken',
    batchId: row.id,
    campaignId: row.campaign_id,
    appId: row.app_id,
    platform: row.platform,
    lane: row.lane,
    day: row.day,
    no: row.batch_no,
    takes: row.takes,
    tries: row.tries,
    ...(trail ? { trail } : {}),
    queuedAt: row.queued_at.toISOString(),
    elapsedMs: row.elapsedMs,
    send: knowsSend ? null : send,
    recipients: part.recipients,
    decided: row.decided?.slice(from) ?? part.decided,
    // What is sent now or never is its own probe: none of it could come back.
    probe: row.probes !== null && send.ttl > 0,
    heldEnvironments: row.heldEnvironments,
    more: part.count < queued.facts.length,
  }
}
