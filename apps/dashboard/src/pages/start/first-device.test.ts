import { expect, test } from 'vitest'
import { isNewApp } from '../../shell/is-new-app.ts'
import { newestDevice, pushState } from './first-device.ts'

test('the first push’s state is the last step that Herald knows: sending, sent or failed, opened', () => {
  expect(pushState({ outcome: 'sent', code: null, engagements: ['delivered', 'opened'] }).text).toBe('opened')
  expect(pushState({ outcome: 'sent', code: null, engagements: [] }).text).toBe('sent')
  expect(pushState({ outcome: 'open', code: null, engagements: [] }).text).toBe('sending')
  expect(pushState({ outcome: 'failed', code: 'token_dead', engagements: [] })).toEqual({ kind: 'bad', text: 'failed: token_dead' })
})

test('the first steps use the newest reachable device', () => {
  const device = (id: string, createdAt: string, more = {}) => ({ id, createdAt, optedIn: true, invalidatedAt: null, ...more })
  const devices = [
    device('old', '2026-01-01T00:00:00Z'),
    device('new', '2026-01-02T00:00:00Z'),
    device('dead', '2026-01-03T00:00:00Z', { invalidatedAt: '2026-01-03T00:00:00Z' }),
    device('out', '2026-01-04T00:00:00Z', { optedIn: false }),
  ]
  expect(newestDevice(devices)?.id).toBe('new')
})

// spec: dashboard/first-steps
test('the first steps are offered until the app has a device and has queued a push', () => {
  const counts = (total: number) => ({ total, reachable: total, optedOut: 0, invalidated: 0, active1d: 0, active7d: 0, active30d: 0 })
  const devices = (total: number) => ({ ios: counts(0), android: counts(total), web: counts(0) })
  const day = (queued: number) => ({
    at: '',
    queued,
    sent: 0,
    failed: 0,
    skipped: 0,
    delivered: 0,
    opened: 0,
    clicked: 0,
    dismissed: 0,
    converted: 0,
  })
  expect(isNewApp({ devices: devices(0), days: [day(3)] })).toBe(true)
  expect(isNewApp({ devices: devices(1), days: [day(0)] })).toBe(true)
  expect(isNewApp({ devices: devices(1), days: [day(0), day(1)] })).toBe(false)
})
