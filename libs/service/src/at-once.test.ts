import { expect, test } from 'vitest'
import { openAtOnce } from './at-once.ts'

const full = () => new Error('full')
const held = () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { work: () => promise, end: () => resolve('done') }
}

test('at most two pieces of work run at a time, and the next begins when one has ended', async () => {
  const inTurn = openAtOnce({ atOnce: 2, mostWaiting: 10, waitMs: 60_000, full })
  const begun: number[] = []
  const works = [0, 1, 2, 3].map(held)
  const all = works.map(({ work }, n) =>
    inTurn(() => {
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

test('work that waits too long, or finds too much work waiting, is refused and does not begin', async () => {
  const inTurn = openAtOnce({ atOnce: 1, mostWaiting: 2, waitMs: 20, full })
  const first = held()
  const working = inTurn(first.work)
  const late = inTurn(() => Promise.reject(new Error('was begun')))
  await expect(inTurn(() => Promise.reject(new Error('was begun')))).rejects.toThrow('full')
  await expect(late).rejects.toThrow('full')
  first.end()
  expect(await working).toBe('done')
  expect(await inTurn(() => Promise.resolve('next'))).toBe('next')
})

test('after work fails, the next waiting work begins', async () => {
  const inTurn = openAtOnce({ atOnce: 1, mostWaiting: 5, waitMs: 60_000, full })
  const failing = inTurn(() => Promise.reject(new Error('broken')))
  const next = inTurn(() => Promise.resolve('next'))
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('next')
})

test('an app with much work runs at most its share, another’s begins at once, and waiting apps take turns', async () => {
  const inTurn = openAtOnce({ atOnce: 3, share: 2, mostWaiting: 100, waitMs: 60_000, full })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) =>
    inTurn(() => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    }, name[0]),
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  ends[0]?.()
  await all[0]
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun.slice(3)).toEqual(['a3'])
  ends[1]?.()
  await all[1]
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun.slice(4)).toEqual(['b2'])
  for (let place = 2; place < 6; place += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    ends[place]?.()
  }
  await Promise.all(all)
})
