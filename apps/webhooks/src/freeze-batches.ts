import { findExternalIds } from '@herald/contracts/calls/audience'
import { failsEverybody } from '@herald/service/health'
import { transact } from '@herald/service/postgres'
import { batchAfterMs, batchSize, eventsJson, mostWaiting, newDeliveryId, readyAhead, sizeOfBatch } from './core/batch.ts'
import { advanced, readByAll, typesIn, untilOf, waitingOf, type Log, type Mark, type Reading, type Totals } from './core/reading.ts'
import { dropOldestBodies, findBodies, findErasedUsers, insertBodies, type BodyKey } from './store/bodies.ts'
import { insertDeliveries, type NewDelivery } from './store/deliveries.ts'
import { deleteEvents, findEvents, passOver, type LogEvent } from './store/events.ts'
import { findNextLog, lockLogs, putOffLog, takeDueLogs, updateLogs } from './store/logs.ts'
import { changeQueues, findReaders, lockQueues, type Queue, type QueueChange } from './store/queues.ts'
import type { Webhooks } from './webhooks.ts'

/** One sweep takes the event logs of at most this many apps, those first that are due for longest. */
const mostApps = 20
/**
 * One sweep reads at most this many events, and each of its apps has an equal share of them. The events take some 20 MB of memory while their bodies
 * are made.
 */
const mostEvents = 10_000
/** One call to audience asks for the external ids of at most this many users. */
const idsPerCall = 1_000
/** One sweep deletes at most this many events of one type of an app. */
const deletedAtOnce = 5_000
/** The event log of an app whose endpoints still have something to read is due again after this time, unless something makes it due sooner. */
const lookAgainMs = 1_000

/**
 * Endpoints that have read the same event log up to the same place and ask for the same types. These endpoints get the same batches. `rooms` says, by
 * endpoint id, how many deliveries each may get now.
 */
type Group = { appId: string; reading: Reading; waiting: number; rooms: Map<string, number> }
/** The events of a batch. `to` is how far an endpoint has read once it has this batch. */
type Batch = { key: BodyKey; events: LogEvent[]; to: Mark }
type Planned = Group & { batches: Batch[]; dueInMs: number }

/**
 * Makes deliveries of due events. An endpoint's next events, up to 100, become a body whose bytes never change ("frozen"), shared by endpoints with
 * the same place and types. `also`: apps whose logs are taken though not due.
 */
export async function freezeBatches(webhooks: Freezing, also: string[] = []): Promise<Frozen & { nextInMs?: number }> {
  const { db } = webhooks
  const logs = await takeDueLogs(db, { limit: mostApps, also })
  if (logs.size > 0) return freezeOrPutOff(webhooks, logs)
  const nextInMs = await findNextLog(db)
  return { ...nothing, ...(nextInMs === undefined ? {} : { nextInMs }) }
}

type Freezing = Pick<Webhooks, 'db' | 'bus' | 'log' | 'bodies' | 'mostBytes'>
/**
 * How many deliveries were made and events dropped. `full`: the apps with an endpoint that may get no further delivery until some have ended.
 */
type Frozen = { took: number; dropped: number; full: string[] }
const nothing: Frozen = { took: 0, dropped: 0, full: [] }

/** Freezes the events of these apps in one transaction, and after an error those of each app alone. An app that then fails is due again in 5 s. */
async function freezeOrPutOff(webhooks: Freezing, logs: Map<string, Log>): Promise<Frozen> {
  try {
    return await freezeTogether(webhooks, logs)
  } catch (error) {
    if (failsEverybody(error)) throw error
    let all = nothing
    for (const [appId, log] of logs) {
      if (logs.size === 1) {
        webhooks.log.error({ appId, err: error }, 'the deliveries of an app cannot be made; they are tried again in 5 s')
        // A row that cannot even be put off is due again in a second.
        await putOffLog(webhooks.db, appId).catch(() => undefined)
        continue
      }
      const { took, dropped, full } = await freezeOrPutOff(webhooks, new Map([[appId, log]]))
      all = { took: all.took + took, dropped: all.dropped + dropped, full: [...all.full, ...full] }
    }
    return all
  }
}

async function freezeTogether({ db, bus, log, bodies, mostBytes }: Freezing, logs: Map<string, Log>): Promise<Frozen> {
  const { planned, full } = await planBatches(db, logs)
  const stored = await findBodies(
    db,
    planned.flatMap(({ batches }) => batches.map(({ key }) => key)),
  )
  const made = planned.flatMap(({ batches }) => batches).filter((_batch, place) => stored[place] === undefined)
  // Audience is asked outside the transaction. While it does not answer, the events of the app stay in its event log.
  const externalIds = await lookUpExternalIds({ bus, log }, made)
  const ready = planned.filter(({ appId }) => !externalIds.away.has(appId))
  const done = await transact(db, (trx) => freeze({ trx, bodies, mostBytes }, [...logs.keys()], ready, externalIds.names))
  return { ...done, full }
}

