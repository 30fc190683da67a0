import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import { openSharedLimits, type Limit } from './shared-limits.ts'

const url = (await freshDatabase()).url('gateway')
const service = () => testService('gateway', {})
const { db, watch } = await openDatabase<Tables>(service(), { url, poolSize: 10 })
/** Opens the limits of a gateway, as its process would. It waits for the database however busy the machine is. */
const openGateway = (patienceMs = 60_000) => openSharedLimits(service(), { db, watch, patienceMs })

beforeEach(async () => {
  await sql`truncate rate_windows, gateways`.execute(db)
})

/** Does work that counts in the minute in which it began. When the minute ended meanwhile, does it again with other keys. */
async function inOneMinute<Result>(work: (key: string) => Promise<Result>): Promise<Result> {
  const minute = async () =>
    (await sql<{ minute: number }>`select extract(epoch from now())::bigint / 60 as minute`.execute(db)).rows[0]?.minute
  for (;;) {
    const began = await minute()
    const result = await work(newId())
    if ((await minute()) === began) return result
  }
}

const passed = async (limits: Limit[], key: string, requests: number): Promise<number> => {
  const answers = await Promise.all(Array.from({ length: requests }, async (_, no) => limits[no % limits.length]?.take(key)))
  return answers.filter((answer) => answer?.allowed).length
}

// spec: limits/shared
test('ten gateways together let pass as many requests as the limit says; a killed one costs a twentieth', async () => {
  // Each gateway learns of the others at its next heartbeat; here those that were opened first are opened again.
  await Promise.all(Array.from({ length: 10 }, () => openGateway()))
  const limits = (await Promise.all(Array.from({ length: 10 }, () => openGateway()))).map((open) => open('send', 100))

  expect(await inOneMinute((key) => passed(limits, key, 400))).toBe(100)

  const [killed, ...others] = limits
  const rest = await inOneMinute(async (key) => {
    await killed?.take(key)
    return passed(others, key, 400)
  })
  expect(rest).toBeGreaterThanOrEqual(95)
  expect(rest).toBeLessThanOrEqual(99)
})

// spec: limits/shared
test('the eleventh wrong token is refused although each came to another gateway, and a right one gives its place back', async () => {
  await openGateway()
  const limits = (await Promise.all(Array.from({ length: 11 }, () => openGateway()))).map((open) => open('sign-in', 10))
  const answers = await inOneMinute(async (address) => {
    const first = await limits[0]?.take(address)
    limits[0]?.giveBack(address)
    const others: (boolean | undefined)[] = []
    for (const limit of limits) others.push((await limit.take(address)).allowed)
    return [first?.remaining, others.indexOf(false), limits[10]?.look(address).allowed]
  })
  expect(answers).toEqual([9, 10, false])
})

// spec: limits/shared
test('a gateway that is alone counts by itself and asks the database nothing', async () => {
  const limit = (await openGateway())('send', 3)
  const answers = await inOneMinute(async (key) => Array.from({ length: 4 }, () => limit.take(key)))
  expect(answers).toMatchObject([{ remaining: 2 }, { remaining: 1 }, { remaining: 0 }, { allowed: false }])
  expect((await sql`select from rate_windows`.execute(db)).rows).toEqual([])
})

// spec: limits/shared
test('while the database is late a gateway lets pass its share of the limit', async () => {
  await openGateway()
  const limit = (await openGateway(50))('send', 100)
  const letPass = await inOneMinute((key) =>
    db.transaction().execute(async (trx) => {
      await sql`lock table rate_windows in access exclusive mode`.execute(trx)
      return passed([limit], key, 120)
    }),
  )
  expect(letPass).toBe(50)
})
