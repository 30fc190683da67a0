import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  findField,
  leafAnswers,
  matches,
  operatorsOf,
  parseRelativeDate,
  parseSegment,
  versionParts,
  type SegmentDevice,
  type SegmentUser,
} from './segment.ts'

const now = new Date('2026-06-15T12:00:00Z')
const givenDevice = (fields: Partial<SegmentDevice> = {}): SegmentDevice => ({
  platform: 'ios',
  browser: null,
  standalone: null,
  appVersion: '10.2.0',
  sdkVersion: null,
  osVersion: '17.4',
  deviceModel: 'iPhone15,2',
  sessionCount: 7,
  lastSessionAt: new Date('2026-06-10T12:00:00Z'),
  createdAt: new Date('2026-01-01T00:00:00Z'),
  lastActiveAt: new Date('2026-06-14T12:00:00Z'),
  lastNotifiedAt: null,
  ...fields,
})
const givenUser = (fields: Partial<SegmentUser> = {}): SegmentUser => ({
  userId: '0123456789abcdef01234567',
  externalId: 'u-1',
  language: 'pt-BR',
  timezone: 'America/Sao_Paulo',
  country: 'BR',
  createdAt: new Date('2025-01-01T00:00:00Z'),
  lastActiveAt: null,
  tags: { plan: 'gold', visits: 12, paying: true, text5: '5', empty: '' },
  ...fields,
})

function answer(value: unknown, device = givenDevice(), user = givenUser()): boolean {
  const parsed = parseSegment(value, 'segment')
  if (!parsed.ok) throw new Error(`${parsed.path} ${parsed.message}`)
  return matches(parsed.segment, device, user, now)
}
const leaf = (field: string, op: string, value: unknown) => ({ field, op, value })

function refusal(value: unknown): string {
  const parsed = parseSegment(value, 'segment')
  return parsed.ok ? 'taken' : `${parsed.kind} ${parsed.path}`
}

