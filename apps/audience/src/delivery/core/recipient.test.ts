import { newId } from '@herald/contracts/ids'
import { recipientsOf } from '@herald/contracts/recipient'
import { describe, expect, test } from 'vitest'
import { facts, partOf, queuedDevices, type QueuedDevices } from './recipient.ts'

const names = { user: [], tags: [], subscription: [], language: false, timezone: false }
const usual = facts.isThere + facts.isOptedIn

/** Makes a batch with one device for each digit, the sum of the `facts` that are true of the device. `change`: further fields of the batch. */
function givenQueued(digits: number[], change: Partial<QueuedDevices> = {}) {
  const subscriptionIds = digits.map(() => newId())
  const userIds = digits.map(() => newId())
  const queued: QueuedDevices = {
    places: null,
    subscriptionIds: subscriptionIds.join(''),
    queuedFor: userIds.join(''),
    facts: digits.map((digit) => digit.toString(16)).join(''),
    addresses: digits.map((_, at) => `token-${at}`),
    tokenVersions: digits.map((_, at) => at + 1),
    ...change,
  }
  return { queued, subscriptionIds, userIds }
}

test('a dispatcher gets only those fields of a device and user that the texts of the send name', () => {
  const read = {
    language: ['de', 'en'],
    timezone: ['Europe/Berlin', null],
    externalId: ['a', 'b'],
    country: ['DE', 'DE'],
    createdAt: ['2026-01-01T02:00:00.123456+02:00', '2026-01-01T00:00:00+00:00'],
    appVersion: ['1.0', null],
    tags: [{ plan: 'gold', city: 'Rome' }, null],
  }
  const { queued, userIds } = givenQueued([usual, usual], read)

  const { recipients } = partOf(
    queued,
    { user: ['country', 'createdAt', 'id'], tags: ['plan'], subscription: ['appVersion', 'platform'], language: true, timezone: false },
    'ios',
    0,
  )

  expect(recipientsOf(recipients)).toMatchObject([
    {
      ...{ language: 'de', timezone: null, tags: { plan: 'gold' }, subscription: { appVersion: '1.0', platform: 'ios' } },
      user: { country: 'DE', createdAt: '2026-01-01T00:00:00.123Z', id: userIds[0] },
    },
    { language: 'en', user: { country: 'DE', createdAt: '2026-01-01T00:00:00.000Z' }, tags: {}, subscription: { platform: 'ios' } },
  ])
  expect(JSON.stringify(recipients)).not.toMatch(/externalId|Rome|Berlin/)
})

// spec: tracking/owner-first
test.each([
  ['deleted', 0, 'deleted'],
  ['another user’s by now, although also invalidated', facts.isThere + facts.isOthers + facts.isInvalidated, 'owner_changed'],
  ['invalidated', facts.isThere + facts.isInvalidated, 'invalidated'],
  ['opted out', facts.isThere, 'opted_out'],
])('a push to a device that is %s is skipped for its user, and the others keep their places', (_, digit, code) => {
  const { queued, subscriptionIds, userIds } = givenQueued([usual, digit, usual])

  const part = partOf(queued, names, 'ios', 100)

  const [, subscriptionId] = subscriptionIds
  expect(part.decided).toEqual([{ place: 101, subscriptionId, userId: userIds[1], tokenVersion: 2, attempts: 0, outcome: 'skipped', code }])
  const recipients = recipientsOf(part.recipients)
  expect(recipients.map(({ place }) => place)).toEqual([100, 102])
  expect(recipients.map((one) => one.subscriptionId)).toEqual([subscriptionIds[0], subscriptionIds[2]])
  expect(recipients.map(({ userId, address, tokenVersion }) => [userId, address, tokenVersion])).toEqual([
    [userIds[0], 'token-0', 1],
    [userIds[2], 'token-2', 3],
  ])
})

test('an answer with 500 devices of a usual send has about 100 bytes a device: shared values stand once', () => {
  const token = 'a'.repeat(64)
  const { queued } = givenQueued(
    Array.from({ length: 500 }, () => usual),
    {
      addresses: Array.from({ length: 500 }, () => token),
      tokenVersions: Array.from({ length: 500 }, () => 1),
      environments: Array.from({ length: 500 }, () => 'production' as const),
    },
  )
  const { recipients, count } = partOf(queued, names, 'ios', 0)
  expect(count).toBe(500)
  expect(recipients).toMatchObject({ tokenVersions: { all: 1 }, environments: { all: 'production' }, places: null })
  expect(JSON.stringify(recipients).length).toBeLessThan(500 * 102)
})

