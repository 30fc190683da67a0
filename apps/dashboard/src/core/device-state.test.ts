import { expect, test } from 'vitest'
import { clockIn, stateOfDevice, type PushFacts } from './device-state.ts'

const device = { id: 'd1', platform: 'ios' as const, optedIn: true, invalidatedAt: null, lastSessionAt: '2026-01-01T00:00:00.000Z' }
const dead = (settledAt: string, more: Partial<PushFacts> = {}): PushFacts => {
  return {
    subscriptionId: 'd1',
    outcome: 'failed',
    code: 'token_dead',
    providerCode: '410 Unregistered',
    settledAt,
    campaignId: 'c1',
    ...more,
  }
}

test("an invalidated device is shown with the provider's answer that invalidated it, and with its campaign", () => {
  const invalidatedAt = '2026-11-03T10:00:00.000Z'
  const state = stateOfDevice({ ...device, invalidatedAt }, [
    dead('2026-10-01T10:00:00.000Z', { providerCode: '410 ExpiredToken' }),
    dead('2026-11-03T10:00:00.400Z'),
    dead('2026-11-03T10:00:00.000Z', { code: 'rate_limited', providerCode: '429' }),
    dead('2026-11-03T10:00:00.000Z', { subscriptionId: 'd2', providerCode: '404' }),
  ])
  expect(state).toEqual({ kind: 'bad', word: 'Invalid token', why: 'APNs answered 410 Unregistered.', at: invalidatedAt, campaignId: 'c1' })
})

test('when the push that invalidated a device was not read, the page says so and names no other', () => {
  const state = stateOfDevice({ ...device, invalidatedAt: '2026-11-03T10:00:00.000Z' }, [dead('2026-11-04T10:00:00.000Z')])
  expect(state).toMatchObject({
    word: 'Invalid token',
    why: 'The provider’s answer is not among the newest pushes.',
    campaignId: null,
  })
})

test('a device shows as invalidated, also when opted out too, else as opted out, else as reachable', () => {
  expect(stateOfDevice({ ...device, optedIn: false, invalidatedAt: '2026-11-03T10:00:00.000Z' }, []).word).toBe('Invalid token')
  expect(stateOfDevice({ ...device, optedIn: false }, []).word).toBe('Opted out')
  expect(stateOfDevice(device, [])).toEqual({ kind: 'good', word: 'Reachable', why: null, at: null, campaignId: null })
  expect(stateOfDevice({ ...device, lastSessionAt: null }, []).why).toBe('No sessions yet.')
})

test('a user’s local time shows its day and distance from UTC, in summer that of summer time', () => {
  const at = new Date('2026-07-01T20:30:00Z')
  expect(clockIn('Asia/Tokyo', at)).toEqual({ time: '05:30', day: 'Thursday 2 July', offset: 'UTC+09:00' })
  expect(clockIn('Europe/Berlin', at)).toEqual({ time: '22:30', day: 'Wednesday 1 July', offset: 'UTC+02:00' })
  expect(clockIn('UTC', at)?.offset).toBe('UTC+00:00')
  expect(clockIn('Mars/Olympus', at)).toBeUndefined()
})
