import { WebPushCredentials } from '@herald/contracts/administration'
import { expect, test } from 'vitest'
import { makeVapidPair, subjectOf, warningOfNewKeys, warningOfSubject } from './provider-warnings.ts'

// spec: dashboard/credential-warnings
test.each(['mailto:ops@localhost', 'mailto:x@machine', 'https://localhost/contact', 'https://10.0.0.1/'])(
  'the subject %s is warned about: Apple refuses it',
  (subject) => {
    expect(warningOfSubject(subject)).toMatch(/403/)
  },
)

test.each(['mailto:ops@shop.example', 'https://shop.example', 'mailto:ops@', 'ops', '', 'https://'])(
  'the subject %j is not warned about',
  (subject) => {
    expect(warningOfSubject(subject)).toBeUndefined()
  },
)

test('a bare mail address becomes a subject, and everything else stays as it was typed', () => {
  expect(subjectOf(' ops@shop.example ')).toBe('mailto:ops@shop.example')
  expect(subjectOf('mailto:ops@shop.example')).toBe('mailto:ops@shop.example')
  expect(subjectOf('https://shop.example')).toBe('https://shop.example')
})

test('a pair that is made in the browser is one that the platform takes', async () => {
  const pair = await makeVapidPair()
  expect(WebPushCredentials.safeParse({ subject: 'mailto:ops@shop.example', ...pair }).success).toBe(true)
})

// spec: dashboard/credential-warnings
test('the warning of a new pair counts who has to subscribe again', () => {
  expect(warningOfNewKeys(1)).toContain('1 browser is reachable')
  expect(warningOfNewKeys(1200)).toContain('1,200 browsers are reachable')
  expect(warningOfNewKeys(undefined)).toContain('every browser must subscribe again.')
})
