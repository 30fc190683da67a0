import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { readyPid, signalAll } from '../../chaos/processes.ts'
import { givenDevices, ok, sendCampaign, untilSettled, textOf } from '../../tests/campaigns.ts'
import { startDoor } from '../gateway-door.ts'
import { barriersOf, openDashboard, signInLink, untilShown, type Dashboard } from '../dashboard.ts'
import { sharedProcesses } from '../../platform.ts'
import { load, median, slowDown, type Load } from '../page-load.ts'
import { watch } from '../watch.ts'

// What each page shows while it loads, when it has nothing to show, when a read fails, and when Herald is away and comes back.

let dashboard: Dashboard
let path: Record<string, string>

beforeAll(async () => {
  dashboard = await openDashboard(await sharedProcesses())
  const { tenant } = dashboard
  const [device] = await givenDevices(tenant, 'android', 1, () => ({ externalId: 'ada' }))
  const campaignId = await sendCampaign(tenant, { name: 'Weekend sale' }, 'sending')
  await untilSettled(tenant, campaignId)
  const segment = ok(await tenant.call<{ id: string }>('POST', '/v1/segments', { name: 'All', definition: {} }), 201)
  const template = ok(await tenant.call<{ id: string }>('POST', '/v1/templates', { name: 'News', content: textOf('News') }), 201)
  const webhook = ok(await tenant.admin<{ id: string }>('POST', '/webhooks', { url: 'https://shop.example/hook' }), 201)
  path = {
    overview: '/overview',
    campaigns: '/campaigns',
    'control room': `/campaigns/${campaignId}`,
    people: '/people',
    person: `/people/${device!.userId}`,
    explain: `/explain?campaignId=${campaignId}&subscriptionId=${device!.id}`,
    segments: '/segments',
    segment: `/segments/${segment.id}`,
    templates: '/templates',
    template: `/templates/${template.id}`,
    log: '/log',
    providers: '/providers',
    keys: '/keys',
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhook.id}`,
    settings: '/settings',
    audit: '/audit',
    inbox: '/inbox',
  }
})

/** Matches the requests with which a page reads what it shows. The navigation and the banners read from other addresses. */
const reads = /\/v1\/admin\/(apps\/[0-9a-f]{24}|simulator)(\/|\?|$)/
const themes = ['light', 'dark'] as const

async function inBothThemes(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    found.push(...(await barriersOf(page)).map((line) => `${colorScheme}: ${line}`))
  }
  return found
}

const names = [
  'overview',
  'campaigns',
  'control room',
  'people',
  'person',
  'explain',
  'segments',
  'segment',
  'templates',
  'template',
  'log',
  'providers',
  'keys',
  'webhooks',
  'webhook',
  'settings',
  'audit',
  'inbox',
]

test.each(names)(
  'the page %s shows skeletons while loading, a failed read with message, request id and second try, then data',
  async (name) => {
    // The browser itself writes a line to the console for each request that this test makes fail.
    const { page, watched } = await dashboard.open('/compose', /status of 500/)
    await page.route(reads, (route) => (route.request().method() === 'GET' ? undefined : route.continue()))
    await page.goto(`${dashboard.herald.baseUrl}/dashboard/apps/${dashboard.tenant.appId}${path[name]}`)
    await page.locator('[data-skeleton]').first().waitFor()
    expect(await inBothThemes(page)).toEqual([])

    await page.unrouteAll({ behavior: 'ignoreErrors' })
    const fault = { error: { code: 'internal', message: 'Something went wrong on purpose.' } }
    await page.route(reads, (route) =>
      route.request().method() === 'GET' && route.request().resourceType() === 'fetch'
        ? route.fulfill({ status: 500, json: fault, headers: { 'x-request-id': 'planted-request' } })
        : route.continue(),
    )
    await page.reload()
    const alert = page.getByRole('alert').filter({ hasText: fault.error.message })
    await alert.first().waitFor()
    expect(await alert.first().innerText()).toContain('planted-request')
    expect(await inBothThemes(page)).toEqual([])

    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await until(async () => {
      for (const button of await alert.getByRole('button', { name: 'Try again' }).all())
        await button.click({ timeout: 1_000 }).catch(() => undefined)
      return (await alert.count()) === 0
    })
    await untilShown(page)
    expect(await inBothThemes(page)).toEqual([])
    expect(watched.faults).toEqual([])
  },
)

/** The largest layout shift that a page may have while it loads, by Chromium's measure. It is strict, because Chromium still calls 0.1 good. */
const mostShift = 0.02

test.each(['compose', ...names])('while the page %s loads, next to nothing on it moves', async (name) => {
  const { page, watched } = await dashboard.open('/log')
  await slowDown(page)
  const address = `${dashboard.herald.baseUrl}/dashboard/apps/${dashboard.tenant.appId}${path[name] ?? `/${name}`}`
  const loads: Load[] = []
  for (let round = 0; round < 3; round += 1) loads.push(await load(page, address))
  const shifts = loads.map(({ shift }) => shift)
  console.log(`${name}: layout shift ${shifts.map((shift) => shift.toFixed(4)).join(', ')}`)
  const tooMuch = median(shifts) <= mostShift ? [] : [median(shifts), ...loads.flatMap(({ moved }) => moved)]
  expect(tooMuch).toEqual([])
  expect(watched.faults).toEqual([])
})

const nothingYet: Record<string, string> = {
  '/campaigns': 'No campaigns yet',
  '/people': 'No people yet',
  '/people?q=nobody': 'No results for “nobody”',
  '/people?tab=imports': 'No import yet',
  '/segments': 'No saved segments yet',
  '/templates': 'No templates yet',
  '/log': 'No pushes yet',
  '/log?outcome=failed': 'Nothing matches',
  '/webhooks': 'No endpoint yet',
  '/webhooks?tab=events': 'Waiting for something to happen',
  '/audit?actor=nobody': 'No entries match these filters',
  '/inbox': 'No virtual devices yet',
}

test('in an app without data the pages with lists say that there is nothing yet, or that nothing matches', async () => {
  const { herald } = dashboard
  const { appId } = await givenTenant(herald)
  const { page, watched } = await dashboard.open('/overview')
  for (const [address, says] of Object.entries(nothingYet)) {
    await page.goto(`${herald.baseUrl}/dashboard/apps/${appId}${address}`)
    await untilShown(page)
    await page.locator('.border-dashed', { hasText: says }).first().waitFor()
    expect([address, await inBothThemes(page)]).toEqual([address, []])
  }
  expect(watched.faults).toEqual([])
})

// spec: dashboard/requests
test('while Herald is away a page keeps its data with their age, and goes on afterwards without a reload', async () => {
  const { herald, tenant, context } = dashboard
  const door = await startDoor(herald.baseUrl)
  const page = await context.newPage()
  const watched = watch(page, { expected: /ERR_|status of 50/ })
  const link = new URL(await signInLink(herald, 'Dana'))
  await page.goto(`${door.url}/dashboard/${link.hash}`)
  await page.getByRole('navigation').first().waitFor()
  await page.goto(`${door.url}/dashboard/apps/${tenant.appId}/campaigns`)
  await page.getByRole('link', { name: 'Weekend sale' }).waitFor()

  await door.shut()
  await page.getByText(/^As of .*: Herald does not answer just now\./).waitFor()
  await page.getByRole('link', { name: 'Weekend sale' }).waitFor()
  expect(await inBothThemes(page)).toEqual([])
  ok(await tenant.call('POST', '/v1/campaigns', { name: 'Made meanwhile', content: textOf('Hello') }), 201)
  await door.open()
  await page.getByText('Herald does not answer just now.').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Made meanwhile' }).waitFor()
  expect(watched.faults).toEqual([])
  await page.close()
})

// spec: dashboard/streams
test('a control room goes on when a gateway is killed, and shows its numbers’ age while one is frozen', async () => {
  const { herald, tenant, open } = dashboard
  await givenDevices(tenant, 'android', 20)
  await tenant.simulator('PUT', '/faults', { service: 'fcm', outage: '503' })
  const id = await sendCampaign(tenant, { name: 'Slow' }, 'sending')
  const { page, watched } = await open(`/campaigns/${id}`, /ERR_|status of 50/)
  await page.locator('[data-sentence]', { hasText: /^Sending:/ }).waitFor()

  const gateway = await until(() => readyPid(herald.dataDir, 'gateway-1'), { what: 'the gateway is ready' })
  const reopened = page.waitForResponse(/\/progress$/)
  signalAll([gateway], 'SIGKILL')
  await until(() => readyPid(herald.dataDir, 'gateway-1') !== gateway && readyPid(herald.dataDir, 'gateway-1'), { what: 'a new gateway' })
  await reopened
  await page.getByText('Reconnecting.').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.locator('[data-sentence]', { hasText: /^Paused:/ }).waitFor()

  const frozen = await until(() => readyPid(herald.dataDir, 'gateway-1'))
  signalAll([frozen], 'SIGSTOP')
  try {
    await page.getByText(/Reconnecting\. Shown as of/).waitFor({ timeout: 20_000 })
  } finally {
    signalAll([frozen], 'SIGCONT')
  }
  await tenant.simulator('DELETE', '/faults')
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.locator('[data-sentence]', { hasText: /^Sent/ }).waitFor()
  expect(watched.faults).toEqual([])
})

// spec: dashboard/first-push-in-browser
test('an operator whose browser reaches no push service is offered a virtual phone', async () => {
  const { context, herald, open } = dashboard
  await context.grantPermissions(['notifications'], { origin: herald.baseUrl })
  const { page } = await open('/start')
  await page.getByRole('button', { name: 'Create both keys' }).click()
  await page.getByRole('button', { name: 'Allow notifications in this browser' }).click()
  await page.getByRole('button', { name: 'Use a virtual phone' }).click()
  await page.getByRole('button', { name: 'Create a virtual device' }).click()
  // The page has the device when the device's id is in the address.
  await page.waitForURL(/deviceId=/)
  expect(new URL(page.url()).searchParams.get('way')).toBe('phone')
})
