import { expect, test } from 'vitest'
import { Fault } from './fault.ts'
import { TestSend } from './test-send.ts'
import { parseBody } from './validate.ts'

const content = { _default: 'en', en: { title: 'Hello', body: 'World' } }
const id = '0123456789abcdef01234567'

function pathsRefused(body: unknown): string[] {
  try {
    parseBody(TestSend, body)
    return []
  } catch (error) {
    if (!Fault.is(error, 'invalid_body')) throw error
    return (error.details ?? []).map(({ path }) => path)
  }
}

// spec: administration/test-send-devices
test('a test names its devices in exactly one of four ways', () => {
  for (const one of [{ subscriptionId: id }, { subscriptionIds: [id] }, { userIds: [id] }, { externalIds: ['ada'] }])
    expect(pathsRefused({ ...one, content })).toEqual([])
  expect(pathsRefused({ content })).toEqual(['subscriptionId'])
  expect(pathsRefused({ subscriptionId: id, externalIds: ['ada'], content })).toEqual(['subscriptionId'])
  expect(pathsRefused({ userIds: [id], externalIds: ['ada'], content })).toEqual(['subscriptionId'])
})

// spec: administration/test-send-devices
test('a list of devices or users of a test has 1 to 20 entries', () => {
  const ids = (count: number) => Array.from({ length: count }, () => id)
  for (const name of ['subscriptionIds', 'userIds', 'externalIds']) {
    expect(pathsRefused({ [name]: ids(20), content })).toEqual([])
    expect(pathsRefused({ [name]: ids(21), content })).toEqual([name])
    expect(pathsRefused({ [name]: [], content })).toEqual([name])
  }
  expect(pathsRefused({ subscriptionIds: [id, 'x'], content })).toEqual(['subscriptionIds.1'])
})

// spec: administration/test-send
test('a test has either send fields or a campaign, and names a variant only with a campaign', () => {
  const to = { subscriptionId: id }
  expect(pathsRefused(to)).toEqual(['content'])
  expect(pathsRefused({ ...to, silent: true })).toEqual([])
  expect(pathsRefused({ ...to, campaignId: id })).toEqual([])
  expect(pathsRefused({ ...to, campaignId: id, variant: 'a', mark: true })).toEqual([])
  expect(pathsRefused({ ...to, campaignId: id, content })).toEqual(['campaignId'])
  expect(pathsRefused({ ...to, campaignId: id, ttl: 60 })).toEqual(['campaignId'])
  expect(pathsRefused({ ...to, content, variant: 'a' })).toEqual(['variant'])
})

// spec: limits/strict
test('an unknown field of a test is refused at its path', () => {
  for (const foreign of ['test', 'target', 'schedule', 'name', 'experiment'])
    expect(pathsRefused({ subscriptionId: id, content, [foreign]: 'x' })).toEqual([foreign])
})
