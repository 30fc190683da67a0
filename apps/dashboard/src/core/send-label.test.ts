import { expect, test } from 'vitest'
import { approveLabel, sendLabel, whenOf } from './send-label.ts'

const now = new Date('2026-11-22T12:00:00Z')

// spec: dashboard/approval
test('the button of the second person says that it approves the send', () => {
  expect(approveLabel({ type: 'now' }, 12_431, now)).toBe('Approve and send to 12,431 devices')
  expect(approveLabel({ type: 'at', at: '2026-12-01T08:00:00.000Z' }, 2, now)).toBe('Approve and schedule for 2 devices')
})

// spec: dashboard/send-number
test('the button that sends says to how many devices, and the sheet says when', () => {
  expect(sendLabel({ type: 'now' }, 12_431, now)).toBe('Send to 12,431 devices')
  expect(sendLabel({ type: 'now' }, 1, now)).toBe('Send to 1 device')
  expect(sendLabel({ type: 'at', at: '2026-12-01T08:00:00.000Z' }, 2, now)).toBe('Schedule for 2 devices')
  expect(sendLabel({ type: 'recurring', every: 'day', localTime: '09:00', timezone: 'UTC' }, 3, now)).toBe(
    'Start recurring campaign (3 devices per send)',
  )
  expect(sendLabel({ type: 'at', at: now.toISOString() }, 2, now)).toBe('Send to 2 devices')
  expect(whenOf({ type: 'now' }, now)).toBe('Now')
  expect(whenOf({ type: 'at', at: now.toISOString() }, now)).toBe('Now')
  expect(whenOf({ type: 'now' }, now, 4_100)).toBe('Now, and after their quiet hours for 4,100 of these devices')
  expect(whenOf({ type: 'user_timezone', localTime: '09:00' }, now)).not.toBe('Now')
  expect(whenOf({ type: 'user_timezone', localTime: '09:00', date: '2026-12-04' }, now)).toMatch(
    /^at 09:00 on Friday 4 December 2026, local time of each user/,
  )
})
