import { WebPushCredentials } from '@herald/contracts/administration'
import { expect, test } from 'vitest'
import { makeVapidPair, subjectOf, warningOfNewKeys, warningOfSubject } from './provider-warnings.ts'

// spec: dashboard/credential-warnings
test.each(['mailto:ops@localhost', 'mailto:x@machine', 'https://localhost/contact', 'https://10.0.0.1/'])(
  'the operator is warned of the subject %s, which Apple refuses',
  (subject) => {
    expect(warningOfSubject(subject)).toMatch(/403/)
  },
)

test.each(['mailto:ops@shop.example', 'https://shop.example', 'mailto:ops@', 'ops', '', 'https://'])(
  'the operator is not warned of the subject %j',
  (subject) => {
    expect(warningOfSubject(subject)).toBeUndefined()
  },
)

test('a mail address that is typed as the subject gets its `mailto:`, and any other text stays as it is', () => {
  expect(subjectOf(' ops@shop.example ')).toBe('mailto:ops@shop.example')
  expect(subjectOf('mailto:ops@shop.example')).toBe('mailto:ops@shop.example')
  expect(subjectOf('https://shop.example')).toBe('https://shop.example')
})

test('Herald accepts a key pair of Web Push that the browser made', async () => {
  const pair = await makeVapidPair()
  expect(WebPushCredentials.safeParse({ subject: 'mailto:ops@shop.example', ...pair }).success).toBe(true)
})

// spec: dashboard/credential-warnings
test('the warning of a new key pair says how many browsers must subscribe again', () => {
  expect(warningOfNewKeys(1)).toContain('1 browser is reachable')
  expect(warningOfNewKeys(1200)).toContain('1,200 browsers are reachable')
  expect(warningOfNewKeys(undefined)).toContain('every browser must subscribe again.')
})
