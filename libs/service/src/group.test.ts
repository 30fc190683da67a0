import { expect, onTestFinished, test, vi } from 'vitest'
import { group } from './group.ts'
import { activeRequestId, forRequest } from './request-id.ts'

const full = () => new Error('full')

test('items that arrive while a commit is in flight share the next commits, each up to its limit of items', async () => {
  const commits: number[][] = []
  let release = () => {}
  const firstHeld = new Promise<void>((resolve) => (release = resolve))
  const add = group<number, number>(
    async (items) => {
      commits.push(items)
      if (commits.length === 1) await firstHeld
      return items.map((item) => item * 2)
    },
    { limit: 3, maxWaiting: 100, full },
  )

  const first = add(1)
  await new Promise((resolve) => setImmediate(resolve))
  const others = [2, 3, 4, 5, 6].map(add)
  release()

  expect(await Promise.all([first, ...others])).toEqual([2, 4, 6, 8, 10, 12])
  expect(commits).toEqual([[1], [2, 3, 4], [5, 6]])
})

test('one bad item does not fail the other items of its commit', async () => {
  const add = group<number, number>(
    async (items) => {
      if (items.includes(13)) throw new Error('unlucky')
      return items
    },
    { limit: 10, maxWaiting: 100, full },
  )

  const settled = await Promise.allSettled([1, 13, 2].map(add))

  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

// spec: running/locked-row
test('after a failed commit a lone waiting item holds up its app’s later items, not another’s', async () => {
  const { promise: locked, resolve: unlock } = Promise.withResolvers<void>()
  const add = group<string, string>(
    async (items) => {
      if (items.length > 1) throw new Error('one of them is locked')
      if (items[0] === 'a-locked') await locked
      return items
    },
    { limit: 10, maxWaiting: 100, full, appOf: (item) => item.slice(0, 1) },
  )
  const done: string[] = []
  const all = ['a-locked', 'a-later', 'b', 'c'].map((item) => add(item).then(() => done.push(item)))

  await Promise.all(all.slice(2))
  expect(done).toEqual(['b', 'c'])
  unlock()
  await Promise.all(all)
  expect(done.slice(2)).toEqual(['a-locked', 'a-later'])
})

test('a failure that would hit every item alone fails the whole commit, and none is tried again alone', async () => {
  let commits = 0
  const away = new Error('away')
  const add = group<number, number>(
    async () => {
      commits += 1
      throw away
    },
    { limit: 10, maxWaiting: 100, full, isShared: (error) => error === away },
  )

  const settled = await Promise.allSettled([1, 2, 3].map(add))

  expect(settled.every(({ status }) => status === 'rejected')).toBe(true)
  expect(commits).toBe(1)
})

test('when the limit of waiting items is reached, the next item is refused', async () => {
  const add = group<number, number>(async (items) => items, { limit: 1, maxWaiting: 2, full })

  const settled = await Promise.allSettled([1, 2, 3].map(add))

  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
})

test('a commit of one item has its request’s id, one of several has none', async () => {
  const seen: unknown[] = []
  const add = group<number, number>(
    async (items) => {
      await Promise.resolve()
      seen.push([items, activeRequestId()])
      return items
    },
    { limit: 10, maxWaiting: 100, full },
  )

  await forRequest('first', () => add(1))
  await Promise.all([forRequest('second', () => add(2)), forRequest('third', () => add(3))])
  await add(4)

  expect(seen).toEqual([
    [[1], 'first'],
    [[2, 3], undefined],
    [[4], undefined],
  ])
})

test('with `atOnce` 2, a second commit begins once a full one waits; fewer items wait for the first', async () => {
  const commits: number[][] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const add = group<number, number>(
    async (items) => {
      commits.push(items)
      await held
      return items
    },
    { limit: 2, atOnce: 2, maxWaiting: 100, full },
  )
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  const first = add(1)
  await turn()
  const second = add(2)
  await turn()
  expect(commits).toEqual([[1]])
  const third = add(3)
  await turn()
  expect(commits).toEqual([[1], [2, 3]])
  const others = [4, 5, 6].map(add)
  await turn()
  expect(commits).toHaveLength(2)
  release()

  expect(await Promise.all([first, second, third, ...others])).toEqual([1, 2, 3, 4, 5, 6])
  expect(commits).toEqual([[1], [2, 3], [4, 5], [6]])
})

test('an app without items in flight gets a commit meanwhile; one app has one at a time', async () => {
  const commits: string[][] = []
  const held = Promise.withResolvers<void>()
  const add = group<string, string>(
    async (items) => {
      commits.push(items)
      if (items.includes('a1')) await held.promise
      return items
    },
    { limit: 10, maxWaiting: 100, full, appOf: (item) => item[0] ?? '' },
  )

  const first = add('a1')
  await new Promise((resolve) => setImmediate(resolve))
  const second = add('a2')
  expect(await Promise.all([add('b1'), add('c1')])).toEqual(['b1', 'c1'])
  expect(await add('b2')).toBe('b2')
  expect(commits).toEqual([['a1'], ['b1', 'c1'], ['b2']])
  held.resolve()

  expect(await Promise.all([first, second])).toEqual(['a1', 'a2'])
  expect(commits.at(-1)).toEqual(['a2'])
})

test('after a pause the next commit takes what arrived, sooner when that weighs enough', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const commits: number[][] = []
  const add = group<number, number>(
    (items) => {
      commits.push(items)
      return Promise.resolve(items)
    },
    { limit: 10, maxWaiting: 100, full, restMs: 20, weigh: (item) => item, enough: 50 },
  )
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  await add(1)
  const few = [add(2), add(3)]
  await turn()
  expect(commits).toEqual([[1]])
  await vi.advanceTimersByTimeAsync(20)
  await Promise.all(few)
  expect(commits).toEqual([[1], [2, 3]])

  const much = [add(4)]
  await turn()
  expect(commits).toHaveLength(2)
  much.push(add(46))
  await Promise.all(much)
  expect(commits).toEqual([[1], [2, 3], [4, 46]])

  vi.advanceTimersByTime(20)
  await add(5)
  expect(commits).toHaveLength(4)
})
