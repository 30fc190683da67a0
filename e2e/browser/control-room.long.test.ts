import type { Stats } from '@herald/contracts/stats'
import { until } from '@herald/testing/until'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { ok, read, sendCampaign, textOf, untilStatus } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, type Dashboard } from './dashboard.ts'
import { watchEquation, wrongOf } from './equation.ts'

// The control room and the log in a real Chromium, under the gateway's content security policy, with Herald and the simulator behind them.

let herald: Dashboard['herald']
let tenant: Dashboard['tenant']
let open: Dashboard['open']
beforeAll(async () => void ({ herald, tenant, open } = await openDashboard()))

async function givenCrowd(count: number): Promise<void> {
  const devices = await tenant.makeDevices('android', count)
  const { registered } = await tenant.simulator<{ registered: number }>('POST', '/crowd', {
    baseUrl: herald.baseUrl,
    appKey: tenant.publicKey,
    devices: devices.map(({ id }) => id),
    concurrency: 20,
  })
  expect(registered).toBe(count)
}

/** Gives the number of pushes that the simulated FCM has taken so far. */
const takenByFcm = async (): Promise<number> =>
  (await tenant.simulator<{ accepted: { android: number } }>('GET', '/summary?open=false')).accepted.android

// spec: dashboard/equation
// spec: dashboard/asked
// spec: campaigns/pause
// spec: campaigns/cancel-under-way
test('queued = sent + failed + skipped + waiting holds on screen throughout a send paused, resumed and cancelled', async () => {
  await givenCrowd(3_000)
  const before = await takenByFcm()
  // The provider takes two seconds for each push, so that the send can be watched.
  await tenant.simulator('PUT', '/faults', { service: 'fcm', latencyMs: 2_000 })
  onTestFinished(() => tenant.simulator('DELETE', '/faults').then(() => undefined))
  const id = await sendCampaign(tenant, { name: 'Watched' }, 'sending')
  const { page, watched } = await open('/campaigns')
  await page.getByRole('link', { name: 'Watched' }).click()
  await page.getByRole('heading', { level: 1, name: 'Watched' }).waitFor()
  const seen = await watchEquation(page)

  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.locator('[data-sentence]', { hasText: /^Paused:/ }).waitFor()
  const atPause = (await read(tenant, id)).status
  expect(atPause).toBe('paused')

  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.locator('[data-sentence]', { hasText: /^Sending:/ }).waitFor()

  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('dialog').getByText('been sent. To remove or replace them, use Recall').waitFor()
  await page.getByRole('button', { name: 'Cancel this send' }).click()
  await untilStatus(tenant, id, 'cancelled')
  await page.locator('[data-sentence]', { hasText: /^Cancelled:/ }).waitFor()

  const { stats } = await read(tenant, id)
  const { Recipients, Sent, Failed, Skipped, Waiting } = await until(async () => {
    const last = (await seen()).readings.at(-1)
    return last?.Waiting === 0 && last.Sent === stats.sent ? last : undefined
  })
  expect({ Recipients, Sent, Failed, Skipped, Waiting }).toEqual({
    Recipients: stats.queued,
    Sent: stats.sent,
    Failed: stats.failed,
    Skipped: stats.skipped,
    Waiting: 0,
  })
  const { readings, sentences } = await seen()
  expect(wrongOf(readings)).toEqual([])
  expect(new Set(sentences.map((sentence) => sentence.split(':')[0]))).toEqual(new Set(['Sending', 'Paused', 'Cancelling', 'Cancelled']))
  // The provider took exactly as many pushes as the page counts as sent, so none was recalled or counted twice.
  expect((await takenByFcm()) - before).toBe(stats.sent)
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})

// spec: dashboard/cancel-too-late
test('a cancel that comes too late closes the dialog, and the page says once what became of the send', async () => {
  const schedule = { type: 'at', at: new Date(Date.now() + 3_600_000).toISOString() }
  const id = await sendCampaign(tenant, { name: 'Called off', schedule }, 'scheduled')
  const { page, watched } = await open(`/campaigns/${id}`, /status of 409/)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('dialog').getByText('Nothing has been sent.').waitFor()
  ok(await tenant.call('POST', `/v1/campaigns/${id}/cancel`), 200)

  await page.getByRole('button', { name: 'Cancel this send' }).click()
  await page.getByText('Too late to cancel. Cancelled before anything was queued.').waitFor()
  expect(await page.getByText(/Too late to cancel|cannot be cancelled/).count()).toBe(1)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('[data-sentence]', { hasText: /^Cancelled before/ }).waitFor()
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})

