import { readFileSync } from 'node:fs'
import { until } from '@herald/testing/until'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openChromium } from './browsers.ts'
import { openDashboard, untilShown, type Dashboard } from './dashboard.ts'
import { watch, type Watched } from './watch.ts'

// Segments, keys, settings, the audit and the inbox in a real Chromium, under the gateway's content security policy.

let herald: Dashboard['herald']
let tenant: Dashboard['tenant']
let page: Page
let watched: Watched
beforeAll(async () => {
  const dashboard = await openDashboard()
  ;({ herald, tenant } = dashboard)
  const devices = [...(await tenant.makeDevices('ios', 3)), ...(await tenant.makeDevices('android', 2))]
  for (const [n, device] of devices.entries())
    await tenant.register(device, { externalId: `customer-${n}`, tags: { plan: n % 2 === 0 ? 'gold' : 'free' } })
  page = await dashboard.context.newPage()
  watched = watch(page)
})

/** Opens a page and waits until it is visible. Before, no field takes the focus, and keys would be the dashboard's shortcuts. */
async function goTo(path: string) {
  await page.goto(`${herald.baseUrl}/dashboard/apps/${tenant.appId}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** Waits until the page says that this many devices can be reached. */
const estimateIs = (count: number) => page.getByText(`${count} ${count === 1 ? 'device' : 'devices'} can be reached`).waitFor()
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

// spec: dashboard/segment-by-keyboard, dashboard/estimate, segments/preview, segments/saved-fields
test('an operator builds a segment by keyboard alone, sees its devices, and saves it as built', async () => {
  await goTo('/segments/new')
  await page.getByLabel(/^Name/).focus()
  await page.keyboard.type('Gold phones')
  await estimateIs(5)
  await page.getByRole('button', { name: 'Add a condition' }).focus()
  // The new condition has the focus. At first it asks for all platforms; the keys switch Android and web off.
  await press('Enter')
  await page.locator('[aria-label="Field"]:focus').waitFor()
  await press('Tab', 'Tab', 'Tab', 'Space', 'Tab', 'Space')
  await estimateIs(3)
  await page.getByRole('button', { name: 'Add a condition' }).focus()
  await press('Enter')
  await page.locator('li + li [aria-label="Field"]:focus').waitFor()
  // Typing finds the tag by its name, and Home chooses the first operator, "is". The next fields are the type of the value and the value.
  await page.keyboard.type('plan')
  await press('Tab', 'Home', 'Tab', 'Tab')
  await page.keyboard.type('gold')
  await estimateIs(2)
  // The keys move the condition into a group, out of the group, and above the other condition. The focus moves with the condition.
  await press('Alt+ArrowRight', 'Alt+ArrowLeft', 'Alt+ArrowUp')
  await page.locator('li:has(+ li) [aria-label="Value"]:focus').waitFor()
  await press('Control+Enter')
  await page.waitForURL(/segments\/[0-9a-f]{24}$/)
  const id = page.url().slice(-24)
  const { body } = await tenant.admin<{ name: string; definition: unknown }>('GET', `/segments/${id}`)
  expect(body).toMatchObject({
    name: 'Gold phones',
    definition: {
      and: [
        { field: 'tags.plan', op: 'eq', value: 'gold' },
        { field: 'platform', op: 'in', value: ['ios'] },
      ],
    },
  })
  expect(watched.faults).toEqual([])
})

// spec: dashboard/segment-mistakes, dashboard/estimate, segments/error-path
test('a segment’s mistake is shown at its condition, and "Why so few?" names the one that loses most', async () => {
  await goTo('/segments/new')
  await page.getByRole('tab', { name: 'JSON' }).click()
  const json = page.getByLabel('The segment as the API takes it')
  await json.fill('{"and":[{"field":"tags.plan","op":"eq","value":"gold"},{"field":"sessionCount","op":"gte","value":"x"}]}')
  await page.getByText('and.1.value must be a finite number').waitFor()
  await page.getByRole('tab', { name: 'Conditions' }).click()
  await page.getByText('The value must be a finite number').waitFor()
  await page.getByRole('spinbutton', { name: 'Value' }).fill('1000')
  await estimateIs(0)
  await page.getByRole('button', { name: 'Breakdown by condition' }).click()
  await page.getByText('Biggest drop: “Number of sessions is at least 1000”').waitFor()
  expect(watched.faults).toEqual([])
})

// spec: dashboard/unsaved, segments/saved-name, segments/saved-delete
test('a taken segment name is refused at its field, unsaved changes are asked about, a deleted segment is gone', async () => {
  await tenant.admin('POST', '/segments', { name: 'Taken', definition: {} })
  await goTo('/segments/new')
  await page.getByLabel(/^Name/).fill('Taken')
  await page.getByRole('button', { name: 'Save the segment' }).click()
  await page.getByText('Another segment of this app has this name.').waitFor()
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByLabel(/^Name/).inputValue()).toBe('Taken')
  await page.getByLabel(/^Name/).fill('Not taken')
  await page.getByRole('button', { name: 'Save the segment' }).click()
  await page.waitForURL(/segments\/[0-9a-f]{24}$/)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete the segment' }).click()
  await page.waitForURL(/segments$/)
  await page.getByRole('link', { name: 'Taken', exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'Not taken' }).count()).toBe(0)
  // The browser itself writes a line to the console for the refused request.
  expect(watched.faults.splice(0).filter((line) => !line.includes('409'))).toEqual([])
})

// spec: administration/keys, dashboard/key-scopes
test('a new key is shown once, and after it is revoked it is refused', async () => {
  await goTo('/keys')
  await page.getByRole('button', { name: 'New key' }).first().click()
  await page.getByLabel(/^Name/).fill('for a test')
  await page
    .getByText(/opens \d+ operations/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.locator('dialog code', { hasText: 'sk_live_' }).innerText()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  expect(await page.getByText(key).count()).toBe(0)
  const statusOf = async () => (await fetch(`${herald.baseUrl}/v1/segments`, { headers: { authorization: `Bearer ${key}` } })).status
  expect(await statusOf()).toBe(200)
  await page.getByRole('button', { name: 'Revoke for a test' }).click()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await until(async () => (await statusOf()) === 401, { withinMs: 10_000, what: 'the key is refused' })
  expect(watched.faults).toEqual([])
})

// spec: administration/admin-key-session, dashboard/session-scopes
test('a colleague with a read-only key sees campaigns and results, no person, and no button for changes', async () => {
  await goTo('/keys')
  await page.getByRole('button', { name: 'New key for a person or tool' }).click()
  await page.getByLabel(/^Name/).fill('Robin')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.locator('dialog code', { hasText: 'ak_live_' }).innerText()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByRole('button', { name: 'Revoke Robin' }).waitFor()

  const theirs = await (await openChromium()).newPage()
  const seen = watch(theirs)
  await theirs.goto(`${herald.baseUrl}/dashboard/apps/${tenant.appId}/campaigns`)
  await theirs.getByLabel('Administration token or key').fill(key)
  await theirs.getByRole('button', { name: 'Sign in' }).click()
  await theirs.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor()
  await theirs.getByText('Permissions: read').waitFor()
  const links = await theirs.getByRole('navigation').getByRole('link').allInnerTexts()
  expect(links).toEqual([
    ...['Overview', 'Campaigns', 'Impact', 'Segments', 'Templates', 'Categories', 'Providers', 'Keys', 'Webhooks', 'Settings'],
  ])
  for (const [to, heading, button] of [
    ['Overview', 'Overview', 'Compose'],
    ['Segments', 'Segments', 'New segment'],
    ['Templates', 'Templates', 'New template'],
    ['Categories', 'Categories', 'New category'],
    ['Providers', 'Providers', 'Replace'],
    ['Keys', 'Keys', 'New key'],
    ['Webhooks', 'Webhooks', 'New endpoint'],
    ['Settings', 'Settings', 'Save the settings'],
  ] as const) {
    await theirs.getByRole('link', { name: to, exact: true }).first().click()
    await theirs.getByRole('heading', { level: 1, name: heading }).waitFor()
    await untilShown(theirs)
    expect([to, await theirs.getByText(button, { exact: true }).count()]).toEqual([to, 0])
  }
  expect(seen.faults).toEqual([])

  await page.getByRole('button', { name: 'Revoke Robin' }).click()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await theirs.getByText('Your session has ended').waitFor()
})

// spec: dashboard/inbox-gestures, tracking/report, tracking/shows-at-once
test('a push arrives on virtual phones; a tap, a button and a swipe count as opens, clicks and a dismissal', async () => {
  await goTo('/inbox')
  for (const name of ['First', 'Second', 'Third']) {
    await page.getByRole('button', { name: 'Add a device' }).first().click()
    await page.locator('dialog').getByLabel('Name').fill(name)
    await page.locator('dialog').getByLabel('External id').fill(`person-${name}`)
    await page.getByRole('button', { name: 'Add the device' }).click()
    await page.getByRole('heading', { name }).waitFor()
  }
  const sent = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { externalIds: ['person-First', 'person-Second', 'person-Third'] },
    content: {
      _default: 'en',
      en: { title: 'Shipped', body: 'On its way', url: 'https://shop.example/1', actions: [{ id: 'track', title: 'Track it' }] },
    },
  })
  const card = (name: string) => page.locator('li', { has: page.getByRole('heading', { name }) })
  await card('First')
    .getByRole('button', { name: /Shipped/ })
    .click()
  await card('First').getByText('opened and clicked').waitFor()
  await card('Second').getByRole('button', { name: 'Track it' }).click()
  await card('Second').getByText('clicked “Track it”').waitFor()
  await card('Third').getByRole('button', { name: 'Dismiss' }).click()
  await card('Third').getByText('dismissed').waitFor()
  const stats = await until(
    async () => {
      const { body } = await tenant.call<{ stats: Record<string, number> }>('GET', `/v1/campaigns/${sent.body.id}/stats`)
      return body.stats['delivered'] === 3 && body.stats['dismissed'] === 1 && body.stats['clicked'] === 2 && body.stats
    },
    { withinMs: 30_000, what: 'the counters of three gestures' },
  )
  expect(stats).toMatchObject({ sent: 3, delivered: 3, opened: 2, clicked: 2, dismissed: 1 })
  await card('First').getByRole('button', { name: 'Payload' }).click()
  await card('First').getByText('apns-push-type').or(card('First').getByText('"aps"')).first().waitFor()
  expect(watched.faults).toEqual([])
})

// spec: dashboard/quiet-picture, dashboard/audit-csv, administration/settings, administration/audit, administration/audit-filters
test('settings are saved as one change, which the audit shows by a filter and exports as a CSV', async () => {
  await goTo('/settings')
  await page.getByRole('switch', { name: 'Quiet hours' }).click()
  await page.getByLabel('From', { exact: true }).fill('21:30')
  await page.getByLabel('To', { exact: true }).fill('07:00')
  await page.getByRole('img', { name: 'Quiet from 21:30 to 07:00 on the next day: 9 h 30 min of each day.' }).waitFor()
  await page.getByLabel('Default time zone').selectOption('Europe/Lisbon')
  await page.keyboard.press('Control+Enter')
  await page.getByText('All changes saved').waitFor()
  const { body } = await tenant.admin<{ settings: unknown }>('GET', '')
  expect(body.settings).toMatchObject({
    defaultTimezone: 'Europe/Lisbon',
    quietHours: { start: '21:30', end: '07:00', action: 'hold' },
    frequencyCap: null,
  })
  await goTo('/audit?action=app.')
  await page.getByRole('button', { name: 'app: changed' }).click()
  await page.waitForURL(/action=app\.changed/)
  await page.getByRole('button', { name: 'app: created' }).waitFor({ state: 'detached' })
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines[0]).toBe('createdAt,actor,action,subject,requestId,id')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(',Dana,app.changed,')
  expect(watched.faults).toEqual([])
})
