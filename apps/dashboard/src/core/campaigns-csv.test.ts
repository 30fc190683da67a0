import { expect, test } from 'vitest'
import { inOrderOf } from './campaigns-csv.ts'

const given = (name: string, sent: number, clicked: number) => ({
  name,
  stats: { queued: sent, sent, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked } as never,
})
const some = [given('large', 1_000, 10), given('small', 10, 5), given('draft', 0, 0), given('same share', 100, 50)]
const namesBy = (sort: Parameters<typeof inOrderOf>[1]) => inOrderOf(some, sort).map(({ name }) => name)

test('campaigns are ordered by a counter or a share of sent; equal ones stay, unsent ones come last', () => {
  expect(namesBy(undefined)).toEqual(['large', 'small', 'draft', 'same share'])
  expect(namesBy('sent')).toEqual(['large', 'same share', 'small', 'draft'])
  expect(namesBy('clicked')).toEqual(['small', 'same share', 'large', 'draft'])
  expect(namesBy('failed')).toEqual(['large', 'small', 'draft', 'same share'])
})
