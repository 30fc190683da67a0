import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { givenDevices, read, sendCampaign, untilSettled } from '../tests/campaigns.ts'
import { openChromium } from './browsers.ts'
import { barriersOf, openDashboard, signInLink, untilShown, type Dashboard } from './dashboard.ts'

// What `npm test` asks of the dashboard: an operator signs in, sends, and sees the numbers of the send.

let herald: Dashboard['herald']
let tenant: Dashboard['tenant']
let open: Dashboard['open']

beforeAll(async () => {
  ;({ herald, tenant, open } = await openDashboard())
  for (const platform of ['ios', 'android', 'web'] as const) await givenDevices(tenant, platform, 1, () => ({ externalId: 'ada' }))
})

const field = (page: Page, name: string) => page.getByRole('textbox', { name: new RegExp(`^${name}`) })
const saved = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^Saved / })
    .waitFor()

// spec: administration/session
test('a sign-in link works once, scripts cannot read the cookie, no secret is in storage or address', async () => {
  const link = await signInLink(herald, 'Dana')
  const context = await openChromium()
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('navigation').first().waitFor()

  expect(page.url()).not.toContain('code=')
  expect(await context.cookies()).toMatchObject([{ name: '__Host-herald', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' }])
  const [cookie] = await context.cookies()
  const reachable = await page.evaluate<string>('JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])')
  for (const secret of [herald.adminToken, cookie!.value, new URL(link).hash.slice('#code='.length)])
    expect(reachable).not.toContain(secret)

  await context.clearCookies()
  await page.goto('about:blank')
  await page.goto(link)
  await page.getByLabel(/administration token/i).waitFor()
})

// spec: dashboard/draft-kept, dashboard/sent-once, dashboard/send-number
test('an operator can write, review and send a message with the keyboard alone, and it is sent once', async () => {
  const { page, watched } = await open('/compose')
  await field(page, 'Title').focus()
  await page.keyboard.type('Hello {{ exter')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  // Behind the title is the button for emoji.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('It is on its way')
  await saved(page)
  // The saved draft has its own address, and the text field still takes what is typed.
  expect(page.url()).toMatch(/\/compose\/[0-9a-f]{24}$/)
  await page.keyboard.type(' today')
  expect(await field(page, 'Text').inputValue()).toBe('It is on its way today')
  expect(await barriersOf(page)).toEqual([])

  await page.keyboard.press('Control+Enter')
  const send = page.getByRole('button', { name: 'Send to 3 devices' })
  await send.waitFor()
  expect(await barriersOf(page)).toEqual([])
  await page.keyboard.press('Control+Enter')
  const other = await open(`/compose/${page.url().replace(/^.*\/compose\//, '')}`)
  await other.page.getByRole('button', { name: 'Send to 3 devices' }).waitFor()

  await page.keyboard.press('Enter')
  const confirm = (tab: typeof page) => tab.getByRole('dialog').getByRole('button', { name: 'Send to 3 devices' })
  await confirm(page).waitFor()
  expect(await barriersOf(page)).toEqual([])
  await confirm(page).click()
  await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/)
  const id = page.url().slice(-24)
  // A second tab that sends the draft is led to the campaign that the first has begun.
  await other.page.getByRole('button', { name: 'Send to 3 devices' }).click()
  await confirm(other.page).click()
  await other.page.waitForURL(`**/campaigns/${id}`)
  expect(await untilSettled(tenant, id)).toMatchObject({ queued: 3, sent: 3 })
  expect(watched.faults).toEqual([])
})

test('the control room shows the name of a send and as many recipients as the API', async () => {
  const campaignId = await sendCampaign(tenant, { name: 'Weekend sale' }, 'sending')
  await untilSettled(tenant, campaignId)
  const { page } = await open(`/campaigns/${campaignId}`)
  await untilShown(page)
  const { stats } = await read(tenant, campaignId)

  const text = (await page.getByRole('main').innerText()).replaceAll(/\s+/g, ' ')
  expect(stats.queued).toBe(3)
  expect(text).toMatch(/\b3\b.{0,20}recipients|recipients.{0,20}\b3\b/i)
  expect(text).toContain('Weekend sale')
})