// spec: dashboard/remedies
// spec: tracking/verified
test('the control room shows a failure code with remedy and link to its pushes; a recount finds no difference', async () => {
  const devices = await tenant.makeDevices('ios', 3)
  await tenant.simulator('PUT', '/devices/behaviour', { ids: devices.slice(0, 2).map(({ id }) => id), answer: 'dead' })
  for (const [index, device] of devices.entries()) await tenant.register(device, { externalId: `verified-${index}` })
  const answer = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { externalIds: devices.map((_, index) => `verified-${index}`) },
    content: textOf('Three'),
  })
  const { id } = ok(answer, 202)
  const stats: Stats = (await untilStatus(tenant, id, 'sent')).stats
  expect([stats.sent, stats.failed]).toEqual([1, 2])

  const { page, watched } = await open(`/campaigns/${id}`)
  await page.getByText('The app was removed, or the browser ended the subscription.').waitFor()
  await page.getByRole('button', { name: 'Verify counts' }).click()
  await page.getByText('3 pushes recounted').waitFor()
  await page.getByText('Counts match').waitFor()

  await page.getByRole('link', { name: /token_dead/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Log' }).waitFor()
  expect(new URL(page.url()).searchParams.get('code')).toBe('token_dead')
  await until(async () => (await page.locator('tbody tr').count()) === 2)
  expect(await page.locator('tbody tr').filter({ hasText: '410 Unregistered' }).count()).toBe(2)
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})

// spec: dashboard/live-tail
// spec: administration/events
test('the live tail shows events as they happen, holds them back during a pause and shows them afterwards', async () => {
  const [device] = await tenant.makeDevices('ios', 1)
  if (!device) throw new Error('the simulator made no device')
  await tenant.register(device, { externalId: 'tailed' })
  const send = async () =>
    ok(await tenant.call('POST', '/v1/notifications', { target: { externalIds: ['tailed'] }, content: textOf('Tail') }), 202)
  const { page, watched } = await open('/log?live=true&outcome=sent')
  await page.getByText('Following', { exact: true }).waitFor()
  const rows = page.getByRole('region', { name: 'Live' }).locator('tbody tr')

  await send()
  await until(async () => (await rows.count()) === 1)
  expect(await rows.first().textContent()).toContain('notification.sent')
  expect(await rows.first().textContent()).toContain('tailed')

  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await send()
  await page.getByRole('button', { name: 'Resume (1 waiting)' }).waitFor()
  expect(await rows.count()).toBe(1)
  await page.getByRole('button', { name: 'Resume (1 waiting)' }).click()
  await until(async () => (await rows.count()) === 2)
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})

// spec: experiments/winner-read
// spec: administration/campaign-audience
test('once an operator picked a winner the experiment names it alone, and the campaigns lead to one another', async () => {
  await givenCrowd(2_400)
  const text = (title: string) => ({ _default: 'en', en: { title, body: 'Today' } })
  const variants = ['Sober', 'Loud'].map((name) => ({ id: name.toLowerCase(), name, weight: 1, content: text(name) }))
  const id = await sendCampaign(tenant, { name: 'Which words?', experiment: { sampleRate: 0.5, variants } }, 'sending')
  await untilStatus(tenant, id, 'sent')

  const { page, watched } = await open(`/campaigns/${id}`)
  const pick = async () => {
    await page.getByRole('button', { name: 'Send Loud to the rest' }).click()
    const sheet = page.getByRole('dialog')
    // More than 1,000 devices are in this app, so their number is typed.
    const [, number = ''] = /Type ([\d,]+) to continue/.exec(await sheet.getByText(/^Type [\d,]+ to continue$/).innerText()) ?? []
    await sheet.getByRole('textbox').fill(number.replaceAll(',', ''))
    await sheet.getByRole('button', { name: 'Send', exact: true }).click()
  }
  // Undone, the experiment is open again.
  await pick()
  await page.getByRole('heading', { level: 1, name: 'Which words? – winner Loud' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { level: 1, name: 'Which words?', exact: true }).waitFor()
  await pick()
  await page.getByRole('heading', { level: 1, name: 'Which words? – winner Loud' }).waitFor()
  await page.getByRole('link', { name: 'Remaining audience (50 %)' }).click()

  await page.getByRole('heading', { level: 1, name: 'Which words?', exact: true }).waitFor()
  await page.getByText('Winner picked').waitFor()
  expect(await page.getByRole('button', { name: /to the rest$/ }).count()).toBe(0)
  await page.getByRole('link', { name: 'Loud', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Which words? – winner Loud' }).waitFor()
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})