describe('the meaning of a segment', () => {
  // spec: segments/everyone
  test('{} matches every device', () => {
    expect(answer({})).toBe(true)
  })

  // spec: segments/operators
  test.each([
    ['platform', 'eq', 'ios', true],
    ['platform', 'in', ['android', 'web'], false],
    ['sessionCount', 'gte', 7, true],
    ['sessionCount', 'gt', 7, false],
    ['appVersion', 'gt', '9.9', true],
    ['appVersion', 'eq', '10.2', true],
    ['appVersion', 'in', ['10.2', '1'], true],
    ['appVersion', 'lt', '10.10', true],
    ['appVersion', 'startsWith', '10.', true],
    ['deviceModel', 'contains', 'Phone', true],
    ['deviceModel', 'contains', 'phone', false],
    ['lastSessionAt', 'lt', '-4d', true],
    ['lastSessionAt', 'gt', '-1w', true],
    ['lastActiveAt', 'gte', '2026-06-14', true],
    ['lastActiveAt', 'eq', '2026-06-14T14:00:00+02:00', true],
    ['createdAt', 'gt', '2025-12-31T00:00:00Z', true],
    ['user.createdAt', 'gt', '2025-12-31T00:00:00Z', false],
    ['language', 'eq', 'PT_br', true],
    ['language', 'startsWith', 'pt', true],
    ['country', 'eq', 'br', true],
    ['userId', 'eq', '0123456789abcdef01234567', true],
    ['tags.plan', 'eq', 'gold', true],
    ['tags.plan', 'nin', ['silver', 'bronze'], true],
    ['tags.visits', 'gt', 9, true],
    ['tags.plan', 'gt', 'apple', true],
    ['tags.empty', 'exists', true, true],
    ['tags.empty', 'eq', '', true],
  ])('%s %s %j is %s for the device of the test, and its negation is the opposite', (field, op, value, expected) => {
    expect(answer(leaf(field, op, value))).toBe(expected)
    expect(answer({ not: leaf(field, op, value) })).toBe(!expected)
  })

  // spec: segments/absent
  test('without a field every operator is false except ne, nin, exists: false and eq null', () => {
    for (const [op, value] of [
      ['eq', 'x'],
      ['in', ['x']],
      ['gt', 'x'],
      ['gte', 'x'],
      ['lt', 'x'],
      ['lte', 'x'],
      ['contains', 'x'],
      ['startsWith', 'x'],
      ['exists', true],
    ] as const) {
      expect(answer(leaf('tags.missing', op, value))).toBe(false)
    }
    for (const [op, value] of [
      ['ne', 'x'],
      ['nin', ['x']],
      ['exists', false],
      ['eq', null],
    ] as const)
      expect(answer(leaf('tags.missing', op, value))).toBe(true)
    expect(answer(leaf('lastNotifiedAt', 'lt', '-1d'))).toBe(false)
    expect(answer(leaf('lastNotifiedAt', 'eq', null))).toBe(true)
    expect(answer(leaf('externalId', 'ne', null))).toBe(true)
  })

  // spec: segments/timezone
  test('a zone is found by all its names in any letter case; ne and nin leave all out', () => {
    const inIndia = givenUser({ timezone: 'Asia/Kolkata' })
    for (const name of ['Asia/Kolkata', 'asia/calcutta', 'ASIA/CALCUTTA']) {
      expect(answer(leaf('timezone', 'eq', name), givenDevice(), inIndia)).toBe(true)
      expect(answer(leaf('timezone', 'ne', name), givenDevice(), inIndia)).toBe(false)
      expect(answer(leaf('timezone', 'in', ['Europe/Berlin', name]), givenDevice(), inIndia)).toBe(true)
      expect(answer(leaf('timezone', 'nin', ['Europe/Berlin', name]), givenDevice(), inIndia)).toBe(false)
    }
    for (const name of ['america/sao_paulo', 'Brazil/East']) expect(answer(leaf('timezone', 'eq', name))).toBe(true)
    for (const name of ['America/Bahia', 'Mars/Olympus']) expect(answer(leaf('timezone', 'eq', name))).toBe(false)
  })

  // spec: identity/old-language-codes
  test('a language is found by its old and its present code, whichever of them was stored', () => {
    for (const language of ['iw-IL', 'he-IL']) {
      const user = givenUser({ language })
      for (const value of ['iw-IL', 'he-IL', 'iw_il']) {
        expect(answer(leaf('language', 'eq', value), givenDevice(), user)).toBe(true)
        expect(answer(leaf('language', 'nin', ['de', value]), givenDevice(), user)).toBe(false)
      }
      for (const value of ['he', 'iw', 'he-', 'iw-']) expect(answer(leaf('language', 'startsWith', value), givenDevice(), user)).toBe(true)
      expect(answer(leaf('language', 'contains', 'iw'), givenDevice(), user)).toBe(true)
    }
    expect(answer(leaf('language', 'contains', 'NO'), givenDevice(), givenUser({ language: 'nb-NO' }))).toBe(true)
  })

  // spec: segments/tag-types
  test('a tag is compared only with a value of its own type', () => {
    expect(answer(leaf('tags.text5', 'eq', 5))).toBe(false)
    expect(answer(leaf('tags.text5', 'ne', 5))).toBe(true)
    expect(answer(leaf('tags.text5', 'gt', 1))).toBe(false)
    expect(answer(leaf('tags.paying', 'eq', 'true'))).toBe(false)
    expect(answer(leaf('tags.paying', 'eq', 1))).toBe(false)
    expect(answer(leaf('tags.paying', 'eq', true))).toBe(true)
    expect(answer(leaf('tags.visits', 'contains', '1'))).toBe(false)
  })

  test('a name that every JavaScript object has is not a tag of every user', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) expect(answer(leaf(`tags.${name}`, 'exists', true))).toBe(false)
  })

  test('a device of which Herald does not know whether the page is installed does not match standalone eq false', () => {
    expect(answer(leaf('standalone', 'eq', false))).toBe(false)
    expect(answer(leaf('standalone', 'eq', false), givenDevice({ standalone: false }))).toBe(true)
  })

  test('for each condition of a segment it can be asked, by its path, whether the condition alone matches a device', () => {
    const parsed = parseSegment({ or: [leaf('platform', 'eq', 'web'), { not: leaf('tags.plan', 'eq', 'gold') }] }, 'segment')
    expect(parsed.ok && leafAnswers(parsed.segment, givenDevice(), givenUser(), now)).toEqual([
      { path: 'segment.or.0', matched: false },
      { path: 'segment.or.1.not', matched: true },
    ])
  })

  test('on a tag, ne is always the opposite of eq, and nin of in', () => {
    const fields = fc.constantFrom('tags.plan', 'tags.visits', 'tags.paying', 'tags.missing', 'tags.text5')
    const scalars = fc.oneof(fc.string(), fc.double({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1, noNaN: true }), fc.boolean())
    fc.assert(
      fc.property(fields, fc.array(scalars, { minLength: 1, maxLength: 5 }), (field, values) => {
        expect(answer(leaf(field, 'ne', values[0]))).toBe(!answer(leaf(field, 'eq', values[0])))
        expect(answer(leaf(field, 'nin', values))).toBe(!answer(leaf(field, 'in', values)))
      }),
    )
  })
})

