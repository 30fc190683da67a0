import type { CircuitEnvironment, ProviderRate } from '@herald/contracts/batch'
import { transact } from '@herald/service/postgres'
import type { Db } from '../store/tables.ts'
import { decideTakes, toLookUp, type TakeDecision } from './core/circuit.ts'
import { giveTurns } from '../sends/core/pace.ts'
import { lockTurns, moveTurns, stampTurns } from '../sends/store/turns-of-sends.ts'
import type { ProviderRates } from './provider-rates.ts'
import { holdForTurn } from './store/provider-rates.ts'
import { lockOpenCircuits, writeCircuits, type LockedCircuit } from './store/circuits.ts'
import {
  findFirstPlaces,
  findNextLooks,
  grantBatches,
  holdBatches,
  keyOfAppAndPlatform,
  lockFree,
  type FreeRow,
  type Grant,
} from './store/held-batches.ts'
import { findRefusals, findTaken, keyOfTake, renewBatches, takeBatches, type Refusal, type TakenRow } from './store/taken-batches.ts'

/**
 * What a dispatcher asks for. `takes` null: the batch; otherwise the number of its take, for a further part after `from` pushes. `environment` and
 * `credentialsVersion` are those of its credentials; the version is null when the app has none.
 */
export type TakeAsked = {
  batchId: string
  knowsSend: boolean
  from: number
  takes: number | null
  environment: CircuitEnvironment
  credentialsVersion: number | null
  /** The rate that the credentials share; null when they have none. */
  rate: ProviderRate | null
}

/**
 * Why a dispatcher gets no batch. `gone`: the batch is done or unknown. `busy`: another dispatcher has it. `held`: it may not be tried yet, its
 * circuit is open, or its send is paused.
 */
export type Refused = { answer: 'gone' | 'busy' | 'held' }
export type Granted = { row: TakenRow; from: number; knowsSend: boolean }

type Taking = { db: Db; maxHoldSeconds: number; outageProbeMs: number; rates: ProviderRates; poke: () => void }

/**
 * Gives batches to dispatchers (docs/architecture.md, step 4), usually in one update, which counts the take. Of two that ask for one batch, the first
 * gets it; the second is answered `busy`. Answers in the order asked.
 */
export async function takeBatch(taking: Taking, asked: TakeAsked[]): Promise<(Granted | Refused)[]> {
  const continued = await continueTakes(taking.db, asked)
  // A dispatcher asks so for the batch of a small send, which was given to it untaken.
  for (const [index, { rate, from }] of asked.entries()) {
    const one = continued[index]
    if (rate && from === 0 && one && 'row' in one) await taking.rates.took(rate, one.row.size)
  }
  const taken = await newTakes(taking, asked)
  return asked.map((_, index) => continued[index] ?? taken[index] ?? { answer: 'gone' })
}

/** Renews the leases of batches that their takers still have, in one update for all. Answers in the order asked. */
export async function renewBatch({ db }: { db: Db }, takes: { batchId: string; takes: number }[]): Promise<{ held: boolean }[]> {
  const held = await renewBatches(db, takes)
  return takes.map((take) => ({ held: held.has(keyOfTake(take)) }))
}

/** Answers the requests for whole batches; undefined for the requests for a further part. Of several requests for one batch the first gets it. */
async function newTakes(taking: Taking, asked: TakeAsked[]): Promise<(Granted | Refused | undefined)[]> {
  const first = new Map(
    asked
      .filter(({ takes }) => takes === null)
      .toReversed()
      .map((one) => [one.batchId, one]),
  )
  if (first.size === 0) return []
  const held = await holdBack(taking, [...first.values()])
  const ready = [...first.values()].filter(({ batchId }) => !held.has(batchId))
  const taken = new Map((ready.length > 0 ? await takeBatches(taking.db, ready) : []).map((row) => [row.id, row]))
  const notTaken = ready.map(({ batchId }) => batchId).filter((id) => !taken.has(id))
  const refusals = notTaken.length > 0 ? await findRefusals(taking.db, notTaken) : new Map<string, Refusal>()
  const paced = [...first.values()].filter(({ batchId }) => refusals.get(batchId) === 'paced')
  const inTurn = paced.length > 0 ? await takeInTurn(taking, paced) : { rows: [], blocked: new Set<string>() }
  for (const row of inTurn.rows) taken.set(row.id, row)
  const free = [...first.values()].filter(({ batchId }) => refusals.get(batchId) === 'free' || inTurn.blocked.has(batchId))
  const passed = free.length > 0 ? await passCircuits(taking, free) : []
  for (const row of passed) taken.set(row.id, row)
  const passedInTurn = passed.filter(({ id }) => inTurn.blocked.has(id))
  if (passedInTurn.length > 0) await moveTurns(taking.db, passedInTurn)
  for (const row of taken.values()) {
    const rate = first.get(row.id)?.rate
    if (rate && row.decided === null) await taking.rates.took(rate, row.size)
  }

  return asked.map((one) => {
    if (one.takes !== null) return undefined
    const row = taken.get(one.batchId)
    if (row) return one === first.get(one.batchId) ? { row, from: one.from, knowsSend: one.knowsSend } : { answer: 'busy' }
    const refusal = held.has(one.batchId) ? 'held' : (refusals.get(one.batchId) ?? 'gone')
    return { answer: refusal === 'free' || refusal === 'paced' ? 'held' : refusal }
  })
}

