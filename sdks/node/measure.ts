// Measures how many users per second the SDK can change: `HERALD_URL=… HERALD_SECRET_KEY=… node sdks/node/measure.ts [count] [requests at a time]`.
// Makes `count` users in the key's app and changes each; no result fails.
import { Herald, type UserRow } from '@herald/node'

const [count = 10_000, concurrency = 8] = process.argv.slice(2).map(Number)
const herald = new Herald({
  baseUrl: process.env['HERALD_URL'] ?? '',
  key: process.env['HERALD_SECRET_KEY'] ?? '',
  totalTimeoutMs: 120_000,
})

function* rows(round: number): Generator<UserRow> {
  for (let n = 0; n < count; n += 1) yield { externalId: `measured-${n}`, language: 'de', tags: { plan: 'pro', round, n } }
}

for (const [round, what] of ['made', 'changed'].entries()) {
  const startedAt = performance.now()
  const { updated, created, failedCount } = await herald.users.upsertMany(rows(round), { concurrency })
  const seconds = (performance.now() - startedAt) / 1000
  console.log(
    `${what}: ${updated} users (${created} new, ${failedCount} failed) in ${seconds.toFixed(1)} s, ${Math.round(updated / seconds)} a second`,
  )
}
