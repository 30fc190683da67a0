import type { Client } from './client.ts'
import { HeraldError } from './errors.ts'
import type { CallOptions } from './options.ts'
import type { Schema } from './schema.ts'

/** A change of one user, whom either `externalId` or `userId` names, with at least one field to change. */
export type UserRow = Schema<'ChangeUsersBody'>['users'][number]
export type FailedRow = { row: UserRow; /** The number of the row, counted from 0. */ index: number; error: HeraldError }
export type UpsertReport = {
  updated: number
  /** How many of the updated users did not exist before. */
  created: number
  failedCount: number
  /** The first 1,000 rows that failed. */
  failed: FailedRow[]
}
export type UpsertOptions = CallOptions & {
  /** At most this many requests run at the same time: 1 to 32, by default 8. */
  concurrency?: number
}

const rowsPerRequest = 500
/** The rows of a request have at most this many bytes, so that its body stays below the 512 KiB that Herald accepts. */
const bytesPerRequest = 400_000
const failuresKept = 1_000

type Numbered = { row: UserRow; index: number }

/**
 * Sends the rows in requests of up to 500, and reads them from the caller only as fast as they are sent. Two rows of one user may be applied in
 * either order. Rejects when Herald refuses the key.
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
