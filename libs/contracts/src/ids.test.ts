import { expect, test } from 'vitest'
import { isObjectId, newId } from './ids.ts'

test('ids are 24 lower-case hexadecimal characters, all different, and begin with the second in which they were made', () => {
  const at = new Date('2026-01-31T08:00:00Z')

  const ids = Array.from({ length: 5_000 }, () => newId(at))

  expect(new Set(ids).size).toBe(5_000)
  expect(new Set(ids.map((id) => id.slice(8))).size).toBe(5_000)
  expect(ids.every(isObjectId)).toBe(true)
  expect(new Set(ids.map((id) => Number.parseInt(id.slice(0, 8), 16)))).toEqual(new Set([at.getTime() / 1000]))
})
