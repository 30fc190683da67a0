import { campaignStatuses } from '@herald/contracts/stats'
import { expect, test } from 'vitest'
import { campaignActions, flowOf, nextStatus, statusAfter, statusesThatAllow } from './campaign.ts'

// spec: campaigns/send-from
test('only a draft or scheduled campaign can be sent: now it is sending, later scheduled, as a recurrence active', () => {
  for (const action of ['sendNow', 'sendLater', 'sendRecurring'] as const) expect(statusesThatAllow(action)).toEqual(['draft', 'scheduled'])
  expect(nextStatus('draft', 'sendNow')).toBe('sending')
  expect(nextStatus('scheduled', 'sendLater')).toBe('scheduled')
  expect(nextStatus('draft', 'sendRecurring')).toBe('active')
})

test('a draft, a scheduled campaign and an active recurrence can be cancelled at once', () => {
  expect(statusesThatAllow('cancel')).toEqual(['draft', 'scheduled', 'active'])
})

// spec: campaigns/settles
test('only a campaign that is sending or paused can settle; without a cancel it is sent then', () => {
  for (const action of ['settle', 'settleCancelled'] as const) expect(statusesThatAllow(action)).toEqual(['sending', 'paused'])
  for (const status of statusesThatAllow('settle')) expect(nextStatus(status, 'settle')).toBe('sent')
})

// spec: campaigns/statuses
test('an ended campaign never changes its status, and only a campaign that is sending or active can be paused', () => {
  for (const end of ['sent', 'cancelled', 'failed'] as const)
    for (const action of campaignActions) expect(nextStatus(end, action)).toBeUndefined()
  const intoPaused = campaignStatuses.flatMap((status) => campaignActions.filter((action) => nextStatus(status, action) === 'paused'))
  expect(intoPaused).toEqual(['pause', 'pauseRecurring', 'askCancel', 'changeRate'])
  expect(statusesThatAllow('pause')).toEqual(['sending'])
  expect(statusesThatAllow('pauseRecurring')).toEqual(['active'])
})

// spec: campaigns/statuses
test('each status allows exactly the listed actions, and each of them leads to the listed status', () => {
  const allowed = campaignStatuses.flatMap((status) =>
    campaignActions.flatMap((action) => {
      const next = nextStatus(status, action)
      return next ? [`${status} ${action} ${next}`] : []
    }),
  )
  expect(allowed.toSorted()).toEqual(
    [
      'draft sendNow sending',
      'draft sendLater scheduled',
      'draft sendRecurring active',
      'draft cancel cancelled',
      'draft change draft',
      'draft changeRate draft',
      'scheduled changeRate scheduled',
      'sending changeRate sending',
      'active changeRate active',
      'paused changeRate paused',
      'scheduled sendNow sending',
      'scheduled sendLater scheduled',
      'scheduled sendRecurring active',
      'scheduled start sending',
      'scheduled cancel cancelled',
      'scheduled unsend draft',
      'scheduled fail failed',
      'sending settle sent',
      'sending settleCancelled cancelled',
      'sending fail failed',
      'sending pause paused',
      'sending askCancel sending',
      'active cancel cancelled',
      'active end sent',
      'active fail failed',
      'active pauseRecurring paused',
      'paused resume sending',
      'paused settle sent',
      'paused settleCancelled cancelled',
      'paused fail failed',
      'paused askCancel paused',
      'paused resumeRecurring active',
      'paused cancelRecurring cancelled',
    ].toSorted(),
  )
})

test('an action leads to the same status from every one; asking for a cancel and changing the rate keep it', () => {
  for (const action of campaignActions)
    for (const status of statusesThatAllow(action))
      expect(nextStatus(status, action)).toBe(action === 'askCancel' || action === 'changeRate' ? status : statusAfter(action))
})

// spec: campaigns/flow-last-word
test('a send’s flow is running unless paused or cancelled; once a cancel was asked for, it is cancelled', () => {
  const flows = campaignStatuses.map((status) => [status, flowOf({ status, cancelling: false })])
  expect(flows.filter(([, flow]) => flow !== 'running')).toEqual([
    ['cancelled', 'cancelled'],
    ['paused', 'paused'],
  ])
  for (const status of campaignStatuses) expect(flowOf({ status, cancelling: true })).toBe('cancelled')
})
