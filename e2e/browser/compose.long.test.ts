import type { Device } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { pushesOf, read, untilSettled } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, openDashboardAs, type Dashboard } from './dashboard.ts'

// The compose page in a real Chromium, under the gateway's content security policy, with Herald and the simulator behind it.

let tenant: Dashboard['tenant']
let open: Dashboard['open']
let herald: Dashboard['herald']
let userId: string
/** How many pushes the simulator had taken before the first push of this file. */
let before: number

type Entry = { title: string; body: string; url?: string; image?: string }
type Push = { platform: Device['platform']; payload: Record<string, unknown> }

beforeAll(async () => {
  ;({ herald, tenant, open } = await openDashboard())
  before = (await tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total
  for (const platform of ['ios', 'android', 'web'] as const) {
    const [device] = await tenant.makeDevices(platform, 1)
    if (!device) throw new Error('the simulator makes devices')
    const owner = { externalId: 'zoë-7', language: 'en', timezone: 'Europe/Vienna', tags: { name: 'Zoë "Z" Müller', orders: 4 } }
    userId = (await tenant.register(device, owner)).userId
  }
})

const field = (page: Page, name: string) => page.getByRole('textbox', { name: new RegExp(`^${name}`) })
const saved = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^Saved [\d:]+$/ })
    .waitFor()
const family = '👨‍👩‍👧‍👦'
const texts: Entry[] = [
  { title: 'Your order', body: 'It arrives today.' },
  { title: '🎉 Sale 🛍️', body: 'Everything −20 % 🔥🔥🔥 until midnight ⏰' },
  { title: '🇩🇪🇫🇷🇯🇵', body: '👍🏽👩🏿‍🚀🏳️‍🌈 e\u0301 ñ ﷽' },
  { title: 'طلبك في الطريق', body: 'סכום כולל: 42 ₪ — تسليم اليوم' },
  { title: 'Order \u2067طلب\u2069 #17', body: 'abc אבג 123 ﬁ \u200f!' },
  { title: 'A family', body: family.repeat(30) },
  { title: 'Many families', body: family.repeat(280) },
  { title: 'Long', body: 'word '.repeat(380) },
  { title: 'Long', body: 'ä'.repeat(1900) },
  { title: 'Long', body: '😀'.repeat(1900) },
  { title: 'Long', body: '"'.repeat(1990) },
  { title: 'He said "no" \\ yes', body: 'a\nb "d" \\e\\ \u2028 /' },
  { title: 'Hi {{ tags.name | default: "there" }}', body: '{{ tags.orders | plus: 1 }} orders, {{ user.language | upcase }}' },
  { title: '{{ tags.name | strip | truncate: 5, "…" }}', body: '{{ 12.5 | times: 1.19 | round: 2 }} {{ "a b" | url_encode }}' },
  { title: '{{ "2026-03-29T00:30:00Z" | date: "%d.%m.%Y %H:%M" }}', body: 'On {{ "1990-05-17" | date: "%A %-d %B", "Asia/Tokyo" }}' },
  { title: '{{ tags.missing | default: "you" }}', body: 'Hello{{- tags.missing -}} there {{ user.country }}' },
  { title: 'x', body: '{{ tags.name }}'.repeat(60) },
  { title: 'From {{ user.externalId }}', body: '{{ user.timezone }} {{ subscription.platform }}' },
]
const shapes: ((entry: Entry) => Entry)[] = [
  (entry) => entry,
  (entry) => ({ ...entry, url: 'https://shop.example/{{ tags.name }}?q=ü' }),
  (entry) => ({ ...entry, url: `shop://${'y'.repeat(1500)}`, image: 'https://cdn.example/{{ tags.orders }}.png' }),
  (entry) => ({ ...entry, url: `https://shop.example/${'y'.repeat(2000)}`, image: `https://cdn.example/${'z'.repeat(2000)}` }),
]

/** Reads from the meters how many bytes the push has on each platform, and whether it is refused. */
async function meters(page: Page): Promise<Record<Device['platform'], { bytes: number; refused: boolean }>> {
  const rows = page.getByRole('list', { name: 'Size of the push' }).getByRole('listitem')
  const read = async (place: number) => {
    const label = await rows.nth(place).getByRole('img').getAttribute('aria-label')
    return {
      bytes: Number(/ ([\d,]+) of/.exec(label ?? '')?.[1]?.replaceAll(',', '')),
      refused: ((await rows.nth(place).textContent()) ?? '').includes('Refused'),
    }
  }
  return { ios: await read(0), android: await read(1), web: await read(2) }
}

