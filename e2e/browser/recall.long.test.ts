import { beforeAll, expect, test } from 'vitest'
import { givenDevices, ok, read, sendCampaign, textOf, untilSettled } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, type Dashboard } from './dashboard.ts'

// Recalls and Live Activities in the dashboard.

let tenant: Dashboard['tenant']
let open: Dashboard['open']
beforeAll(async () => {
  ;({ tenant, open } = await openDashboard())
  await givenDevices(tenant, 'android', 3)
})

// spec: dashboard/recall
test('an operator replaces a wrong message, reads what platforms can do, and campaign and recall lead to one another', async () => {
  const id = await sendCampaign(tenant, { name: 'Wrong price', content: textOf('Only 1 €') }, 'sending')
  expect(await untilSettled(tenant, id)).toMatchObject({ sent: 3 })
  const { page, watched } = await open(`/campaigns/${id}`)
  await page.getByRole('button', { name: 'Recall' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('3 pushes were sent. Messages already read cannot be taken back.').waitFor()
  expect(await dialog.getByRole('radio', { name: /^Just stop sending/ }).isDisabled()).toBe(true)
  await dialog.getByRole('radio', { name: /^Remove it/ }).check()
  await dialog.getByText('They cannot remove it: each push must show something. They are skipped.').waitFor()
  expect(await barriersOf(page)).toEqual([])
  await dialog.getByRole('radio', { name: /^Replace it/ }).check()
  expect(await dialog.getByLabel('Title').inputValue()).toBe('Only 1 €')
  await dialog.getByLabel('Title').fill('Only 10 €')
  await dialog.getByRole('button', { name: 'Replace notification' }).click()

  await page.getByRole('link', { name: 'Recalls another campaign', exact: true }).waitFor()
  const followUp = page.url().slice(-24)
  expect(await untilSettled(tenant, followUp)).toMatchObject({ sent: 3 })
  expect(await read(tenant, followUp)).toMatchObject({ recallOf: id, content: { en: { title: 'Only 10 €' } } })
  expect(await page.getByRole('button', { name: 'Recall' }).count()).toBe(0)
  await page.locator('[data-sentence]', { hasText: /^Sent/ }).waitFor()
  expect(await barriersOf(page)).toEqual([])
  await page.getByRole('link', { name: 'Recalls another campaign', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Wrong price' }).waitFor()
  await page.getByRole('link', { name: 'Replacement requested: sent' }).click()
  await page.getByRole('link', { name: 'Recalls another campaign', exact: true }).waitFor()
  expect(watched.faults).toEqual([])
})

// spec: dashboard/live-activities
test('a send to a Live Activity is named after it in list and report, which says whom it reaches', async () => {
  const [phone] = await givenDevices(tenant, 'ios', 1)
  if (!phone) throw new Error('the simulator made no device')
  const held = { attributesType: 'MatchAttributes', token: 'a'.repeat(64) }
  ok(await tenant.call('PUT', `/v1/subscriptions/${phone.id}/activities/match-3`, held), 200)
  const body = { activityId: 'match-3', event: 'update', attributesType: 'MatchAttributes', contentState: { home: 1 } }
  const { id } = ok(await tenant.call<{ id: string }>('POST', '/v1/live-activities', body), 202)
  expect(await read(tenant, id)).toMatchObject({ activity: { activityId: 'match-3', event: 'update' } })

  const { page, watched } = await open('/campaigns?transactional=true')
  await page.getByRole('link', { name: 'Live Activity match-3, updated' }).click()
  await page.getByRole('heading', { level: 1, name: 'Live Activity match-3, updated' }).waitFor()
  await page.getByText('Updates every device that has it, without a sound. Opens and clicks are not tracked for Live Activities.').waitFor()
  await page.getByText('All devices that show this Live Activity').waitFor()
  expect(await page.getByRole('heading', { name: 'Opens and clicks' }).count()).toBe(0)
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})
