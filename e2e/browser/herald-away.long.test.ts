import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { familyOf, runningProcesses, signalAll } from '../chaos/processes.ts'
import { sharedProcesses } from '../platform.ts'
import { ok } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, type Dashboard } from './dashboard.ts'

// The dashboard in Chromium while the gateway or the database is away, and when an app is deleted elsewhere.

let herald: Dashboard['herald']
let tenant: Dashboard['tenant']
let open: Dashboard['open']
beforeAll(async () => {
  ;({ herald, tenant, open } = await openDashboard(await sharedProcesses()))
  const devices = await tenant.makeDevices('android', 2)
  for (const [place, device] of devices.entries()) await tenant.register(device, { externalId: `customer-${place}` })
})

const signalGateway = (signal: NodeJS.Signals): void => {
  const pid = runningProcesses(herald.dataDir).get('gateway-1')
  if (pid !== undefined) signalAll([pid], signal)
}

/** What befalls Herald: each begins it, and gives what ends it. */
const faults: Record<string, () => () => void> = {
  'the gateway was frozen': () => {
    signalGateway('SIGSTOP')
    return () => signalGateway('SIGCONT')
  },
  // The starter starts another gateway each time, which is killed before it answers.
  'the gateway was killed again and again': () => {
    const timer = setInterval(() => signalGateway('SIGKILL'), 20)
    return () => clearInterval(timer)
  },
  'the database was frozen': () => {
    const pid = runningProcesses(herald.dataDir).get('postgres')
    if (pid === undefined) throw new Error('Herald runs without a Postgres of its own')
    signalAll(familyOf(pid), 'SIGSTOP')
    return () => signalAll(familyOf(pid), 'SIGCONT')
  },
}

// spec: dashboard/right-again
test.each(Object.entries(faults))('a page whose read failed while %s says so, and is right within 5 s of answers', async (_, begin) => {
  const { page, watched } = await open('/people', /Failed to load resource/)
  const found = () => page.getByRole('link', { name: /^customer-/ }).allInnerTexts()
  await until(async () => (await found()).length === 2)
  const end = begin()
  onTestFinished(end)
  await page.getByRole('searchbox', { name: 'Search people' }).fill('customer-1')
  const said = page.getByText(/Retrying|cannot be reached|The database is (away|unavailable)/).first()
  await said.waitFor()
  await until(async () => (await found()).length === 0, { what: 'the page shows nothing that was not asked for' })

  end()
  const health = async () => (await fetch(`${herald.baseUrl}/health`, { signal: AbortSignal.timeout(2_000) })).json()
  await until(async () => ((await health()) as { db: string }).db === 'ready', { withinMs: 30_000, what: 'Herald answers' })
  const isRight = async () =>
    (await found()).join() === 'customer-1' && (await page.getByRole('alert').count()) === 0 && !(await said.isVisible())
  await until(isRight, { withinMs: 5_000, what: 'the people who were searched for' })
  expect(watched.faults).toEqual([])
})

// spec: dashboard/app-gone
test('an app that is deleted in another tab is recognised within 5 s, and its menu is gone', async () => {
  const other = await givenTenant(herald)
  const { page, watched } = await open('/people', /status of 404/)
  await page.goto(`${herald.baseUrl}/dashboard/apps/${other.appId}/people`)
  const menu = page.getByRole('navigation', { name: 'Pages' })
  await menu.getByRole('link', { name: 'Campaigns' }).waitFor()

  ok(await other.admin('DELETE', ''), 204)
  await page.getByRole('heading', { level: 1, name: 'This app is gone' }).waitFor({ timeout: 5_000 })
  expect(await menu.getByRole('link').allInnerTexts()).toEqual(['Apps'])
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})