const bytesOf = ({ platform, payload }: Push): number => {
  const token = (payload['message'] as { token?: string } | undefined)?.token
  return (
    Buffer.byteLength(JSON.stringify(payload)) - (platform === 'android' ? Buffer.byteLength(JSON.stringify({ message: { token } })) : 0)
  )
}

const bodyOf = ({ platform, payload }: Push): string => {
  const { aps, message, body } = payload as {
    aps?: { alert: { body: string } }
    message?: { notification: { body: string } }
    body?: string
  }
  return (platform === 'ios' ? aps?.alert.body : platform === 'android' ? message?.notification.body : body) ?? ''
}

const tabs = [
  ['ios', 'iPhone'],
  ['android', 'Android'],
  ['web', 'Chrome'],
] as const

/** Sends a text to the user's three devices and gives the pushes that arrived, by platform. A platform for which the push is too large is missing. */
async function sendToZoe(entry: Entry, after: number): Promise<Map<Device['platform'], Push>> {
  const notification = { target: { externalIds: ['zoë-7'] }, content: { _default: 'en', en: entry } }
  const made = await tenant.call<{ id: string }>('POST', '/v1/notifications', notification)
  if (made.status === 422) return new Map()
  await isSent(made.body.id)
  const { pushes } = await tenant.simulator<{ pushes: Push[] }>('GET', `/pushes?after=${after}&limit=10`)
  return new Map(pushes.map((push) => [push.platform, push]))
}

const isSent = (id: string) =>
  until(async () => (await tenant.call<{ status: string }>('GET', `/v1/campaigns/${id}/stats`)).body.status === 'sent', { what: 'sent' })

/** Reads the text in the preview of a platform. */
async function previewed(page: Page, tab: string): Promise<string> {
  await page.getByRole('tab', { name: tab }).click()
  const shown = page.getByRole('region', { name: /^Preview/ }).locator('p.whitespace-pre-line')
  return (await shown.last().textContent()) ?? ''
}

// spec: dashboard/bytes
test('for 72 contents the page shows the exact size and cut text that providers get, on all platforms', async () => {
  const { page, watched } = await open(`/compose?person=${userId}`)
  await page.getByText('zoë-7').waitFor()
  const outcomes = new Set<string>()
  let seen = before
  for (const entry of texts.flatMap((text) => shapes.map((shape) => shape(text)))) {
    await field(page, 'Title').fill(entry.title)
    await field(page, 'Text').fill(entry.body)
    await field(page, 'Link').fill(entry.url ?? '')
    await field(page, 'Image').fill(entry.image ?? '')
    const shown = await meters(page)
    const arrived = await sendToZoe(entry, seen)
    seen += arrived.size
    for (const [platform, tab] of tabs) {
      const push = arrived.get(platform)
      const isCut = push !== undefined && bodyOf(push).endsWith('…')
      const text = isCut ? await previewed(page, tab) : undefined
      outcomes.add(push === undefined ? 'refused' : isCut ? 'cut' : 'whole')
      const { bytes, refused } = shown[platform]
      expect({ entry, platform, refused, text, bytes: refused ? undefined : bytes }).toEqual({
        entry,
        platform,
        refused: push === undefined,
        text: isCut ? bodyOf(push) : undefined,
        bytes: push && bytesOf(push),
      })
    }
  }
  expect([...outcomes].toSorted()).toEqual(['cut', 'refused', 'whole'])
  expect(watched.faults).toEqual([])
})

