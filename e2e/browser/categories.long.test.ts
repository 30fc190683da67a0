import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { givenDevices, ok, sendCampaign, textOf, untilSettled, type Registered } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, type Dashboard } from './dashboard.ts'

// Categories, people's choices and inboxes in the dashboard.

let tenant: Dashboard['tenant']
let open: Dashboard['open']
let ann: Registered
beforeAll(async () => {
  ;({ tenant, open } = await openDashboard())
  const [device] = await givenDevices(tenant, 'android', 1, () => ({ externalId: 'ann' }))
  if (!device) throw new Error('the simulator made no device')
  ann = device
})

const categories = async () => ok(await tenant.admin<{ items: object[] }>('GET', '/categories'), 200).items

// spec: dashboard/categories
test('an operator makes a category, changes it, and cannot delete it while a scheduled campaign needs it', async () => {
  const { page, watched } = await open('/categories', /status of (409|422)/)
  await page.getByRole('button', { name: 'Create your first category' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('News & offers')
  expect(await dialog.getByLabel(/^Id/).inputValue()).toBe('news-offers')
  await dialog.getByLabel(/^Id/).fill('Not an id')
  await dialog.getByRole('button', { name: 'Create category' }).click()
  await until(async () => (await dialog.getByLabel(/^Id/).getAttribute('aria-invalid')) === 'true')
  expect(await barriersOf(page)).toEqual([])
  await dialog.getByLabel(/^Id/).fill('news-offers')
  await dialog.getByText('Appearance').click()
  await dialog.getByLabel('Android channel').fill('offers')
  await dialog.getByRole('button', { name: 'Create category' }).click()
  await page.getByText('Subscribed by default (opt-out).').waitFor()

  await page.getByRole('button', { name: 'Edit News & offers' }).click()
  await dialog.getByRole('radio', { name: /^Not subscribed/ }).check()
  await dialog.getByLabel('Description').fill('Sales, once a week')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Not subscribed by default (opt-in).').waitFor()
  expect(await categories()).toMatchObject([
    { id: 'news-offers', name: 'News & offers', default: 'out', description: 'Sales, once a week', presentation: { channelId: 'offers' } },
  ])

  const schedule = { type: 'at', at: new Date(Date.now() + 3_600_000).toISOString() }
  const id = await sendCampaign(tenant, { category: 'news-offers', schedule }, 'scheduled')
  await page.getByRole('button', { name: 'Delete News & offers' }).click()
  await dialog.getByRole('button', { name: 'Delete the category' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await barriersOf(page)).toEqual([])
  ok(await tenant.call('POST', `/v1/campaigns/${id}/cancel`), 200)
  await dialog.getByRole('button', { name: 'Delete the category' }).click()
  await page.getByText('No categories yet').waitFor()
  expect(watched.faults).toEqual([])
})

// spec: dashboard/categories, dashboard/person-inbox, administration/user-inbox
test('an operator subscribes, unsubscribes and resets a category for a person, and sees what the person was sent', async () => {
  for (const [id, fields] of [
    ['tips', { default: 'out' }],
    ['security', { default: 'in', locked: true }],
  ] as const)
    ok(await tenant.admin('POST', '/categories', { id, name: id, ...fields }), 201)
  const sent = await sendCampaign(tenant, { name: 'To be read', content: textOf('Read me'), inbox: true, category: 'security' }, 'sending')
  await untilSettled(tenant, sent)
  const left = await sendCampaign(tenant, { name: 'A tip', category: 'tips' }, 'sending')
  expect(await untilSettled(tenant, left)).toMatchObject({ skipped: 1 })

  const { page, watched } = await open(`/people/${ann.userId}`)
  const list = page.getByRole('list', { name: 'Categories' })
  await list.getByText('Default: not subscribed.').waitFor()
  await list.getByText('Required: nobody can unsubscribe.').waitFor()
  expect(await page.getByRole('button', { name: 'Unsubscribe from security' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Subscribe to tips' }).click()
  await list.getByText('Own preference: subscribed.').waitFor()
  const choices = async () => ok(await tenant.admin<{ preferences: object }>('GET', `/users/${ann.userId}`), 200).preferences
  expect(await choices()).toEqual({ tips: true })
  await page.getByRole('button', { name: 'Unsubscribe from tips' }).click()
  await list.getByText('Own preference: unsubscribed.').waitFor()
  await page.getByRole('button', { name: 'Reset tips' }).click()
  await list.getByText('Default: not subscribed.').waitFor()
  expect(await choices()).toEqual({})

  const inbox = page.getByRole('list', { name: 'Inbox' })
  await inbox.getByRole('link', { name: 'Read me' }).waitFor()
  await inbox.getByText('Unread').waitFor()
  expect(await barriersOf(page)).toEqual([])

  // The report of the send says its category and why it was skipped.
  await page.goto(page.url().replace(/people\/.*/, `campaigns/${left}`))
  await page.getByText('The person is not subscribed to the category of the send', { exact: false }).waitFor()
  await page.getByRole('link', { name: 'tips', exact: true }).waitFor()
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})