/**
 * Plans the batches that are due, by group of endpoints. `full`: the apps with an endpoint whose waiting events use up its room, the deliveries that
 * it may get now.
 */
async function planBatches(db: Webhooks['db'], logs: Map<string, Log>): Promise<{ planned: Planned[]; full: string[] }> {
  const groups = new Map<string, Group>()
  const full = new Set<string>()
  for (const { endpointId, appId, readings, room } of await findReaders(db, [...logs.keys()])) {
    const [log, reading] = [logs.get(appId), readings[0]]
    if (!log || !reading) continue
    const until = untilOf(reading, log)
    const waiting = until.count - reading.from.count
    if (waiting === 0) continue
    if (waiting >= room * batchSize) full.add(appId)
    if (room === 0) continue
    const key = [appId, ...reading.types, reading.from.count, until.count].join()
    const group = groups.get(key) ?? { appId, reading: { ...reading, until }, waiting, rooms: new Map() }
    groups.set(key, group)
    group.rooms.set(endpointId, room)
  }
  const { taken, left } = fairShare([...groups.values()])
  const found = await findEvents(
    db,
    taken.map(({ appId, reading: { types, from, until }, rooms, waiting }) => ({
      appId,
      types: typesIn(logs.get(appId)?.totals ?? {}, types),
      after: from.place,
      until: until?.place ?? from.place,
      limit: Math.min(waiting, Math.max(...rooms.values()) * batchSize),
    })),
  )
  const looked = taken.map((group, place) => ({ ...group, ...batchesOf(group, found[place] ?? []) }))
  return { planned: [...looked, ...left.map((group) => ({ ...group, batches: [], dueInMs: 0 }))], full: [...full] }
}

/**
 * Divides the events that one sweep may read (`mostEvents`) equally among the apps, and takes as many groups of each as its part allows. If more are
 * left it begins at a random one, so none waits for ever.
 */
function fairShare(groups: Group[]): { taken: Group[]; left: Group[] } {
  const byApp = [...Map.groupBy(groups, ({ appId }) => appId).values()]
  const most = Math.max(1, Math.floor(mostEvents / batchSize / readyAhead / Math.max(1, byApp.length)))
  const [taken, left]: [Group[], Group[]] = [[], []]
  for (const ofApp of byApp) {
    const first = ofApp.length > most ? Math.floor(Math.random() * ofApp.length) : 0
    const turned = [...ofApp.slice(first), ...ofApp.slice(0, first)]
    taken.push(...turned.slice(0, most))
    left.push(...turned.slice(most))
  }
  return { taken, left }
}

/** Cuts the events of a group into batches. `dueInMs`: in how many milliseconds the group is to be looked at again. */
function batchesOf({ appId, reading, waiting, rooms }: Group, found: LogEvent[]): { batches: Batch[]; dueInMs: number } {
  const batches: Batch[] = []
  const room = Math.max(...rooms.values())
  let { from } = reading
  let taken = 0
  while (taken < waiting && batches.length < room) {
    const next = found[taken]
    if (!next) break
    const size = sizeOfBatch({ before: from.count, waiting: waiting - taken, oldestMs: next.ageMs })
    if (size === 0) return { batches, dueInMs: Math.max(0, batchAfterMs - next.ageMs) }
    const events = found.slice(taken, taken + size)
    // Events were deleted since the endpoints were read, so these endpoints have moved on.
    if (events.length < size) break
    const to = {
      place: events.at(-1)?.place ?? from.place,
      count: from.count + size,
      bytes: from.bytes + events.reduce((sum, { bytes }) => sum + bytes, 0),
    }
    batches.push({ key: { appId, types: reading.types.join(), after: from.count, until: to.count }, events, to })
    from = to
    taken += size
  }
  return { batches, dueInMs: lookAgainMs }
}

type ExternalIds = Map<string, Record<string, string>>

