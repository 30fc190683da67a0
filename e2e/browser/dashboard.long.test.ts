import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { givenDevices, type Registered, sendCampaign, textOf, untilSettled } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, untilShown, type Dashboard } from './dashboard.ts'

// The main pages of the dashboard in Chromium, in both themes and on a narrow screen.

let herald: Dashboard['herald']
let tenant: Dashboard['tenant']
let open: Dashboard['open']
let campaignId: string
let device: Registered

beforeAll(async () => {
  ;({ herald, tenant, open } = await openDashboard())
  for (const platform of ['ios', 'android', 'web'] as const) {
    const devices = await givenDevices(tenant, platform, 4, (place) => ({
      externalId: `customer-${place}`,
      tags: { plan: place % 2 ? 'pro' : 'free' },
    }))
    device = devices[0]!
  }
  campaignId = await sendCampaign(tenant, { name: 'Weekend sale' }, 'sending')
  await untilSettled(tenant, campaignId)
})

const pagesOf = (appId: string, campaign: string, { id, userId }: Registered): Record<string, string> => ({
  apps: '/',
  start: `/apps/${appId}/start`,
  overview: `/apps/${appId}/overview`,
  compose: `/apps/${appId}/compose`,
  campaigns: `/apps/${appId}/campaigns?tab=transactional`,
  'control room': `/apps/${appId}/campaigns/${campaign}`,
  people: `/apps/${appId}/people`,
  person: `/apps/${appId}/people/${userId}`,
  explain: `/apps/${appId}/explain?campaignId=${campaign}&subscriptionId=${id}`,
  segments: `/apps/${appId}/segments`,
  'no segment found': `/apps/${appId}/segments?q=nothing`,
  'new segment': `/apps/${appId}/segments/new`,
  templates: `/apps/${appId}/templates`,
  'new template': `/apps/${appId}/templates/new`,
  log: `/apps/${appId}/log`,
  providers: `/apps/${appId}/providers`,
  keys: `/apps/${appId}/keys`,
  webhooks: `/apps/${appId}/webhooks`,
  settings: `/apps/${appId}/settings`,
  categories: `/apps/${appId}/categories`,
  impact: `/apps/${appId}/impact`,
  audit: `/apps/${appId}/audit`,
  calendar: `/apps/${appId}/campaigns?view=calendar`,
  'no line found': `/apps/${appId}/audit?actor=nobody`,
  inbox: `/apps/${appId}/inbox`,
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`each main page in the ${colorScheme} theme is accessible, silent on the console, and asks only its own origin`, async () => {
    const { page, watched } = await open('/overview')
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const found: Record<string, string[]> = {}
    for (const [name, path] of Object.entries(pagesOf(tenant.appId, campaignId, device))) {
      await page.goto(`${herald.baseUrl}/dashboard${path}`)
      await untilShown(page)
      const all = [...(await barriersOf(page)), ...watched.faults.splice(0)]
      if (all.length > 0) found[name] = all
    }
    expect(found).toEqual({})
  })
}

// spec: dashboard/phone
test('no main page is wider than a screen of 320 px', async () => {
  const { page } = await open('/overview')
  // A short screen, so that every page has a scrollbar, which takes a part of the 320 px.
  await page.setViewportSize({ width: 320, height: 320 })
  const wide: string[] = []
  for (const [name, path] of Object.entries(pagesOf(tenant.appId, campaignId, device))) {
    await page.goto(`${herald.baseUrl}/dashboard${path}`)
    await untilShown(page)
    const over = await page.evaluate<string[]>(`(() => {
      const { clientWidth, scrollWidth } = document.documentElement
      return scrollWidth <= clientWidth ? [] : [...document.querySelectorAll('main *')]
        .filter((one) => one.children.length === 0 && one.getBoundingClientRect().right > clientWidth)
        .map((one) => one.tagName + ' ' + one.textContent.slice(0, 60))
    })()`)
    if (over.length > 0) wide.push(`${name}: ${over.join(', ')}`)
  }
  expect(wide).toEqual([])
})

