import type { Client } from './client.ts'
import { HeraldError } from './errors.ts'
import type { CallOptions } from './options.ts'
import type { Schema } from './schema.ts'

/** A change of a user: one of `externalId` and `userId`, and at least one field to change. */
export type UserRow = Schema<'ChangeUsersBody'>['users'][number]
export type FailedRow = { row: UserRow; /** Its place among the rows, from 0. */ index: number; error: HeraldError }
export type UpsertReport = {
  updated: number
  /** How many of the updated users are new. */
  created: number
  failedCount: number
  /** The first 1,000 rows that failed. */
  failed: FailedRow[]
}
export type UpsertOptions = CallOptions & {
  /** Requests at a time, 1 to 32; 8 by default. */
  concurrency?: number
}

const rowsPerRequest = 500
/** Herald takes 512 KiB; a row beside the others needs a comma. */
const bytesPerRequest = 400_000
const failuresKept = 1_000

type Numbered = { row: UserRow; index: number }

/**
 * Sends the rows in requests of up to 500, and reads no more rows than are on their way. Two rows of the same user are applied in any order.
 * Rejects at once when the key is refused, since no row can succeed then.
 */
export async function upsertMany(
  client: Client,
  rows: Iterable<UserRow> | AsyncIterable<UserRow>,
  { concurrency = 8, ...options }: UpsertOptions,
): Promise<UpsertReport> {
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 32)
    throw new TypeError('Herald: concurrency must be a whole number from 1 to 32')
  const report: UpsertReport = { updated: 0, created: 0, failedCount: 0, failed: [] }
  const batches = batchesOf(rows)
  let hasFailed = false

  const fail = (numbered: Numbered, error: HeraldError) => {
    report.failedCount += 1
    if (report.failed.length < failuresKept) report.failed.push({ ...numbered, error })
  }
  const send = async (batch: Numbered[]) => {
    const { results } = await client.request<Schema<'UsersChanged'>>('POST', '/v1/users/batch', {
      ...options,
      body: { users: batch.map(({ row }) => row) },
      repeatable: true,
    })
    for (const { index, status, created, error } of results) {
      const numbered = batch[index]
      if (!numbered) continue
      if (error) fail(numbered, new HeraldError({ ...error, status }))
      else report.updated += 1
      if (created) report.created += 1
    }
  }
  const work = async () => {
    while (!hasFailed) {
      const { value: batch, done } = await batches.next()
      if (done) return
      try {
        await send(batch)
      } catch (error) {
        if (!(error instanceof HeraldError) || error.status === 401 || error.status === 403) throw error
        for (const numbered of batch) fail(numbered, error)
      }
    }
  }

  try {
    await Promise.all(Array.from({ length: concurrency }, work))
  } catch (error) {
    hasFailed = true
    throw error
  } finally {
    await batches.return(undefined)
  }
  report.failed.sort((one, other) => one.index - other.index)
  return report
}

async function* batchesOf(rows: Iterable<UserRow> | AsyncIterable<UserRow>): AsyncGenerator<Numbered[], undefined> {
  const encoder = new TextEncoder()
  let batch: Numbered[] = []
  let bytes = 0
  let index = 0
  for await (const row of rows) {
    const size = encoder.encode(JSON.stringify(row)).length + 1
    if (batch.length === rowsPerRequest || (bytes + size > bytesPerRequest && batch.length > 0)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push({ row, index })
    bytes += size
    index += 1
  }
  if (batch.length > 0) yield batch
}
