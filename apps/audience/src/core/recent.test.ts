import { expect, test } from 'vitest'
import { keepRecent } from './recent.ts'

test('when a memory is full and gets a value for a new key, it forgets the value that was not read or written for longest', () => {
  const recent = keepRecent<number>(3)
  for (const key of ['read', 'written', 'neither']) recent.set(key, 1)
  recent.get('read')
  recent.set('written', 2)

  recent.set('new', 3)

  expect(['read', 'written', 'neither', 'new'].map((key) => recent.get(key))).toEqual([1, 2, undefined, 3])
})
