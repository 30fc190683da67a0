import { expect, test } from 'vitest'
import { keepRecent } from './recent.ts'

test('when a memory is full and gets a new value, it forgets the value that was not read or written for longest', () => {
  const recent = keepRecent<number>(2)
  recent.set('a', 1)
  recent.set('b', 2)
  recent.get('a')

  recent.set('c', 3)

  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([1, undefined, 3])
})
