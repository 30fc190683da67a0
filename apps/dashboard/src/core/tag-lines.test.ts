import { expect, test } from 'vitest'
import { readTagLines } from './tag-lines.ts'

test('tags are read one per line, each with its type', () => {
  expect(readTagLines('plan = pro\n\nvisits=12\nvip\nzip="0815"\npaid=false\nnote=a=b')).toEqual({
    plan: 'pro',
    visits: 12,
    vip: true,
    zip: '0815',
    paid: false,
    note: 'a=b',
  })
})
