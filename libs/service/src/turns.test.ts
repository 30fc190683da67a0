import { expect, test } from 'vitest'
import { group } from './group.ts'
import { openAtOnce } from './at-once.ts'
import { openPresence, openTurns } from './turns.ts'

const whole = <Item>(turns: ReturnType<typeof openTurns<Item>>): Item[] => {
  const all: Item[] = []
  for (let one = turns.next(); one !== undefined; one = turns.next()) all.push(one)
  return all
}

test('an app with many waiting items is served as often as others, its oldest item first', () => {
  const turns = openTurns<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) turns.add(item[0] ?? '', item)
  expect(turns.size).toBe(6)
  expect(whole(turns)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  expect(turns.size).toBe(0)
})

test('an app that may not be served now keeps its position; a removed item is never served', () => {
  const turns = openTurns<string>()
  for (const item of ['a1', 'a2', 'b1', 'b2', 'c1']) turns.add(item[0] ?? '', item)
  turns.remove('a', 'a1')
  expect(turns.next((appId) => appId !== 'a')).toBe('b1')
  expect(whole(turns)).toEqual(['a2', 'c1', 'b2'])
})

const full = () => new Error('full')

function givenGroup(options: { limit: number; maxWaiting: number }) {
  const commits: string[][] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const add = group<string, string>(
    async (items) => {
      commits.push(items)
      if (commits.length === 1) await promise
      return items
    },
    { ...options, full, appOf: (item) => item[0] ?? '' },
  )
  return { add, commits, release: resolve }
}

// spec: sending/turns
test('a commit takes items of the apps by turns: an item behind another app’s flood is in the next commit', async () => {
  const { add, commits, release } = givenGroup({ limit: 4, maxWaiting: 100 })
  const first = add('a0')
  await new Promise((resolve) => setImmediate(resolve))
  const flood = Array.from({ length: 20 }, (_, place) => add(`a${place + 1}`))
  const other = add('b1')
  release()
  await Promise.all([first, ...flood, other])
  expect(commits[1]).toEqual(['a1', 'b1', 'a2', 'a3'])
})

test('when an app floods a group commit, half of its items are refused and all others accepted', async () => {
  const { add, release } = givenGroup({ limit: 4, maxWaiting: 40 })
  const first = add('a0')
  await new Promise((resolve) => setImmediate(resolve))
  const flood = Promise.allSettled(Array.from({ length: 40 }, (_, place) => add(`a${place + 1}`)))
  const others = Promise.allSettled(Array.from({ length: 20 }, (_, place) => add(`${'bcde'[place % 4]}${place}`)))
  release()
  await first
  expect((await flood).filter(({ status }) => status === 'rejected')).toHaveLength(20)
  expect((await others).every(({ status }) => status === 'fulfilled')).toBe(true)
})

test('an app has at most its share of places: a free one goes to another, later to the first', async () => {
  const place = openAtOnce({ atOnce: 4, share: 2 })
  const entered: string[] = []
  const leave: (() => void)[] = []
  const work = (name: string) =>
    place(() => {
      entered.push(name)
      return new Promise<void>((resolve) => leave.push(resolve))
    }, name[0] ?? '')
  const works = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map(work)
  await new Promise((resolve) => setImmediate(resolve))
  expect(entered).toEqual(['a1', 'a2', 'b1', 'c1'])
  leave[2]?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(entered.slice(4)).toEqual(['c2'])
  leave[0]?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(entered.slice(5)).toEqual(['a3'])
  for (const end of leave) end()
  await Promise.all(works)
})

test('an app does not count as alone while another app was seen within the last two seconds', () => {
  let ms = 0
  const presence = openPresence(2_000, () => ms)
  expect(presence.othersThan('a')).toBe(false)
  presence.seen('a')
  expect([presence.othersThan('a'), presence.othersThan('b')]).toEqual([false, true])
  ms = 1_000
  presence.seen('b')
  presence.seen('a')
  presence.seen('a')
  expect([presence.othersThan('a'), presence.othersThan('b'), presence.othersThan('c')]).toEqual([true, true, true])
  ms = 3_000
  presence.seen('a')
  expect([presence.othersThan('a'), presence.othersThan('b')]).toEqual([false, true])
})

test('when another app asks too, one above its smaller share gets no further place until below it', async () => {
  const place = openAtOnce({ atOnce: 8, share: 6, crowdedShare: 2 })
  const entered: string[] = []
  const leave = new Map<string, () => void>()
  const work = (name: string) =>
    place(() => {
      entered.push(name)
      return new Promise<void>((resolve) => leave.set(name, resolve))
    }, name[0] ?? '')
  const works = ['a1', 'a2', 'a3', 'a4', 'b1', 'a5', 'a6'].map(work)
  await new Promise((resolve) => setImmediate(resolve))
  expect(entered).toEqual(['a1', 'a2', 'a3', 'a4', 'b1'])
  for (const name of ['a1', 'a2']) leave.get(name)?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(entered).toHaveLength(5)
  leave.get('a3')?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(entered.slice(5)).toEqual(['a5'])
  leave.get('a4')?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(entered.slice(6)).toEqual(['a6'])
  for (const end of leave.values()) end()
  await Promise.all(works)
})
