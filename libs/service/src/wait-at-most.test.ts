import { expect, test } from 'vitest'
import { waitAtMost } from './wait-at-most.ts'

test('a caller gets what the work gives, or fails as it fails, when it ends in time', async () => {
  expect(await waitAtMost(60_000, Promise.resolve('answer'), () => 'late')).toBe('answer')
  await expect(waitAtMost(60_000, Promise.reject(new Error('broken')), () => 'late')).rejects.toThrow('broken')
})

test('a caller gets the late answer or error when the work takes longer', async () => {
  const { promise: never } = Promise.withResolvers<string>()
  expect(await waitAtMost(1, never, () => 'late')).toBe('late')
  await expect(
    waitAtMost(1, never, () => {
      throw new Error('late')
    }),
  ).rejects.toThrow('late')
})
