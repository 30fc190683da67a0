import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fault } from './fault.ts'
import { SendNotification } from './notification.ts'
import { parseBody } from './validate.ts'

const content = { _default: 'en', en: { title: 'Hello', body: 'World' } }
const id = '0123456789abcdef01234567'

function refusal(body: unknown): { code: string; paths: string[] } | undefined {
  try {
    parseBody(SendNotification, body)
    return undefined
  } catch (error) {
    if (!Fault.is(error)) throw error
    return { code: error.code, paths: (error.details ?? []).map((detail) => detail.path) }
  }
}
const send = (fields: Record<string, unknown>) => refusal({ target: { all: true }, content, ...fields })

// spec: sending/target-one
test('a notification names whom it is for in exactly one way', () => {
  expect(refusal({ target: {}, content })?.paths).toEqual(['target'])
  expect(refusal({ target: { all: true, userIds: [id] }, content })?.paths).toEqual(['target'])
  expect(refusal({ content })?.paths).toEqual(['target'])
  for (const target of [
    { all: true },
    { userIds: [id] },
    { externalIds: ['a'] },
    { subscriptionIds: [id] },
    { segmentId: id },
    { segment: {} },
  ]) {
    expect(refusal({ target, content })).toBeUndefined()
  }
})

// spec: sending/target-lists
test('a target that lists users by id lists 1 to 1000, and its field all is true or left out', () => {
  const ids = (count: number) => Array.from({ length: count }, () => id)
  expect(refusal({ target: { userIds: ids(1000) }, content })).toBeUndefined()
  expect(refusal({ target: { userIds: ids(1001) }, content })?.paths).toEqual(['target.userIds'])
  expect(refusal({ target: { userIds: [] }, content })?.paths).toEqual(['target.userIds'])
  expect(refusal({ target: { userIds: ['x'] }, content })?.paths).toEqual(['target.userIds.0'])
  expect(refusal({ target: { all: false }, content })?.paths).toEqual(['target.all'])
})

// spec: limits/strict
test('a field that the API does not know is refused at its path', () => {
  expect(send({ foo: 1 })?.paths).toEqual(['foo'])
  expect(refusal({ target: { all: true, everyone: true }, content })?.paths).toEqual(['target.everyone'])
  for (const forbidden of ['appId', 'id', 'status', 'stats', 'transactional', 'recurringOf', 'schedule'])
    expect(send({ [forbidden]: 'x' })?.paths).toEqual([forbidden])
})

// spec: sending/content-required
test('a notification needs a content, a template or silent', () => {
  expect(refusal({ target: { all: true } })?.paths).toEqual(['content'])
  expect(refusal({ target: { all: true }, silent: false })?.paths).toEqual(['content'])
  expect(refusal({ target: { all: true }, silent: true })).toBeUndefined()
  expect(refusal({ target: { all: true }, templateId: id })).toBeUndefined()
})

// spec: segments/meaning-errors, segments/structure-errors, sending/target-segment
test('an inline segment that makes no sense is invalid_segment, a value that is none invalid_body', () => {
  const bySegment = (segment: unknown) => refusal({ target: { segment }, content })
  expect(
    bySegment({
      and: [
        { field: 'platform', op: 'eq', value: 'ios' },
        { field: 'tags.a', op: 'near', value: 1 },
      ],
    }),
  ).toEqual({
    code: 'invalid_segment',
    paths: ['target.segment.and.1.op'],
  })
  expect(bySegment({ and: 'x' })).toEqual({ code: 'invalid_body', paths: ['target.segment.and'] })
  expect(refusal({ target: { segment: { field: '$a', op: 'eq', value: 1 } }, content, foo: 1 })?.code).toBe('invalid_body')
})

// spec: sending/ttl
test('the ttl of a notification is between 0 and four weeks', () => {
  for (const ttl of [0, 1, 2_419_200]) expect(send({ ttl })).toBeUndefined()
  for (const ttl of [2_419_201, 2_592_000, -1, 1.5, '60', null, 2 ** 60]) expect(send({ ttl })?.paths).toEqual(['ttl'])
})

// spec: sending/data, sending/data-reserved
test('data has limits and reserved keys; a key’s mistake is reported there, too many keys or bytes at data', () => {
  expect(send({ data: { a: 'x'.repeat(1024), constructor: 'x' } })).toBeUndefined()
  for (const key of [
    'aps',
    'herald',
    'msgId',
    'from',
    'gcm',
    'message_type',
    'collapse_key',
    'google.x',
    'gcm.notification.title',
    'x'.repeat(65),
  ]) {
    expect(send({ data: { [key]: 'x' } })?.paths).toEqual([`data.${key}`])
  }
  expect(send({ data: { '': 'x' } })?.paths).toEqual(['data.'])
  expect(send({ data: { a: 1 } })?.paths).toEqual(['data.a'])
  expect(send({ data: { a: 'x'.repeat(1025) } })?.paths).toEqual(['data.a'])
  expect(send({ data: { a: '\ud800' } })?.paths).toEqual(['data.a'])
  expect(send({ data: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, ''])) })?.paths).toEqual(['data'])
  expect(send({ data: { a: 'ä'.repeat(1000), b: 'ä'.repeat(536) } })).toEqual({ code: 'invalid_body', paths: ['data'] })
  expect(refusal(JSON.parse(`{"target":{"all":true},"silent":true,"data":{"__proto__":"x"}}`))?.paths).toEqual(['data.__proto__'])
})

test('a collapseId or presentation with characters that could split an HTTP header is refused', () => {
  for (const evil of ['a\r\nb', 'a\0', 'a\tb', '\u0085']) {
    expect(send({ collapseId: evil })?.paths).toContain('collapseId')
    expect(send({ presentation: { channelId: evil } })?.paths).toContain('presentation.channelId')
    expect(send({ presentation: { sound: evil } })?.paths).toContain('presentation.sound')
  }
  expect(send({ collapseId: 'ü'.repeat(64) })).toBeUndefined()
  expect(send({ collapseId: 'x'.repeat(65) })?.paths).toEqual(['collapseId'])
})

// spec: sending/presentation
test('a presentation with a value outside its limits is refused', () => {
  expect(
    send({ presentation: { badge: 99_999, relevanceScore: 1, interruptionLevel: 'time-sensitive', threadId: 't', icon: 'i' } }),
  ).toBeUndefined()
  expect(
    send({ presentation: { badge: 100_000, relevanceScore: 1.1, interruptionLevel: 'loud', color: 'red' } })?.paths.toSorted(),
  ).toEqual(['presentation.badge', 'presentation.color', 'presentation.interruptionLevel', 'presentation.relevanceScore'].toSorted())
})

test('any JSON in a notification’s field is accepted or refused; it neither crashes Herald nor changes a prototype', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5 }),
      fc.constantFrom('target', 'content', 'data', 'presentation', '__proto__', 'constructor'),
      (value, key) => {
        const body: unknown = JSON.parse(`{"target":{"all":true},"silent":true,${JSON.stringify(key)}:${JSON.stringify(value)}}`)
        const answer = refusal(body)
        expect(['taken', 'invalid_body', 'invalid_segment']).toContain(answer?.code ?? 'taken')
        expect(Object.keys(Object.prototype)).toEqual([])
      },
    ),
    { numRuns: 500 },
  )
})
