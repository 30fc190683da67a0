import { describe, expect, test } from 'vitest'
import { Fault } from './fault.ts'
import { defaultTtlSeconds, maxTtlSeconds, SendFields } from './send-fields.ts'
import { parseBody } from './validate.ts'

function refusedAt(fields: object): string[] {
  try {
    parseBody(SendFields, { silent: true, ...fields })
    return []
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'invalid_body') throw error
    return (error.details ?? []).map(({ path }) => path)
  }
}

describe('the data of a send', () => {
  // spec: sending/data
  test('the data of a send are at most 3072 bytes of UTF-8, keys and values together', () => {
    const data = (last: number) => ({ a: 'ü'.repeat(512), b: '😀'.repeat(256), c: 'x'.repeat(last) })
    expect(refusedAt({ data: data(1024 - 3) })).toEqual([])
    expect(refusedAt({ data: data(1024 - 2) })).toEqual(['data'])
  })

  test('the data of a send have at most 50 keys', () => {
    const data = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, '']))
    expect(refusedAt({ data: data(50) })).toEqual([])
    expect(refusedAt({ data: data(51) })).toEqual(['data'])
  })

  test('the data of a send have keys of 1 to 64 and values of up to 1024 code points', () => {
    expect(refusedAt({ data: { ['😀'.repeat(64)]: '😀'.repeat(640), b: 'x'.repeat(255) } })).toEqual([])
    expect(refusedAt({ data: { ['x'.repeat(65)]: '' } })).toEqual([`data.${'x'.repeat(65)}`])
    expect(refusedAt({ data: { '': 'x' } })).toEqual(['data.'])
    expect(refusedAt({ data: { a: 'x'.repeat(1025) } })).toEqual(['data.a'])
  })

  // spec: sending/data-reserved
  test.each(['aps', 'herald', 'msgId', 'from', 'gcm', 'message_type', 'collapse_key', 'google.x', 'google.c.a.e'])(
    'may not use the reserved key %s',
    (key) => {
      expect(refusedAt({ data: { [key]: 'x' } })).toEqual([`data.${key}`])
    },
  )

  test('the data of a send may have keys that only look like reserved ones', () => {
    expect(
      refusedAt({ data: { google: 'x', APS: 'x', fromage: 'x', collapseKey: 'x', url: 'x', actions: 'x', constructor: 'x' } }),
    ).toEqual([])
  })

  test.each([1, null, true, {}, []])('the data of a send have texts as values: %j is refused at its key', (value) => {
    expect(refusedAt({ data: { a: value } })).toEqual(['data.a'])
  })

  // spec: content/placeholder-places
  test('the data of a send may have placeholders, even broken ones, and stay as they are written', () => {
    expect(SendFields.parse({ silent: true, data: { a: '{{ oops', b: '{% x %}' } }).data).toEqual({ a: '{{ oops', b: '{% x %}' })
    expect(refusedAt({ collapseId: '{{ oops', presentation: { threadId: '{% x %}' } })).toEqual([])
  })
})

// spec: sending/ttl
test('the ttl of a send is at most four weeks, which is also the default', () => {
  expect(refusedAt({ ttl: 0 })).toEqual([])
  expect(refusedAt({ ttl: 2_419_200 })).toEqual([])
  expect(refusedAt({ ttl: 2_419_201 })).toEqual(['ttl'])
  expect([maxTtlSeconds, defaultTtlSeconds]).toEqual([2_419_200, 2_419_200])
})

// spec: sending/collapse-id
test('a collapseId is one line of 1 to 64 code points', () => {
  expect(refusedAt({ collapseId: '😀'.repeat(64) })).toEqual([])
  for (const collapseId of ['', 'x'.repeat(65), 'a\r\nb', 'a\0', '\ud83d']) expect(refusedAt({ collapseId })).toContain('collapseId')
})

// spec: sending/priority
test('the priority of a send is high or normal', () => {
  for (const priority of ['high', 'normal']) expect(refusedAt({ priority })).toEqual([])
  for (const priority of ['HIGH', 'low', 10, null]) expect(refusedAt({ priority })).toEqual(['priority'])
})

describe('the presentation of a send', () => {
  test.each([
    ['sound', ['bell.caf', 'x'.repeat(255)], ['', 'x'.repeat(256), 'a\nb', 1]],
    ['badge', [0, 99_999], [-1, 100_000, 1.5, '3']],
    ['badgeIncrement', [1, 1_000], [0, 1_001, 1.5, '3']],
    ['threadId', ['orders'], ['', 'x'.repeat(256), 'a\0']],
    ['icon', ['ic_bell', 'https://e.com/a.png', 'x'.repeat(2048)], ['', 'x'.repeat(2049)]],
    ['interruptionLevel', ['passive', 'active', 'time-sensitive', 'critical'], ['loud', 'Active', 1]],
    ['relevanceScore', [0, 0.5, 1], [-0.1, 1.1, '1']],
    ['channelId', ['news'], ['', 'a\r\nb']],
  ])('the presentation of a send has the field %s, which is accepted within its limits and refused outside', (field, good, bad) => {
    for (const value of good) expect(refusedAt({ presentation: { [field]: value } })).toEqual([])
    for (const value of bad) expect(refusedAt({ presentation: { [field]: value } })).toContain(`presentation.${field}`)
  })

  test('the presentation of a send is refused when it has a field that the API does not know', () => {
    expect(refusedAt({ presentation: { color: 'red' } })).toEqual(['presentation.color'])
  })
})

// spec: sending/bypass
test('bypass may name the delivery rules and nothing else', () => {
  expect(refusedAt({ bypass: { frequencyCap: true, quietHours: false } })).toEqual([])
  expect(refusedAt({ bypass: { quietHours: 'yes' } })).toEqual(['bypass.quietHours'])
  expect(refusedAt({ bypass: { everything: true } })).toEqual(['bypass.everything'])
})

// spec: sending/rate
test('the rate of a send is 60 to 6,000,000 pushes a minute', () => {
  for (const perMinute of [60, 6_000_000]) expect(refusedAt({ sendRate: { perMinute } })).toEqual([])
  for (const perMinute of [59, 6_000_001, 60.5, '600', null]) expect(refusedAt({ sendRate: { perMinute } })).toEqual(['sendRate.perMinute'])
  expect(refusedAt({ sendRate: 600 })).toEqual(['sendRate'])
  expect(refusedAt({ sendRate: { perMinute: 600, perSecond: 10 } })).toEqual(['sendRate.perSecond'])
})

// spec: sending/badge-increment
test('a badge is given as a number or as an increment, not as both', () => {
  expect(refusedAt({ presentation: { badge: 1, badgeIncrement: 1 } })).toEqual(['presentation.badgeIncrement'])
})
