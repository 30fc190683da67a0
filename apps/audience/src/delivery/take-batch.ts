import type { CircuitEnvironment } from '@herald/contracts/batch'
import { transact } from '@herald/service/postgres'
import { admit, toLookUp, type Admission } from './core/circuit.ts'
import {
  findFirstPlaces,
  findNextLooks,
  findRefusals,
  findTaken,
  grantBatches,
  holdBatches,
  keyOfTake,
  lockFree,
  takeBatches,
  wayOf,
  type FreeRow,
  type Grant,
  type Refusal,
  type TakenRow,
} from './store/batches.ts'
import { lockOpenCircuits, updateCircuits, type LockedCircuit } from './store/circuits.ts'
import type { Db } from '../store/tables.ts'

/**
 * `takes` null: take the batch. Else a further part, after `from` pushes, of what was taken with that number. Environment and
 * version are those of the credentials that will be used; version null: there are none.
 */
export type TakeAsked = {
  batchId: string
  knowsSend: boolean
  from: number
  takes: number | null
  environment: CircuitEnvironment
  credentialsVersion: number | null
}

/** `gone`: done or unknown; `busy`: another has it; `held`: its time has not come, its circuit is open or its campaign paused. */
export type Refused = { answer: 'gone' | 'busy' | 'held' }
export type Granted = { row: TakenRow; from: number; knowsSend: boolean }

type Taking = { db: Db; maxHoldSeconds: number; outageProbeMs: number }

/**
 * Gives batches to dispatchers (docs/architecture.md, step 4), in one update for all that were asked for: whose it is stands in the
 * row from then on. Who asks second for the same batch is answered `busy`. Answers in the order asked; what a granted batch
 * holds is read by `readTaken`.
 */
export async function takeBatch(taking: Taking, asked: TakeAsked[]): Promise<(Granted | Refused)[]> {
  const continued = await continueTakes(taking.db, asked)
  const taken = await newTakes(taking, asked)
  return asked.map((_, index) => continued[index] ?? taken[index] ?? { answer: 'gone' })
}

/** What each asker for a whole batch gets; undefined for the others. Of several who ask for one batch the first has it. */
async function newTakes(taking: Taking, asked: TakeAsked[]): Promise<(Granted | Refused | undefined)[]> {
  const first = new Map(
    asked
      .filter(({ takes }) => takes === null)
      .toReversed()
      .map((one) => [one.batchId, one]),
  )
  if (first.size === 0) return []
  const taken = new Map((await takeBatches(taking.db, [...first.values()])).map((row) => [row.id, row]))
  const notTaken = [...first.keys()].filter((id) => !taken.has(id))
  const refusals = notTaken.length > 0 ? await findRefusals(taking.db, notTaken) : new Map<string, Refusal>()
  const free = [...first.values()].filter(({ batchId }) => refusals.get(batchId) === 'free')
  if (free.length > 0) for (const row of await passCircuits(taking, free)) taken.set(row.id, row)

  return asked.map((one) => {
    if (one.takes !== null) return undefined
    const row = taken.get(one.batchId)
    if (row) return one === first.get(one.batchId) ? { row, from: one.from, knowsSend: one.knowsSend } : { answer: 'busy' }
    const refusal = refusals.get(one.batchId) ?? 'gone'
    return { answer: refusal === 'free' ? 'held' : refusal }
  })
}

/**
 * Takes those free batches that may go out past open circuits (spec: providers/circuit-holds, providers/probe): a circuit's probe, what meets another
 * environment's circuit in part only, and what was held too long, as failed or expired. The others are held.
 */
async function passCircuits({ db, ...rules }: Taking, asked: TakeAsked[]): Promise<TakenRow[]> {
  return transact(db, async (trx) => {
    const free = await lockFree(trx, asked)
    if (free.length === 0) return []
    const open = Map.groupBy(await lockOpenCircuits(trx, free), wayOf)
    const places = await lookUpPlaces(trx, free, open)
    const nextLooks = await findNextLooks(trx, free)

    const grants: Grant[] = []
    const held: { batchId: string; until: Date }[] = []
    for (const [way, batches] of Map.groupBy(free, wayOf)) {
      const locked = open.get(way) ?? []
      const waiting = batches.map((batch) => ({ ...batch, places: places.get(batch.batchId) ?? null }))
      const now = locked[0]?.now ?? new Date()
      const { admissions, circuits } = admit(locked, waiting, { ...rules, now, nextLookAt: nextLooks.get(way) ?? null })
      const probed = circuits.filter((circuit) => !locked.includes(circuit))
      if (probed.length > 0) await updateCircuits(trx, probed)
      for (const [index, { batchId }] of batches.entries()) {
        const admission = admissions[index] ?? { is: 'granted' }
        if (admission.is === 'held') held.push({ batchId, until: admission.until })
        else
          grants.push({
            batchId,
            probe: admission.is === 'probe' ? admission : null,
            end: endOf(admission),
          })
      }
    }
    if (held.length > 0) await holdBatches(trx, held)
    return grants.length > 0 ? grantBatches(trx, grants) : []
  })
}

const endOf = (admission: Admission): Grant['end'] => {
  if (admission.is === 'failed') return { outcome: 'failed', code: admission.code }
  return admission.is === 'expired' ? { outcome: 'skipped', code: 'expired' } : null
}

/** Whom those batches would ask of which that decides something. */
async function lookUpPlaces(
  db: Db,
  free: FreeRow[],
  open: Map<string, LockedCircuit[]>,
): Promise<Awaited<ReturnType<typeof findFirstPlaces>>> {
  const inDoubt = [...Map.groupBy(free, wayOf)].flatMap(([way, batches]) => {
    const circuits = open.get(way) ?? []
    const indexes = toLookUp(circuits, batches, batches[0]?.platform === 'ios', circuits[0]?.now ?? new Date())
    return indexes.flatMap((index) => batches[index] ?? [])
  })
  return inDoubt.length > 0 ? findFirstPlaces(db, inDoubt) : new Map()
}

/** What each asker for a further part gets, if the batch is still theirs; undefined for the others. */
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
