import { readCampaign } from '@herald/contracts/calls/campaigns'
import { listPushes, type LedgerRow } from '@herald/contracts/calls/tracker'
import type { Call } from '@herald/contracts/call'
import { Fault, fault, queueUnavailable, tooManyReads } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { CampaignStatus } from '@herald/contracts/stats'
import type { Bus } from '@herald/service/bus'
import { until } from '@herald/testing/until'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openTestWaits, type AcceptedTest } from './await-tests.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const givenTest = (notQueued: AcceptedTest['notQueued'] = []): AcceptedTest => ({ appId: newId(), campaignId: newId(), notQueued })
const givenRow = (fields: Partial<LedgerRow> = {}): LedgerRow => ({
  ...{ campaignId: newId(), subscriptionId: newId(), userId: newId(), platform: 'ios', variant: null },
  ...{ outcome: 'sent', code: null, providerCode: null, attempts: 1, settledAt: '2026-01-31T08:00:00.000Z', engagements: [] },
  ...fields,
})

/** Fakes campaigns and the tracker, which the gateway asks; a test can change their answers at any time. */
function givenPeers(status: CampaignStatus, rows: LedgerRow[] = []) {
  const peers = { status, rows, fault: undefined as Fault | undefined, looks: 0, isGone: false }
  const answer = (contract: Call<unknown, unknown>): unknown => {
    if (contract.subject === readCampaign.subject) peers.looks += 1
    if (peers.fault) throw peers.fault
    if (contract.subject === readCampaign.subject) return peers.isGone ? null : { status: peers.status }
    if (contract.subject === listPushes.subject) return { items: peers.rows, nextCursor: null }
    throw new Error(contract.subject)
  }
  const bus = { call: async (contract: Call<unknown, unknown>) => answer(contract) } as unknown as Pick<Bus, 'call'>
  return { peers, waits: openTestWaits({ bus }) }
}

// spec: administration/test-send-answer
test('a finished test is answered at once, with every device by id, even those without a push', async () => {
  const dead = givenRow({ subscriptionId: 'b', outcome: 'failed', code: 'token_invalid', providerCode: '400 BadDeviceToken' })
  const { waits } = givenPeers('sent', [givenRow({ subscriptionId: 'c' }), dead])

  expect(await waits.standingOf(givenTest([{ subscriptionId: 'a', platform: 'web', code: 'opted_out' }]))).toEqual({
    status: 'sent',
    isOver: true,
    results: [
      { subscriptionId: 'a', platform: 'web', outcome: 'not_queued', code: 'opted_out', providerCode: null, attempts: 0 },
      { subscriptionId: 'b', platform: 'ios', outcome: 'failed', code: 'token_invalid', providerCode: '400 BadDeviceToken', attempts: 1 },
      { subscriptionId: 'c', platform: 'ios', outcome: 'sent', code: null, providerCode: null, attempts: 1 },
    ],
  })
})

// spec: administration/test-send-answer
test('a test is answered as soon as every push has an outcome, or after 10 seconds with results so far', async () => {
  const ending = givenPeers('sending')
  const waiting = ending.waits.standingOf(givenTest())
  await until(() => ending.peers.looks >= 2)
  Object.assign(ending.peers, { status: 'sent', rows: [givenRow()] })
  expect(await waiting).toMatchObject({ status: 'sent', isOver: true, results: [{ outcome: 'sent' }] })

  const lasting = givenPeers('sending', [givenRow()])
  const tooLong = lasting.waits.standingOf(givenTest())
  await until(() => lasting.peers.looks >= 2)
  vi.advanceTimersByTime(10_000)
  expect(await tooLong).toMatchObject({ status: 'sending', isOver: false, results: [{ outcome: 'sent' }] })
})

// spec: administration/test-send-answer
test('while 50 requests wait for their tests the 51st is answered without waiting; a freed place waits again', async () => {
  const { peers, waits } = givenPeers('sending')
  const waiting = Array.from({ length: 50 }, () => waits.standingOf(givenTest()))
  await until(() => peers.looks >= 100)

  expect(await waits.standingOf(givenTest())).toEqual({ status: 'sending', isOver: false, results: [] })

  peers.status = 'sent'
  expect(await Promise.all(waiting)).toHaveLength(50)
  peers.status = 'sending'
  const next = waits.standingOf(givenTest())
  const looks = peers.looks
  await until(() => peers.looks >= looks + 3)
  peers.status = 'sent'
  expect(await next).toMatchObject({ isOver: true })
})

test.each([queueUnavailable(), tooManyReads(2), fault('database_unavailable', 'Away.')])(
  'when another service cannot answer now ($code) an accepted test is still answered without an error',
  async (away) => {
    const { peers, waits } = givenPeers('sending')
    peers.fault = away
    const waiting = waits.standingOf(givenTest())
    await until(() => peers.looks >= 3)
    peers.fault = undefined
    peers.status = 'sent'
    expect(await waiting).toMatchObject({ status: 'sent', isOver: true })

    peers.status = 'sending'
    const last = waits.standingOf(givenTest())
    const looks = peers.looks
    await until(() => peers.looks >= looks + 2)
    peers.fault = away
    vi.advanceTimersByTime(10_000)
    expect(await last).toEqual({ status: 'sending', isOver: false, results: [] })
  },
)

test('a request that waits for a test is answered 404 when the app is deleted meanwhile', async () => {
  const { peers, waits } = givenPeers('sending')
  const waiting = waits.standingOf(givenTest())
  await until(() => peers.looks >= 2)
  peers.isGone = true
  await expect(waiting).rejects.toMatchObject({ code: 'not_found' })
})

test('a stopping gateway answers a waiting test with the results so far, and further requests without waiting', async () => {
  const { peers, waits } = givenPeers('sending', [givenRow()])
  const waiting = waits.standingOf(givenTest())
  await until(() => peers.looks >= 2)
  waits.close()
  expect(await waiting).toMatchObject({ status: 'sending', isOver: false, results: [{ outcome: 'sent' }] })
  expect(await waits.standingOf(givenTest())).toMatchObject({ isOver: false })
})
