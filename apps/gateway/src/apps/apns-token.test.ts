import { expect, test } from 'vitest'
import { isTokenKept } from './apns-token.ts'

// spec: providers/apns-provider-token
test('an APNs token is used until it is 50 minutes old, or 20 when Apple refuses it', () => {
  const kept = (minutes: number, refused: boolean) => isTokenKept({ ageSeconds: minutes * 60, refused })
  expect([kept(0, false), kept(49.9, false), kept(50, false)]).toEqual([true, true, false])
  expect([kept(0, true), kept(19.9, true), kept(20, true)]).toEqual([true, true, false])
})
