import { expect, test } from 'vitest'
import { nameOfSend, whatActivityDoes } from './send-name.ts'

// spec: dashboard/live-activities
test('a send to a Live Activity is named after the activity and its event, any other by its name', () => {
  expect(nameOfSend({ name: 'Sale' })).toBe('Sale')
  expect(nameOfSend({ name: 'live activity', activity: { activityId: 'match-3', event: 'update' } })).toBe('Live Activity match-3, updated')
  expect(whatActivityDoes({ event: 'end' }, true)).toBe(
    'Ends on every device that has it, without a sound. Opens and clicks are not tracked for Live Activities.',
  )
})
