import { until } from '@herald/testing/until'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { givenCrowd } from '../chaos/crowd.ts'
import { ok, untilSettled, textOf } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, untilShown, type Dashboard } from './dashboard.ts'

// The log of pushes, read page by page while pushes end, and with filters in the address.

const devices = 390
let tenant: Dashboard['tenant']
let open: Dashboard['open']
let first: string
const notify = async (): Promise<string> =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', { target: { all: true }, content: textOf('Logged') }), 202).id

beforeAll(async () => {
  const dashboard = await openDashboard()
  ;({ tenant, open } = dashboard)
  await givenCrowd(dashboard, devices)
  first = await notify()
  await untilSettled(tenant, first)
})

const addressesOf = (page: Page): Promise<string[]> =>
  page.locator('tbody tr td:first-child a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))

// spec: administration/pushes
test('an operator who reads the log page by page while pushes end sees every push once', async () => {
  await tenant.simulator('PUT', '/faults', { latencyMs: 1_500 })
  onTestFinished(() => tenant.simulator('DELETE', '/faults').then(() => undefined))
  const second = await notify()
  const { page, watched } = await open('/log')
  const [more, end] = [page.getByRole('button', { name: 'Show more' }), page.getByText('End of the log.')]
  for (;;) {
    await more.or(end).first().waitFor()
    if (await end.isVisible()) break
    // On the last page the button may disappear before the click, which then fails.
    await more.click({ timeout: 3_000 }).catch(() => undefined)
  }
  const seen = await addressesOf(page)
  expect(new Set(seen).size).toBe(seen.length)
  for (const id of [first, second]) expect(seen.filter((address) => address.includes(id)).length).toBe(devices)
  expect(watched.faults).toEqual([])
})

// spec: administration/pushes
test('the filters of the log are in the address, so that a link shows a colleague the same pushes', async () => {
  const { page, watched } = await open('/log')
  await page.getByLabel('Outcome').selectOption('sent')
  await page.waitForURL(/outcome=sent/)
  await page.getByLabel('Platform').selectOption('ios')
  await page.waitForURL(/platform=ios/)
  await untilShown(page)
  await until(async () => (await page.locator('tbody tr', { hasText: 'Android' }).count()) === 0)
  const mine = await addressesOf(page)
  expect(mine.length).toBeGreaterThan(0)
  expect(await page.locator('tbody tr').filter({ hasText: 'iOS' }).filter({ hasText: 'sent' }).count()).toBe(mine.length)

  const { page: theirs } = await open(new URL(page.url()).pathname.replace(/^.*\/log/, '/log') + new URL(page.url()).search)
  await until(async () => (await addressesOf(theirs)).length > 0)
  expect(await addressesOf(theirs)).toEqual(mine)
  expect(await barriersOf(theirs)).toEqual([])
  expect(watched.faults).toEqual([])
})
