import { expect, test } from 'vitest'
import { openAtOnce } from './at-once.ts'

const full = () => new Error('full')
const held = () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { work: () => promise, end: () => resolve('done') }
}

test('so many are done at a time, and who waits goes on in the order they came', async () => {
  const turn = openAtOnce({ atOnce: 2, mostWaiting: 10, waitMs: 60_000, full })
  const begun: number[] = []
  const works = [0, 1, 2, 3].map(held)
  const all = works.map(({ work }, n) =>
    turn(() => {
      begun.push(n)
      return work()
    }),
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual([0, 1])
  works[1]?.end()
  await all[1]
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual([0, 1, 2])
  for (const { end } of works) end()
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done', 'done'])
})

test('who does not get a turn in time, or finds too many waiting, is refused and not begun', async () => {
  const turn = openAtOnce({ atOnce: 1, mostWaiting: 1, waitMs: 20, full })
  const first = held()
  const working = turn(first.work)
  const late = turn(() => Promise.reject(new Error('was begun')))
  await expect(turn(() => Promise.reject(new Error('was begun')))).rejects.toThrow('full')
  await expect(late).rejects.toThrow('full')
  first.end()
  expect(await working).toBe('done')
  expect(await turn(() => Promise.resolve('next'))).toBe('next')
})

test('work that fails passes its turn on', async () => {
  const turn = openAtOnce({ atOnce: 1, mostWaiting: 5, waitMs: 60_000, full })
  const failing = turn(() => Promise.reject(new Error('broken')))
  const next = turn(() => Promise.resolve('next'))
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('next')
})