describe('a value that is not a segment', () => {
  const nested = (depth: number): unknown => (depth === 1 ? leaf('platform', 'eq', 'ios') : { not: nested(depth - 1) })
  const leaves = (count: number) => Array.from({ length: count }, () => leaf('platform', 'eq', 'ios'))

  // spec: segments/node, segments/structure-errors, segments/error-path
  test.each<[unknown, string]>([
    [null, 'invalid_body segment'],
    ['x', 'invalid_body segment'],
    [[], 'invalid_body segment'],
    [{ and: [] }, 'invalid_body segment.and'],
    [{ and: {} }, 'invalid_body segment.and'],
    [{ and: [{}] }, 'invalid_body segment.and.0'],
    [{ not: {} }, 'invalid_body segment.not'],
    [{ and: leaves(1), or: leaves(1) }, 'invalid_body segment'],
    [{ and: leaves(51) }, 'invalid_body segment.and'],
    [{ and: [{ or: leaves(50) }, { or: leaves(50) }, leaf('platform', 'eq', 'ios')] }, 'invalid_body segment.and.2'],
    [{ field: 'platform', op: 'eq' }, 'invalid_body segment.value'],
    [{ field: 'platform', value: 'ios' }, 'invalid_body segment.op'],
    [{ field: 1, op: 'eq', value: 'ios' }, 'invalid_body segment.field'],
    [{ field: 'platform', op: 'eq', value: 'ios', also: 1 }, 'invalid_body segment.also'],
    [leaf('browser', 'in', []), 'invalid_body segment.value'],
    [leaf('browser', 'in', Array(501).fill('x')), 'invalid_body segment.value'],
    [leaf('browser', 'eq', 'a\0'), 'invalid_body segment.value'],
  ])('%j is refused with the code and path %s', (value, expected) => {
    expect(refusal(value)).toBe(expected)
  })

  // spec: segments/operators, segments/meaning-errors, segments/error-path
  test.each<[unknown, string]>([
    [leaf('colour', 'eq', 'red'), 'field'],
    [leaf('$where', 'eq', '1'), 'field'],
    [leaf('tags.$x', 'eq', '1'), 'field'],
    [leaf('tags.', 'eq', '1'), 'field'],
    [leaf('tags.__proto__', 'eq', '1'), 'field'],
    [leaf('constructor', 'eq', '1'), 'field'],
    [leaf('user.language', 'eq', 'de'), 'field'],
    [leaf('platform', 'near', 'ios'), 'op'],
    [leaf('platform', 'toString', 'ios'), 'op'],
    [leaf('platform', 'gt', 'ios'), 'op'],
    [leaf('sessionCount', 'contains', '1'), 'op'],
    [leaf('platform', 'eq', 'tv'), 'value'],
    [leaf('platform', 'eq', { $ne: 1 }), 'value'],
    [leaf('tags.a', 'eq', ['a']), 'value'],
    [leaf('tags.a', 'gt', true), 'value'],
    [leaf('tags.a', 'gt', null), 'value'],
    [leaf('tags.a', 'in', 'a'), 'value'],
    [leaf('tags.a', 'in', ['a', { b: 1 }]), 'value.1'],
    [leaf('tags.a', 'in', ['a', null]), 'value.1'],
    [leaf('tags.a', 'exists', 'yes'), 'value'],
    [leaf('sessionCount', 'gt', '7'), 'value'],
    [leaf('sessionCount', 'gt', Infinity), 'value'],
    [leaf('standalone', 'eq', 'true'), 'value'],
    [leaf('appVersion', 'gt', 10), 'value'],
    [leaf('appVersion', 'gt', 'newest'), 'value'],
    [leaf('userId', 'eq', 'me'), 'value'],
    [leaf('lastActiveAt', 'gt', '-14x'), 'value'],
    [leaf('lastActiveAt', 'gt', '-999999d'), 'value'],
    [leaf('lastActiveAt', 'gt', '14d'), 'value'],
    [leaf('lastActiveAt', 'gt', 'yesterday'), 'value'],
    [leaf('lastActiveAt', 'gt', 1_700_000_000), 'value'],
  ])('%j is refused with invalid_segment at %s', (value, step) => {
    expect(refusal(value)).toBe(`invalid_segment segment.${step}`)
    expect(refusal({ and: [leaf('platform', 'eq', 'ios'), value] })).toBe(`invalid_segment segment.and.1.${step}`)
  })

  // spec: segments/numbers
  test.each(['9007199254740993', '-9007199254740993', '1e400'])('the number %s in a segment is refused at its path', (written) => {
    const value = JSON.parse(written) as number
    expect(refusal(leaf('tags.n', 'eq', value))).toBe('invalid_segment segment.value')
    expect(refusal(leaf('tags.n', 'in', [1, value]))).toBe('invalid_segment segment.value.1')
    expect(refusal(leaf('sessionCount', 'gt', value))).toBe('invalid_segment segment.value')
  })

  // spec: segments/limits
  test('a segment is nested at most eight levels deep, the leaf included', () => {
    expect(refusal(nested(8))).toBe('taken')
    expect(refusal(nested(9))).toBe(`invalid_body segment${'.not'.repeat(8)}`)
  })

  // spec: segments/limits, segments/lists
  test('a segment may have 50 children of a node, 100 leaves and 500 values in a list', () => {
    expect(refusal({ and: [{ or: leaves(50) }, { or: leaves(50) }] })).toBe('taken')
    expect(refusal(leaf('browser', 'in', Array(500).fill('x')))).toBe('taken')
  })

  test('a segment with one condition a hundred times is accepted for a tag, date, version or country', () => {
    for (const one of [
      leaf('tags.plan', 'eq', 'x'),
      leaf('createdAt', 'gt', '-1d'),
      leaf('appVersion', 'gte', '10.2'),
      leaf('country', 'ne', 'DE'),
    ]) {
      const fifty = { or: Array(50).fill(one) }
      expect({ one, is: refusal({ and: [fifty, fifty] }) }).toEqual({ one, is: 'taken' })
    }
  })

  // spec: segments/cost
  test('a segment whose count over a million devices takes too long is refused at the leaf beyond the limit', () => {
    const versions = leaf(
      'appVersion',
      'in',
      Array.from({ length: 500 }, (_, place) => `1.${place}`),
    )
    expect(refusal({ or: Array(8).fill(versions) })).toBe('taken')
    expect(refusal({ or: Array(27).fill(versions) })).toBe('invalid_body segment.or.8')
    const numbers = { or: Array(50).fill(leaf('tags.score', 'gt', 10)) }
    expect(refusal({ and: [numbers, numbers] })).toBe('invalid_body segment.and.0.or.26')
    const every = ['appVersion', 'sdkVersion', 'osVersion', 'lastNotifiedAt', 'tags.a']
    expect(refusal({ and: every.map((field) => leaf(field, 'exists', true)) })).toBe('taken')
  })

  // spec: segments/cost
  test('all leaves of a segment together may list at most 10,000 values', () => {
    const plain = leaf('deviceModel', 'in', Array(500).fill('x'))
    expect(refusal({ or: Array(20).fill(plain) })).toBe('taken')
    expect(refusal({ or: [...Array(20).fill(plain), leaf('deviceModel', 'in', ['x'])] })).toBe('invalid_body segment.or.20')
    expect(refusal({ or: [{ or: Array(45).fill(plain) }, { or: Array(44).fill(plain) }] })).toBe('invalid_body segment.or.0.or.20')
  })

  test('any JSON is parsed as a segment or refused with a path, and every parsed segment can be evaluated', () => {
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.record({
          field: fc.constantFrom(
            'platform',
            'tags.plan',
            'tags.a b',
            'appVersion',
            'lastActiveAt',
            'standalone',
            'sessionCount',
            'country',
            '$x',
          ),
          op: fc.constantFrom('eq', 'ne', 'in', 'gt', 'lte', 'exists', 'contains', 'nope'),
          value: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('-3d', '10.2', 'ios', '2026-01-01')),
        }),
        fc.record({ and: fc.array(tie('node'), { maxLength: 3 }) }),
        fc.record({ or: fc.array(tie('node'), { maxLength: 3 }) }),
        fc.record({ not: tie('node') }),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    }))
    fc.assert(
      fc.property(node, (value) => {
        const parsed = parseSegment(value, 'segment')
        const answer = parsed.ok ? matches(parsed.segment, givenDevice(), givenUser(), now) : parsed.path
        expect(answer).toSatisfy((is: boolean | string) => typeof is === 'boolean' || is === 'segment' || is.startsWith('segment.'))
      }),
      { numRuns: 1000 },
    )
  })
})