/** Asks audience for the external ids of the users in these batches, by app. `away`: the apps for which audience did not answer. */
async function lookUpExternalIds(
  { bus, log }: Pick<Webhooks, 'bus' | 'log'>,
  batches: Batch[],
): Promise<{ names: ExternalIds; away: Set<string> }> {
  const [names, away]: [ExternalIds, Set<string>] = [new Map(), new Set()]
  const lookUp = async (appId: string, of: Batch[]) => {
    const users = [...new Set(of.flatMap(({ events }) => events.flatMap(({ userId }) => userId ?? [])))]
    try {
      const asked = chunksOf(users, idsPerCall).map((userIds) => bus.call(findExternalIds, { appId, userIds }))
      names.set(appId, Object.assign({}, ...(await Promise.all(asked)).map((answer) => answer.externalIds)))
    } catch (error) {
      away.add(appId)
      log.debug({ appId, err: error }, 'external ids could not be looked up')
    }
  }
  await Promise.all([...Map.groupBy(batches, ({ key }) => key.appId)].map(([appId, of]) => lookUp(appId, of)))
  return { names, away }
}

const chunksOf = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) => items.slice(chunk * size, (chunk + 1) * size))

type Within = Pick<Webhooks, 'bodies' | 'mostBytes'> & { trx: Webhooks['db'] }

/**
 * Writes the planned deliveries, except for endpoints that have moved on since the plan was made, drops what is above the limits of an endpoint, and
 * tidies the logs.
 */
async function freeze(
  { trx, bodies: kept, mostBytes }: Within,
  appIds: string[],
  planned: Planned[],
  externalIds: ExternalIds,
): Promise<{ took: number; dropped: number }> {
  const logs = await lockLogs(trx, appIds)
  const queues = await lockQueues(trx, [...logs.keys()])
  const byId = new Map(queues.map((queue) => [queue.endpointId, queue]))
  const standing = planned
    .map((plan) => {
      const stands = ({ readings: [first] }: Queue) =>
        first !== undefined && first.from.count === plan.reading.from.count && first.types.join() === plan.reading.types.join()
      return {
        ...plan,
        readers: [...plan.rooms.keys()].flatMap((id) => byId.get(id) ?? []).filter((queue) => queue.isOpen && stands(queue)),
      }
    })
    .filter(({ readers, batches }) => readers.length > 0 && batches.length > 0)
  const bodies = await bodiesOf({ trx, bodies: kept }, standing, externalIds)

  const deliveries: NewDelivery[] = []
  const changes = new Map<string, QueueChange>()
  for (const { batches, readers, rooms } of standing) {
    for (const { endpointId, readings } of readers) {
      const change = { endpointId, readings, addedBytes: 0 }
      for (const { key, to, events } of batches.slice(0, rooms.get(endpointId))) {
        const body = bodies.get(nameOf(key))
        if (body === undefined) break
        deliveries.push({ id: newDeliveryId(), endpointId, eventCount: events.length, bodyId: body.id })
        change.addedBytes += body.bytes
        change.readings = advanced(change.readings, to)
      }
      changes.set(endpointId, change)
    }
  }
  await insertDeliveries(trx, deliveries)
  if (changes.size > 0) await changeQueues(trx, [...changes.values()])
  const after = queues.map((queue) => {
    const change = changes.get(queue.endpointId)
    return change ? { ...queue, readings: change.readings, bodyBytes: queue.bodyBytes + (change.addedBytes ?? 0) } : queue
  })
  const { dropped, queues: left } = await dropTooMany(trx, mostBytes, logs, after)
  await tidyLogs(trx, logs, left, planned)
  return { took: deliveries.length, dropped }
}

const nameOf = ({ appId, types, after, until }: BodyKey): string => [appId, types, after, until].join()

/**
 * Gives the bodies of batches: those that exist, and the missing ones, which it writes. A body that was deleted since the plan was made is left out
 * when the external ids of its users were not asked for.
 */
async function bodiesOf(
  { trx, bodies }: Pick<Within, 'trx' | 'bodies'>,
  standing: Planned[],
  externalIds: ExternalIds,
): Promise<Map<string, { id: number; bytes: number }>> {
  const batches = [...new Map(standing.flatMap((plan) => plan.batches).map((batch) => [nameOf(batch.key), batch])).values()]
  if (batches.length === 0) return new Map()
  const stored = await findBodies(
    trx,
    batches.map(({ key }) => key),
    { isHeld: true },
  )
  const found = new Map(batches.flatMap(({ key }, place) => (stored[place] ? [[nameOf(key), stored[place]] as const] : [])))
  const missing = batches.filter(({ key }) => !found.has(nameOf(key)) && externalIds.has(key.appId))
  const usersOf = ({ events }: Batch) => [...new Set(events.flatMap(({ userId }) => userId ?? []))]
  if (missing.length === 0) return found
  const erased = await findErasedUsers(trx, [...new Set(missing.flatMap(usersOf))])
  const made = missing.map((batch) => {
    const names = Object.fromEntries(Object.entries(externalIds.get(batch.key.appId) ?? {}).filter(([userId]) => !erased.has(userId)))
    return { key: batch.key, userIds: usersOf(batch), eventCount: batch.events.length, events: eventsJson(batch.events, names) }
  })
  const ids = await insertBodies(trx, made)
  for (const [place, { key, events }] of made.entries()) {
    const id = ids[place] ?? 0
    found.set(nameOf(key), { id, bytes: events.length })
    bodies.set(id, events)
  }
  return found
}

