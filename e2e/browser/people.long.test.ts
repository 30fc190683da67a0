import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { givenDevices, ok, type Registered } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, type Dashboard } from './dashboard.ts'

// Users in the dashboard: they are found, changed and imported.

let tenant: Dashboard['tenant']
let open: Dashboard['open']
let devices: Registered[]
beforeAll(async () => {
  ;({ tenant, open } = await openDashboard())
  devices = await givenDevices(tenant, 'android', 5, (place) => ({
    externalId: place < 3 ? `customer-${place}` : `partner-${place}`,
    timezone: 'Asia/Tokyo',
    tags: { plan: 'free', orders: 3 },
  }))
})

// spec: administration/users-search, dashboard/tags-keep-their-type
test('an operator finds a user by external or device id, changes tags, and sends a test push to a device', async () => {
  const { page, watched } = await open('/people')
  const rows = page.getByRole('table', { name: 'People' }).locator('tbody tr')
  await until(async () => (await rows.count()) === 5)
  await page.getByRole('searchbox', { name: 'Search people' }).fill('customer-')
  await until(async () => (await rows.count()) === 3)
  await page.waitForURL(/q=customer-/)
  await page.getByRole('searchbox', { name: 'Search people' }).fill(devices[4]!.id)
  await until(async () => (await rows.count()) === 1)
  await page.getByRole('link', { name: 'partner-4' }).click()
  await page.getByRole('heading', { level: 1, name: 'partner-4' }).waitFor()
  await page.getByText('Asia/Tokyo').waitFor()

  await page.getByLabel('Value of plan').fill('pro')
  await page.getByLabel('Value of orders').fill('4')
  await page.getByRole('button', { name: 'Save tags' }).click()
  await page.getByText('Tags saved').waitFor()
  const { tags } = ok(await tenant.admin<{ tags: unknown }>('GET', `/users/${devices[4]!.userId}`), 200)
  expect(tags).toEqual({ plan: 'pro', orders: 4 })

  await page.getByRole('button', { name: 'Test send' }).click()
  await page.getByRole('button', { name: 'Send the test' }).click()
  await page.getByText(/Accepted by FCM/).waitFor()
  expect(await page.content()).not.toContain(devices[4]!.device.token)
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})

// spec: dashboard/import-upload
test('an operator tries an import as a dry run, sees the rejected rows, and then imports the users', async () => {
  const lines = ['platform,token,externalId,language']
  for (let n = 0; n < 40; n += 1)
    lines.push(`${n === 7 ? 'nokia' : 'android'},imported-token-${n},imported-${n},de${n === 9 ? ',more' : ''}`)
  const { page, watched } = await open('/people?tab=imports')
  await page.getByRole('button', { name: 'New import' }).click()
  await page.getByLabel('File').setInputFiles({ name: 'devices.csv', mimeType: 'text/csv', buffer: Buffer.from(`${lines.join('\n')}\n`) })
  await page.getByRole('button', { name: 'Begin the dry run' }).click()
  await page.getByText('Finished').waitFor()
  const fact = (label: string) => page.locator('dt', { hasText: new RegExp(`^${label}$`) }).locator('xpath=following-sibling::dd[1]')
  expect(await fact('Would be created').textContent()).toBe('38')
  expect(await fact('Rejected').textContent()).toBe('2')
  const rejected = page.getByRole('table', { name: 'Rejected rows' }).locator('tbody tr')
  expect(await rejected.allInnerTexts()).toEqual([expect.stringMatching(/^8\s/), expect.stringMatching(/^10\s/)])
  const known = async () => ok(await tenant.admin<{ items: unknown[] }>('GET', '/users?q=imported-&limit=100'), 200).items.length
  expect(await known()).toBe(0)

  await page.getByRole('button', { name: 'Start the import of devices.csv' }).click()
  await until(async () => (await fact('Created').count()) === 1 && (await fact('Created').textContent()) === '38')
  await page.getByText('Finished').waitFor()
  expect(await barriersOf(page)).toEqual([])
  expect(await known()).toBe(38)
  expect(watched.faults).toEqual([])
})