// spec: segments/dates
test('a relative date is a sign, one to five digits and a unit', () => {
  expect(parseRelativeDate('-14d')).toEqual({ relativeSeconds: -14 * 86_400 })
  expect(parseRelativeDate('+90m')).toEqual({ relativeSeconds: 5400 })
  expect(parseRelativeDate('-2w')).toEqual({ relativeSeconds: -1_209_600 })
  expect(parseRelativeDate('+1h')).toEqual({ relativeSeconds: 3600 })
  for (const wrong of ['14d', '-d', '-123456d', '-1y', '-1.5d', ' -1d', '-1d\n', '-99999999999d'])
    expect(parseRelativeDate(wrong)).toBeUndefined()
})

// spec: segments/versions
test('a version is its first numbers without zeros at the end; other texts and eleven digits are none', () => {
  expect(versionParts('v10.2.0-beta')).toEqual([10, 2])
  expect(versionParts('0.0')).toEqual([0])
  expect(versionParts('beta')).toBeUndefined()
  expect(versionParts('12345678901')).toBeUndefined()
})

// spec: segments/device-fields, segments/user-fields
test('createdAt is the device’s, user.createdAt the user’s, and tags.a.b is the tag a.b; eleven types of fields have operators', () => {
  expect(findField('createdAt')).toEqual({ on: 'device', name: 'createdAt', type: 'date' })
  expect(findField('user.createdAt')).toEqual({ on: 'user', name: 'createdAt', type: 'date' })
  expect(findField('tags.a.b')).toEqual({ on: 'tag', name: 'a.b', type: 'tag' })
  expect(Object.keys(operatorsOf)).toHaveLength(11)
})