/**
 * One transaction drops at most this many portions, of 200 bodies each, of an endpoint that stores too many bytes. These are far more bodies than the
 * transaction adds. If they are not enough, the next sweep drops more.
 */
const portionsPerCommit = 10

/**
 * Drops events and bodies above the limits of an endpoint. Above `mostBytes` the oldest bodies kept only for a replay go first. Then, or above
 * 100,000 waiting events, the oldest waiting events are dropped and counted.
 */
async function dropTooMany(
  trx: Webhooks['db'],
  mostBytes: number,
  logs: Map<string, Log>,
  queues: Queue[],
): Promise<{ dropped: number; queues: Queue[] }> {
  const changes: QueueChange[] = []
  for (const { endpointId, appId, readings, bodyBytes } of queues) {
    const log = logs.get(appId)
    if (!log) continue
    const waiting = waitingOf(readings, log)
    let tooManyBytes = waiting.bytes + bodyBytes - mostBytes
    for (let portion = 0; tooManyBytes > 0 && portion < portionsPerCommit; portion += 1) {
      const freed = await dropOldestBodies(trx, endpointId, tooManyBytes)
      if (freed === 0) break
      tooManyBytes -= freed
    }
    const tooMany = { events: Math.max(0, waiting.count - mostWaiting), bytes: Math.max(0, tooManyBytes) }
    const [first] = readings
    if (!first || waiting.count === 0 || (tooMany.events === 0 && tooMany.bytes === 0)) continue
    const stretch = { appId, types: typesIn(log.totals, first.types), after: first.from.place, until: untilOf(first, log).place }
    const over = await passOver(trx, stretch, tooMany)
    if (!over) continue
    const to = { place: over.place, count: first.from.count + over.count, bytes: first.from.bytes + over.bytes }
    changes.push({ endpointId, readings: advanced(readings, to), dropped: over.count })
  }
  if (changes.length > 0) await changeQueues(trx, changes)
  const moved = new Map(changes.map(({ endpointId, readings }) => [endpointId, readings]))
  return {
    dropped: changes.reduce((sum, { dropped = 0 }) => sum + dropped, 0),
    queues: queues.map((queue) => ({ ...queue, readings: moved.get(queue.endpointId) ?? queue.readings })),
  }
}

/**
 * Deletes events that every endpoint has read, and sets when each event log is due next. A log has no due time while no endpoint that is switched on
 * has anything to read and nothing is left to delete.
 */
async function tidyLogs(trx: Webhooks['db'], logs: Map<string, Log>, queues: Queue[], planned: Planned[]): Promise<void> {
  const ofApp = Map.groupBy(queues, ({ appId }) => appId)
  const ranges = [...logs].flatMap(([appId, log]) => {
    const readings = (ofApp.get(appId) ?? []).map((queue) => queue.readings)
    return readByAll(log, readings).map((range) => ({ appId, ...range }))
  })
  const deletedTo = ranges.length === 0 ? [] : await deleteEvents(trx, ranges, deletedAtOnce)
  const totals = new Map<string, Record<string, Totals[string]>>([...logs].map(([appId, log]) => [appId, { ...log.totals }]))
  const unfinished = new Set<string>()
  for (const [place, { appId, type, to }] of ranges.entries()) {
    const [count, bytes] = logs.get(appId)?.totals[type] ?? [0, 0, 0]
    const done = deletedTo[place] ?? to
    Object.assign(totals.get(appId) ?? {}, { [type]: [count, bytes, done] })
    if (done < to) unfinished.add(appId)
  }
  const plansOf = Map.groupBy(planned, ({ appId }) => appId)
  await updateLogs(
    trx,
    [...logs].map(([appId, log]) => {
      const waits = (ofApp.get(appId) ?? []).some(({ isOpen, readings }) => isOpen && waitingOf(readings, log).count > 0)
      const soonest = Math.min(lookAgainMs, ...(plansOf.get(appId) ?? []).map(({ dueInMs }) => dueInMs))
      const dueInMs = unfinished.has(appId) ? 0 : waits ? soonest : undefined
      return { appId, totals: totals.get(appId) ?? {}, dueInMs }
    }),
  )
}