// spec: dashboard/draft-kept
test('an incomplete message is saved in Herald from the first keystroke, offered again, and becomes a campaign when complete', async () => {
  const drafts = async () => (await tenant.admin<{ items: { id: string; name: string }[] }>('GET', '/drafts')).body.items
  const first = await open('/compose')
  await field(first.page, 'Title').fill('Only a title')
  await first.page.getByRole('status').filter({ hasText: 'not complete yet' }).waitFor()
  // What Herald has stored is not kept in the browser any more.
  expect(await first.page.evaluate(() => Object.values(localStorage).filter((text) => String(text).includes('Only a title')))).toEqual([])
  expect(await drafts()).toMatchObject([{ name: 'Only a title' }])
  await first.page.reload()
  expect(await field(first.page, 'Title').inputValue()).toBe('Only a title')
  await first.page.close()

  const { page, watched } = await open('/compose')
  await page.getByText('You have not finished “Only a title”').waitFor()
  expect(await barriersOf(page)).toEqual([])
  await page.getByRole('link', { name: 'Continue editing' }).click()
  await until(async () => (await field(page, 'Title').inputValue()) === 'Only a title')
  await field(page, 'Text').fill('And a text')
  await page
    .getByRole('status')
    .filter({ hasText: /^Saved [\d:]+$/ })
    .waitFor()
  const id = page.url().slice(-24)
  expect(await tenant.admin('GET', `/campaigns/${id}`)).toMatchObject({ status: 200, body: { status: 'draft', name: 'Only a title' } })
  expect(await drafts()).toEqual([])
  await page.getByRole('button', { name: 'Delete draft' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete draft' }).click()
  await page.waitForURL(/\/campaigns$/)
  expect(watched.faults).toEqual([])
})

// spec: dashboard/draft-shared
test('when another tab changed a draft, this tab does not overwrite it, and the operator can take it over', async () => {
  const mine = await open('/compose')
  await field(mine.page, 'Title').fill('Mine')
  await field(mine.page, 'Text').fill('At first')
  await saved(mine.page)
  const theirs = await open(`/compose/${mine.page.url().slice(-24)}`)
  await field(theirs.page, 'Title').fill('Theirs')
  await saved(theirs.page)

  await field(mine.page, 'Title').fill('Mine again')
  await mine.page.getByRole('button', { name: 'Use their version' }).click()
  expect(await field(mine.page, 'Title').inputValue()).toBe('Theirs')
  expect([mine.watched.faults, theirs.watched.faults]).toEqual([[], []])
})

// spec: dashboard/test-on-screen
test("an operator adds a test device, sends a test to it and sees the provider's answer", async () => {
  const { page, watched } = await open('/compose')
  await field(page, 'Title').fill('Try')
  await field(page, 'Text').fill('this')
  await page.keyboard.press('Control+Enter')
  // The page still moves until the report of the dry run is shown.
  await page.getByRole('button', { name: 'Send to 3 devices' }).waitFor()
  // The field that had the focus is gone: the focus is on the new page's heading.
  await page.locator('h1:focus', { hasText: 'Review' }).waitFor()
  await page.getByRole('combobox', { name: 'Add a test device' }).click()
  await page.getByRole('option', { name: /iOS/ }).click()
  await page.getByRole('button', { name: 'Send a test to 1 device' }).click()
  await page.getByRole('listitem').filter({ hasText: 'iOS' }).filter({ hasText: 'sent200' }).waitFor()
  const { pushes } = await tenant.simulator<{ pushes: Push[] }>('GET', `/pushes?after=${before}&limit=1000`)
  expect(pushes.at(-1)?.payload).toMatchObject({ aps: { alert: { title: '[Test] Try', body: 'this' } } })
  expect(watched.faults).toEqual([])
})

test('an operator makes a template, writes a message with it, sees its fields, and sets a changed one back', async () => {
  const { page, watched } = await open('/templates/new')
  await field(page, 'Name').fill('Order shipped')
  await field(page, 'Title').fill('Shipped')
  await field(page, 'Text').fill('Your order is on its way')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('link', { name: 'Use template' }).click()
  await page.getByText('Based on').waitFor()
  expect(await page.getByText('From the template').count()).toBeGreaterThan(4)
  await field(page, 'Title').fill('Shipped!')
  await page.getByRole('button', { name: 'Reset to template' }).click()
  expect(await field(page, 'Title').inputValue()).toBe('Shipped')
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})

// spec: campaigns/user-timezone-date, dashboard/confirm-sends
test('an operator gives a local-time send a date and what happens past it, and the sheet says both', async () => {
  const { page, watched } = await open('/compose')
  await field(page, 'Title').fill('Big day')
  await field(page, 'Text').fill('Today only')
  await page.getByRole('region', { name: 'Schedule' }).getByRole('button').first().click()
  await page.getByRole('radio', { name: /local time/ }).check()
  const date = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('Date', { exact: true }).fill(date)
  await page.getByLabel('If the time has already passed').selectOption('Skip these users')
  expect(await barriersOf(page)).toEqual([])
  const stored = async () => (await tenant.admin<{ schedule: object }>('GET', `/campaigns/${page.url().slice(-24)}`)).body.schedule
  await saved(page)
  await until(async () => JSON.stringify(await stored()).includes('lateMinutes'), { what: 'the stored schedule' })
  expect(await stored()).toEqual({ type: 'user_timezone', localTime: '09:00', date, lateMinutes: 0 })

  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Schedule for 3 devices' }).click()
  const when = new RegExp(`^at 09:00 on .* ${date.slice(0, 4)}, local time of each user; users for whom it has passed are skipped$`)
  await page.getByRole('dialog').getByRole('definition').getByText(when).waitFor()
  expect(watched.faults).toEqual([])
})

// spec: dashboard/confirm-sends, campaigns/unsend
test('a send is confirmed on a sheet; undone within ten seconds it is an unsent draft', async () => {
  const { page, watched } = await open('/compose')
  await field(page, 'Title').fill('Too early')
  await field(page, 'Text').fill('Not yet')
  await page.keyboard.press('Control+Enter')
  const button = page.getByRole('button', { name: 'Send to 3 devices' })
  await button.click()
  const sheet = page.getByRole('dialog')
  for (const line of ['Everyone', '3', 'Now', 'English']) await sheet.getByRole('definition').getByText(line, { exact: true }).waitFor()
  expect(await barriersOf(page)).toEqual([])
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  // The sheet gives the focus back to the button that opened it.
  await until(() => button.evaluate((element) => element.matches(':focus')))

  await page.keyboard.press('Enter')
  await sheet.getByRole('button', { name: 'Send to 3 devices' }).click()
  await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/)
  const id = page.url().slice(-24)
  await page.getByText(/^Goes out in \d+ s/).waitFor()
  expect(await barriersOf(page)).toEqual([])
  // The undo is there after a reload too.
  await page.reload()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.waitForURL(`**/compose/${id}`)
  expect(await field(page, 'Title').inputValue()).toBe('Too early')
  const { body } = await tenant.admin<{ status: string; stats: { queued: number } }>('GET', `/campaigns/${id}`)
  expect(body).toMatchObject({ status: 'draft', stats: { queued: 0 } })
  expect(watched.faults).toEqual([])
})

// spec: dashboard/confirm-sends, campaigns/delay, campaigns/unsend
test('after the tab is closed a confirmed send goes out, and one whose undo was pressed before sends nothing', async () => {
  const confirm = async (title: string) => {
    const { page, watched } = await open('/compose')
    await field(page, 'Title').fill(title)
    await field(page, 'Text').fill('The tab is closed')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Send to 3 devices' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send to 3 devices' }).click()
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/)
    return { page, watched, id: page.url().slice(-24) }
  }
  const undone = await confirm('Undone and closed')
  await undone.page.getByText(/^Goes out in \d+ s/).waitFor()
  const asked = undone.page.waitForRequest(/\/unsend$/)
  await undone.page.getByRole('button', { name: 'Undo' }).click()
  await asked
  await undone.page.close()
  const kept = await confirm('Closed')
  await kept.page.close()

  // The undone one would have gone out before the other.
  expect(await untilSettled(tenant, kept.id)).toMatchObject({ queued: 3, sent: 3 })
  expect(await pushesOf(tenant, kept.id)).toHaveLength(3)
  expect(await pushesOf(tenant, undone.id)).toEqual([])
  expect(await read(tenant, undone.id)).toMatchObject({ status: 'draft', startedAt: null })
  expect([undone.watched.faults, kept.watched.faults]).toEqual([[], []])
})

