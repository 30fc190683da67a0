import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openHousework } from './housework.ts'
import { openDatabase } from './postgres.ts'

const { url } = await freshDatabase()

/** Three processes with the same piece of housekeeping. `run` runs it in one of them and gives how often its work was begun. */
async function givenProcesses(name: string, work: () => Promise<{ took: number }>) {
  const { db } = await openDatabase(testService('tracker', {}), { url: url('tracker'), poolSize: 3 })
  let begun = 0
  const sweeps = [0, 1, 2].map(() =>
    openHousework(db, { name, everyMs: 60_000 }, () => {
      begun += 1
      return work()
    }),
  )
  const run = async (no: number) => {
    const before = begun
    await sweeps[no]?.()
    return begun - before
  }
  return { run, begun: () => begun, endMinute: () => sql`update housework set next_at = now() where name = ${name}`.execute(db) }
}

// spec: running/one-housekeeper
test('while a process does a piece of housekeeping no other does, and another goes on when it has died', async () => {
  const { run, begun, endMinute } = await givenProcesses('held', () => new Promise(() => undefined))
  void run(0)
  await expect.poll(begun).toBe(1)
  expect(await run(1)).toBe(0)

  await endMinute()
  void run(2)
  await expect.poll(begun).toBe(2)
})

// spec: running/one-housekeeper
test('work that found something goes on at once in any process; work that found nothing rests in all', async () => {
  let left = 2
  const { run } = await givenProcesses('shared', () => Promise.resolve({ took: left-- }))
  expect(await run(0)).toBe(1)
  expect(await run(1)).toBe(1)
  expect(await run(0)).toBe(1)
  expect(await run(0)).toBe(0)
  expect(await run(2)).toBe(0)
})

// spec: running/one-housekeeper
test('work that failed rests like work that found nothing', async () => {
  const { run, endMinute } = await givenProcesses('failing', () => Promise.reject(new Error('a row is locked')))
  await expect(run(0)).rejects.toThrow('a row is locked')
  expect(await run(1)).toBe(0)
  await endMinute()
  await expect(run(2)).rejects.toThrow('a row is locked')
})
