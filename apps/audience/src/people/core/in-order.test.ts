import { expect, test } from 'vitest'
import { openOrder } from './in-order.ts'

const full = () => new Error('full')

/** Makes a piece of work that ends when the test calls `end` or `fail`. */
function held(begun: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return {
    work: () => {
      begun.push(name)
      return promise
    },
    end: () => resolve(name),
    fail: () => reject(new Error(name)),
  }
}
const aTurn = () => new Promise((resolve) => setImmediate(resolve))

test('work with a key in common runs one by one in order, even if one fails; others do not wait', async () => {
  const inOrder = openOrder({ most: 10, waitMs: 5_000, full })
  const begun: string[] = []
  const [one, two, three, other] = [held(begun, 'one'), held(begun, 'two'), held(begun, 'three'), held(begun, 'other')]
  const answers = [inOrder(['a'], one.work), inOrder(['b', 'a'], two.work), inOrder(['b'], three.work), inOrder(['c'], other.work)]
  await aTurn()
  expect(begun).toEqual(['one', 'other'])

  one.fail()
  await expect(answers[0]).rejects.toThrow('one')
  await aTurn()
  expect(begun).toEqual(['one', 'other', 'two'])
  two.end()
  expect(await answers[1]).toBe('two')
  await aTurn()
  expect(begun).toEqual(['one', 'other', 'two', 'three'])
  three.end()
  other.end()
  expect(await Promise.all(answers.slice(2))).toEqual(['three', 'other'])
})

test('only a limited number of pieces with one key may run or wait; further ones are refused, other keys not', async () => {
  const inOrder = openOrder({ most: 2, waitMs: 5_000, full })
  const begun: string[] = []
  const [one, two] = [held(begun, 'one'), held(begun, 'two')]
  const answers = [inOrder(['a'], one.work), inOrder(['a'], two.work)]

  await expect(inOrder(['a'], () => Promise.resolve('three'))).rejects.toThrow('full')
  expect(await inOrder(['b'], () => Promise.resolve('other'))).toBe('other')
  one.end()
  two.end()
  await Promise.all(answers)
  expect(await inOrder(['a'], () => Promise.resolve('again'))).toBe('again')
})

test('work that has waited too long is refused and never runs; the next still waits for the running one', async () => {
  const inOrder = openOrder({ most: 10, waitMs: 50, full })
  const begun: string[] = []
  const [one, late, next] = [held(begun, 'one'), held(begun, 'late'), held(begun, 'next')]
  const first = inOrder(['a'], one.work)
  await expect(inOrder(['a'], late.work)).rejects.toThrow('full')
  const third = inOrder(['a'], next.work)
  await aTurn()
  expect(begun).toEqual(['one'])

  one.end()
  await first
  next.end()
  expect(await third).toBe('next')
  expect(begun).toEqual(['one', 'next'])
})
