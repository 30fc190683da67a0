import { findRefusals, findTaken, keyOfTake, takeBatches, type TakenRow } from './store/batches.ts'
import type { Db } from './store/tables.ts'

/** `takes` null: take the batch. Else a further part, after `from` pushes, of what was taken with that number. */
export type TakeAsked = { batchId: string; knowsSend: boolean; from: number; takes: number | null }

/** `gone`: done or unknown; `busy`: another has it; `held`: its time has not come. */
export type Refused = { answer: 'gone' | 'busy' | 'held' }
export type Granted = { row: TakenRow; from: number; knowsSend: boolean }

/**
 * Gives batches to dispatchers (architecture.md, path 4), in one update for all that were asked for: whose it is stands in the
 * row from then on. Who asks second for the same batch is answered `busy`. Answers in the order asked; what a granted batch
 * holds is read by `readTaken`.
 */
export async function takeBatch({ db }: { db: Db }, asked: TakeAsked[]): Promise<(Granted | Refused)[]> {
  const continued = await continueTakes(db, asked)
  const taken = await newTakes(db, asked)
  return asked.map((_, index) => continued[index] ?? taken[index] ?? { answer: 'gone' })
}

/** What each asker for a whole batch gets; undefined for the others. Of several who ask for one batch the first has it. */
async function newTakes(db: Db, asked: TakeAsked[]): Promise<(Granted | Refused | undefined)[]> {
  const ids = [...new Set(asked.filter(({ takes }) => takes === null).map(({ batchId }) => batchId))]
  if (ids.length === 0) return []
  const free = new Map((await takeBatches(db, ids)).map((row) => [row.id, row]))
  const notTaken = ids.filter((id) => !free.has(id))
  const refusals = notTaken.length > 0 ? await findRefusals(db, notTaken) : new Map<string, Refused['answer']>()
  const given = new Set<string>()
  return asked.map(({ batchId, takes, from, knowsSend }) => {
    if (takes !== null) return undefined
    if (given.has(batchId)) return { answer: 'busy' }
    const row = free.get(batchId)
    if (!row) return { answer: refusals.get(batchId) ?? 'gone' }
    given.add(batchId)
    return { row, from, knowsSend }
  })
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