// spec: administration/pictures-served, dashboard/pictures
test('an operator uploads a picture, sees its preview, and the device loads it without credentials', async () => {
  const { page, watched } = await open('/compose')
  await field(page, 'Title').fill('With a picture')
  await field(page, 'Text').fill('Look')
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Upload an image' }).click()])
  await chooser.setFiles('docs/images/audit-light.png')
  await until(async () => (await field(page, 'Image').inputValue()).includes('/pictures/'), { what: 'the address of the picture' })
  const address = await field(page, 'Image').inputValue()
  const shown = page
    .getByRole('region', { name: /^Preview/ })
    .locator('img')
    .last()
  await until(() => shown.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0), {
    what: 'the picture in the preview',
  })
  expect(await barriersOf(page)).toEqual([])
  const { pathname } = new URL(address)
  const loaded = await fetch(new URL(pathname, page.url()))
  expect([loaded.status, loaded.headers.get('content-type')]).toEqual([200, 'image/jpeg'])

  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Send to 3 devices' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send to 3 devices' }).click()
  await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/)
  const sent = async () => (await tenant.simulator<{ pushes: Push[] }>('GET', `/pushes?after=${before}&limit=1000`)).pushes
  await until(async () => (await sent()).some(({ payload }) => JSON.stringify(payload).includes(address)), {
    withinMs: 30_000,
    what: 'a push with the picture',
  })
  expect(watched.faults).toEqual([])
})