/**
 * Takes batches of sends with a rate that have their turn, and gives the others later turns (spec: sending/rate). The turns are rows that are locked
 * meanwhile. `blocked`: batches that have a turn, and something else keeps them.
 */
async function takeInTurn({ db, poke }: Taking, asked: TakeAsked[]): Promise<{ rows: TakenRow[]; blocked: Set<string> }> {
  const ids = asked.map(({ batchId }) => batchId)
  const { rows, now, later } = await transact(db, async (trx) => {
    const waiting = await lockTurns(trx, ids)
    const { now, later } = giveTurns(waiting)
    const turns = new Set(now.map(({ batchId }) => batchId))
    const rows =
      now.length > 0
        ? await takeBatches(
            trx,
            asked.filter(({ batchId }) => turns.has(batchId)),
            true,
          )
        : []
    await moveTurns(trx, rows)
    for (const campaignId of later)
      await stampTurns(trx, { appId: waiting.find((one) => one.campaignId === campaignId)?.appId ?? '', campaignId })
    return { rows, now, later }
  })
  // The sweep may sleep past a turn that is nearer now.
  if (later.size > 0) poke()
  const taken = new Set(rows.map(({ id }) => id))
  return { rows, blocked: new Set(now.map(({ batchId }) => batchId).filter((id) => !taken.has(id))) }
}

/** Holds the batches of the bulk lane whose credentials have no turn yet (spec: providers/quota). Answers their ids. */
async function holdBack({ db, rates }: Taking, asked: TakeAsked[]): Promise<ReadonlySet<string>> {
  const early = await rates.withoutTurn(asked)
  return early.length > 0 ? holdForTurn(db, early) : new Set()
}

/**
 * Takes free batches that may go out although a circuit is open, and holds the others (spec: providers/circuit-holds, providers/probe). A batch whose
 * devices were looked up is also taken when none can be sent to.
 */
async function passCircuits({ db, ...rules }: Taking, asked: TakeAsked[]): Promise<TakenRow[]> {
  return transact(db, async (trx) => {
    const free = await lockFree(trx, asked)
    if (free.length === 0) return []
    const open = Map.groupBy(await lockOpenCircuits(trx, free), keyOfAppAndPlatform)
    const places = await lookUpPlaces(trx, free, open)
    const nextLooks = await findNextLooks(trx, free)

    const grants: Grant[] = []
    const held: { batchId: string; until: Date }[] = []
    for (const [key, batches] of Map.groupBy(free, keyOfAppAndPlatform)) {
      const locked = open.get(key) ?? []
      const waiting = batches.map((batch) => ({ ...batch, places: places.get(batch.batchId) ?? null }))
      const now = locked[0]?.now ?? new Date()
      const { decisions, circuits } = decideTakes(locked, waiting, { ...rules, now, nextLookAt: nextLooks.get(key) ?? null })
      const probed = circuits.filter((circuit) => !locked.includes(circuit))
      if (probed.length > 0) await writeCircuits(trx, probed)
      for (const [index, { batchId }] of batches.entries()) {
        const decision = decisions[index] ?? { is: 'granted' }
        if (decision.is === 'held') held.push({ batchId, until: decision.until })
        else
          grants.push({
            batchId,
            probe: decision.is === 'probe' ? decision : null,
            end: endOf(decision),
          })
      }
    }
    if (held.length > 0) await holdBatches(trx, held)
    return grants.length > 0 ? grantBatches(trx, grants) : []
  })
}

const endOf = (decision: TakeDecision): Grant['end'] => {
  if (decision.is === 'failed') return { outcome: 'failed', code: decision.code }
  return decision.is === 'expired' ? { outcome: 'skipped', code: 'expired' } : null
}

async function lookUpPlaces(
  db: Db,
  free: FreeRow[],
  open: Map<string, LockedCircuit[]>,
): Promise<Awaited<ReturnType<typeof findFirstPlaces>>> {
  const inDoubt = [...Map.groupBy(free, keyOfAppAndPlatform)].flatMap(([key, batches]) => {
    const circuits = open.get(key) ?? []
    const indexes = toLookUp(circuits, batches, batches[0]?.platform === 'ios', circuits[0]?.now ?? new Date())
    return indexes.flatMap((index) => batches[index] ?? [])
  })
  return inDoubt.length > 0 ? findFirstPlaces(db, inDoubt) : new Map()
}

/** Answers the requests for a further part of a batch, if the dispatcher still has it; undefined for the requests for whole batches. */
async function continueTakes(db: Db, asked: TakeAsked[]): Promise<(Granted | Refused | undefined)[]> {
  const known = asked.flatMap(({ batchId, takes }) => (takes === null ? [] : [{ batchId, takes }]))
  if (known.length === 0) return []
  const rows = new Map((await findTaken(db, known)).map((row) => [keyOfTake({ batchId: row.id, takes: row.takes }), row]))
  return asked.map(({ batchId, takes, from, knowsSend }) => {
    if (takes === null) return undefined
    const row = rows.get(keyOfTake({ batchId, takes }))
    return row ? { row, from, knowsSend } : { answer: 'gone' }
  })
}