test('one answer to a dispatcher holds about 256 kB of a batch, and at least one push', () => {
  const given = (addresses: string[]) =>
    givenQueued(
      addresses.map(() => usual),
      { addresses },
    ).queued

  expect(partOf(given([]), names, 'ios', 0)).toMatchObject({ count: 0, decided: [], recipients: { addresses: [] } })
  expect(partOf(given(['x'.repeat(400_000), 'x']), names, 'ios', 0).count).toBe(1)
  const { recipients, count } = partOf(given(Array.from({ length: 500 }, () => 'x'.repeat(4_096))), names, 'ios', 0)
  expect(recipients.addresses).toHaveLength(count)
  expect(JSON.stringify(recipients).length).toBeLessThan(256_000)
  expect(JSON.stringify(recipients).length).toBeGreaterThan(230_000)
})

test('in a batch of retries each push, also a skipped one, keeps the place of its first batch', () => {
  const { queued } = givenQueued([usual, facts.isThere, usual], { places: [7, 11, 480] })

  const { recipients, decided } = partOf(queued, names, 'ios', 0)

  expect(recipientsOf(recipients).map(({ place }) => place)).toEqual([7, 480])
  expect(decided).toMatchObject([{ place: 11, code: 'opted_out' }])
})

describe('a batch as the database finds it', () => {
  const [one, two, three] = [newId(), newId(), newId()]
  const [ann, ben] = [newId(), newId()]
  const found = {
    ...{ places: null, subscriptionIds: one + two + three, queuedFor: ann + ben + ann },
    ...{ idsFound: one + two + three, owners: ann + ben + ann, facts: '919' },
    ...{ addresses: ['1', '2', '3'], tokenVersions: [1, 2, 3] },
  }
  const isThere = facts.isThere + facts.isOptedIn

  test('when no device of a batch has changed since it was queued, those found are passed on unchanged', () => {
    const queued = queuedDevices({ ...found, environments: '---' })

    expect(queued).toMatchObject({ facts: '919', addresses: found.addresses, tokenVersions: found.tokenVersions })
    expect(queued.environments).toBeUndefined()
  })

  test('the devices that were found are put in the order of the batch, with gaps for deleted devices', () => {
    const queued = queuedDevices({
      ...found,
      ...{ idsFound: three + one, owners: ann + ann, facts: '59', addresses: ['3', '1'], tokenVersions: [3, 1], environments: 's-' },
      appVersion: ['3.0', null],
    })

    expect(queued).toMatchObject({
      facts: '905',
      addresses: ['1', null, '3'],
      tokenVersions: [1, null, 3],
      appVersion: [null, null, '3.0'],
    })
    expect(queued.environments).toEqual([null, null, 'sandbox'])
  })

  test('a device that belongs to another user now is marked as another user’s', () => {
    const queued = queuedDevices({ ...found, owners: ann + ann + ann })
    expect(queued.facts).toBe(`${isThere}${facts.isThere + facts.isOthers}${isThere}`)
  })

  test('each device gets the fields of its user, also when the user has several devices or was deleted', () => {
    const users = { userIdsFound: ann, externalId: ['Ann'], tags: [{ plan: 'gold' }] }
    const queued = queuedDevices({ ...found, ...users })

    expect(queued.externalId).toEqual(['Ann', null, 'Ann'])
    expect(queued.tags).toEqual([{ plan: 'gold' }, null, { plan: 'gold' }])
  })

  test('a batch whose devices were all deleted has no addresses', () => {
    const nobody = { idsFound: null, owners: null, facts: null, addresses: null, tokenVersions: null, environments: null }
    expect(queuedDevices({ ...found, ...nobody })).toMatchObject({ facts: '000', addresses: [null, null, null] })
    expect(queuedDevices({ ...found, ...nobody, subscriptionIds: '', queuedFor: '' })).toMatchObject({ facts: '', addresses: [] })
  })
})
