import { readFileSync } from 'node:fs'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { givenDevices, ok, pushesOf, sendCampaign, untilSettled } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, untilShown, type Dashboard } from './dashboard.ts'

// The report of a campaign, the log by names, exports and the growth of an app, in Chromium.

let tenant: Dashboard['tenant']
let open: Dashboard['open']
let campaignId: string
const text = {
  title: 'Sale',
  body: 'Only today',
  actions: [
    { id: 'shop', title: 'To the shop', url: 'https://shop.example/' },
    { id: 'later', title: 'Remind me', url: 'https://shop.example/later' },
  ],
}
const content = { _default: 'en', en: text, de: { ...text, title: 'Ausverkauf' } }

beforeAll(async () => {
  ;({ tenant, open } = await openDashboard())
  await givenDevices(tenant, 'android', 5, (place) => ({ externalId: `customer-${place}` }))
  campaignId = await sendCampaign(tenant, { name: 'Weekend sale', content }, 'sending')
  await untilSettled(tenant, campaignId)
  const pushes = await pushesOf(tenant, campaignId)
  for (const [place, { msgId }] of pushes.slice(0, 4).entries()) {
    ok(await tenant.call('POST', `/v1/e/o/${msgId}`), 204)
    const action = ['?action=shop', '?action=shop', '?action=later', ''][place] ?? ''
    ok(await tenant.call('POST', `/v1/e/c/${msgId}${action}`), 204)
  }
  await sendCampaign(tenant, { name: 'Another', content }, 'sending')
})

// spec: dashboard/curve, dashboard/button-clicks, dashboard/usual-rate
test('a small campaign’s report shows opened and clicked large, clicks by button, and a curve from the first minute', async () => {
  const { page, watched } = await open(`/campaigns/${campaignId}`)
  await until(async () => (await page.locator('[data-headline] dd > span:first-child').allInnerTexts()).join() === '80.0 %,80.0 %')
  const buttons = page.locator('[data-buttons] li')
  await until(async () => (await buttons.count()) === 3)
  expect((await buttons.allInnerTexts()).map((shown) => shown.replaceAll(/\s+/g, ' ').trim())).toEqual([
    'To the shop 2 50 %',
    'Remind me 1 25 %',
    'The notification itself 1 25 %',
  ])
  await page.getByText('All time: 0 confirmed deliveries, 4 opened, 4 clicked, 0 dismissed.').waitFor()
  await page.getByRole('button', { name: 'Show as a table' }).click()
  const risen = page.getByRole('region', { name: 'Engagement over time as a table' }).locator('tbody tr')
  expect((await risen.first().locator('td').allInnerTexts()).join()).toBe('0,0,0,0')
  expect((await risen.last().locator('td').allInnerTexts()).join()).toBe('0,4,4,0')
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})

// spec: dashboard/log-names, dashboard/times
test('the log names people and campaigns, is filtered by a campaign found by its name, and shows times of today', async () => {
  const { page, watched } = await open('/log')
  await page.getByRole('combobox', { name: 'Campaign' }).click()
  await page.getByPlaceholder('Type to search').fill('week')
  await page.getByRole('option', { name: 'Weekend sale' }).click()
  await page.waitForURL(new RegExp(`campaignId=${campaignId}`))
  await page.getByRole('combobox', { name: 'Campaign: Weekend sale' }).waitFor()
  await until(async () => (await page.locator('tbody tr').count()) === 5)
  expect(
    await page
      .locator('tbody')
      .getByRole('link', { name: /^customer-\d$/ })
      .count(),
  ).toBe(5)
  expect(await page.locator('tbody time', { hasText: /^(to|yester)day, \d\d:\d\d:\d\d$/ }).count()).toBe(5)
  await page.getByText(/^Times in \S+ \(GMT.*\)$/).waitFor()
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})

// spec: dashboard/campaign-lists
test('an operator downloads everybody as JSON lines, and the campaigns as a CSV', async () => {
  const { page, watched } = await open('/people')
  const [people] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export all' }).click()])
  const lines = readFileSync(await people.path(), 'utf8')
    .trim()
    .split('\n')
  const ids = lines.flatMap((line) => (JSON.parse(line) as { externalId?: string }).externalId ?? [])
  expect(ids.toSorted((one, other) => one.localeCompare(other))).toEqual([0, 1, 2, 3, 4].map((place) => `customer-${place}`))
  await page.getByRole('link', { name: 'Campaigns' }).click()
  const [campaigns] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /CSV/ }).click()])
  expect(readFileSync(await campaigns.path(), 'utf8')).toContain('Weekend sale')
  expect(watched.faults).toEqual([])
})

// spec: dashboard/warnings-once
test('a warning of the review leads to the field of the language that it is about', async () => {
  const body = { name: 'Empty', content: { _default: 'de', en: text, de: { ...text, body: 'Hello {{ tags.nobody_has_it }}' } } }
  const { id } = ok(await tenant.admin<{ id: string }>('POST', '/campaigns', body), 201)
  const { page, watched } = await open(`/compose/${id}?step=review`)
  await page.getByRole('link', { name: 'Edit' }).first().click()
  const isBody = `document.activeElement?.value === ${JSON.stringify('Hello {{ tags.nobody_has_it }}')}`
  await until(() => page.evaluate<boolean>(isBody), { what: 'the German body has the focus' })
  expect(watched.faults).toEqual([])
})

// spec: dashboard/growth
test('the overview shows how the subscribers have grown, once two days were counted', async () => {
  const { page, watched } = await open('/log')
  const on = (at: string, reachable: number) => ({ at, platform: 'android', takenAt: at, new: 1, reachable })
  const points = [on('2026-01-01T00:00:00.000Z', 3), on('2026-01-02T00:00:00.000Z', 5)]
  await page.route(/\/devices\/series$/, (route) => route.fulfill({ json: { points } }))
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('region', { name: 'Reachable devices by day' }).waitFor()
  await page.getByText('5 devices could be reached at the end of the last day, 2 more than 1 day before.').waitFor()
  await untilShown(page)
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})