// spec: dashboard/approval
test('above the limit of the app one operator asks for a send and another confirms it', async () => {
  await tenant.admin('PATCH', '', { settings: { approval: { devices: 2 } } })
  onTestFinished(() => tenant.admin('PATCH', '', { settings: { approval: null } }).then(() => undefined))
  const { page, watched } = await open('/compose')
  await field(page, 'Title').fill('Big news')
  await field(page, 'Text').fill('For all')
  await page.keyboard.press('Control+Enter')
  const ask = 'Request approval (3 devices)'
  await page.getByRole('button', { name: ask }).click()
  await page.getByRole('dialog').getByRole('button', { name: ask }).click()
  await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/)
  const id = page.url().slice(-24)
  await page.getByText('Pending approval by somebody else.').waitFor()
  expect(await page.getByRole('link', { name: 'Review and approve' }).count()).toBe(0)
  expect(await barriersOf(page)).toEqual([])

  const robin = await openDashboardAs(herald, tenant, 'Robin')
  const theirs = await robin(`/campaigns/${id}`)
  await theirs.page.getByText('Once you approve it, it is sent at its time.').waitFor()
  await theirs.page.getByRole('link', { name: 'Review and approve' }).click()
  const approve = 'Approve and send to 3 devices'
  await theirs.page.getByRole('button', { name: approve }).click()
  await theirs.page.getByRole('dialog').getByRole('button', { name: approve }).click()
  await theirs.page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/)
  await isSent(id)
  expect([watched.faults, theirs.watched.faults]).toEqual([[], []])
})

// spec: dashboard/steps, dashboard/unknown-placeholder
test('the composer has four folding steps, leads from a problem to its field, and its bar says what is sent', async () => {
  const { page, watched } = await open('/compose')
  const step = (name: string) => page.getByRole('region', { name, exact: true }).getByRole('button').first()
  expect(await Promise.all(['Audience', 'Message', 'Schedule', 'Options'].map((name) => step(name).textContent()))).toEqual([
    'AudienceEveryone',
    'Message',
    'ScheduleNow',
    'OptionsDefault settings',
  ])
  const bar = page.getByRole('region', { name: 'What is sent' })
  await bar.getByText('3 devices · now · 1 language').waitFor()

  await step('Message').click()
  await bar.getByRole('button', { name: 'Review' }).click()
  await page
    .getByRole('alert')
    .getByRole('button', { name: /^Title.*must be/ })
    .click()
  await until(() => field(page, 'Title').evaluate((element) => element.matches(':focus')))
  await page.keyboard.type('Hi {{ tags.nmae }} ')
  await page.getByText('No user of this app has the tag “nmae”.').waitFor()
  await page.getByRole('button', { name: 'Emoji for Title' }).click()
  await page.getByRole('searchbox', { name: 'Find an emoji' }).fill('truck')
  expect(await barriersOf(page)).toEqual([])
  await page.getByRole('button', { name: 'truck delivery' }).click()
  expect(await field(page, 'Title').inputValue()).toBe('Hi {{ tags.nmae }} 🚚')
  await step('Schedule').click()
  await page.getByRole('radio', { name: /local time/ }).check()
  await step('Schedule').click()
  expect(await step('Schedule').textContent()).toBe('ScheduleAt 09:00 in each user’s own time zone')
  await bar.getByText('3 devices · at 09:00 in each user’s own time zone · 1 language').waitFor()
  await bar.getByRole('button', { name: 'Test', exact: true }).click()
  await page
    .getByRole('dialog', { name: 'Send a test' })
    .getByRole('button', { name: /^Send a test to/ })
    .waitFor()
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})