// spec: dashboard/shell
test('the page says that it is loading before its styles and scripts have come', async () => {
  const { page, watched } = await open('/overview')
  const arrived = Promise.withResolvers<void>()
  await page.route(/\/dashboard\/assets\//, async (route) => {
    await arrived.promise
    await route.continue()
  })
  const loaded = page.goto(`${herald.baseUrl}/dashboard/apps/${tenant.appId}/campaigns`)
  await page.getByText('Herald is loading').waitFor()
  await until(() => page.evaluate<boolean>("performance.getEntriesByName('first-contentful-paint').length === 1"), {
    what: 'the first paint',
  })
  arrived.resolve()
  await loaded
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor()
  expect(await page.getByText('Herald is loading').count()).toBe(0)
  expect(watched.faults).toEqual([])
})

// spec: dashboard/calendar, dashboard/campaign-lists, administration/users
test('an operator sees what comes in the calendar, finds a campaign by a word inside, by audience, platform and operator', async () => {
  const at = new Date(Date.now() + 86_400_000)
  await sendCampaign(tenant, { name: 'A sale for early birds', schedule: { type: 'at', at: at.toISOString() } }, 'scheduled')
  const { page, watched } = await open('/campaigns')
  await page.getByRole('searchbox', { name: 'Name contains' }).fill('EARLY')
  await page.waitForURL(/q=EARLY/)
  await until(async () => (await page.getByRole('row').count()) === 2, { what: 'one campaign' })
  await page.getByRole('button', { name: 'Scheduled', exact: true }).click()
  await page.waitForURL(/status=scheduled/)
  await page.getByText('1 campaign on this page').waitFor()
  await page.getByRole('button', { name: 'Last 7 days' }).click()
  await page.waitForURL(/days=7/)
  await page.getByLabel('Sort this page by').selectOption('clicked')
  await page.getByRole('table', { name: 'Campaigns of this page, by click rate' }).waitFor()
  await page.getByText('1 campaign on this page').waitFor()
  expect(await barriersOf(page)).toEqual([])

  // Three that an operator, a backend and nobody's audience tell apart: by whom it was made, to whom it went, and on what.
  await tenant.admin('POST', '/campaigns', {
    name: 'Written by an operator',
    content: textOf('Hello'),
    segment: { field: 'country', op: 'eq', value: 'DE' },
  })
  await page.goto(`${herald.baseUrl}/dashboard/apps/${tenant.appId}/campaigns`)
  const rows = async (...names: string[]) => {
    const shown = async () => (await page.getByRole('table').getByRole('link').allInnerTexts()).map((text) => text.split('\n')[0])
    await expect.poll(shown, { timeout: 60_000 }).toEqual(names)
  }
  await rows('Written by an operator', 'A sale for early birds', 'Weekend sale')
  await page.getByRole('button', { name: 'administrator', exact: true }).click()
  await page.waitForURL(/author=administrator/)
  await rows('Written by an operator')
  await page.getByRole('button', { name: 'administrator', exact: true }).click()
  await page.getByRole('button', { name: 'Everyone', exact: true }).click()
  await rows('A sale for early birds', 'Weekend sale')
  await page.getByRole('button', { name: 'iOS', exact: true }).click()
  await page.waitForURL(/audience=everyone.*platform=ios|platform=ios.*audience=everyone/)
  await rows('Weekend sale')
  expect(await barriersOf(page)).toEqual([])

  await page.getByRole('tab', { name: 'Calendar' }).click()
  if (at.getMonth() !== new Date().getMonth()) await page.getByRole('button', { name: 'The month after' }).click()
  await page.getByRole('table').getByRole('link', { name: 'A sale for early birds' }).waitFor()
  expect(await barriersOf(page)).toEqual([])

  await page.goto(`${herald.baseUrl}/dashboard/apps/${tenant.appId}/people?tag=plan&tagValue=pro`)
  await page.getByRole('link', { name: 'customer-1' }).waitFor()
  expect(await page.getByRole('link', { name: /^customer-[02]$/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Remove the filter plan is pro' }).click()
  await page.getByRole('link', { name: 'customer-0' }).waitFor()
  expect(watched.faults).toEqual([])
})
