import { platformNames } from '@herald/contracts/platform'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { campaignOf, recordedPushes } from '../chaos/scenario-result.ts'
import {
  clockIn,
  givenDevices,
  ledgerOf,
  ok,
  sendCampaign,
  textOf,
  untilSettled,
  untilStatus,
  type Json,
  type Registered,
} from '../tests/campaigns.ts'
import { openDashboard, untilShown, type Dashboard } from './dashboard.ts'

// More than 60 campaigns of all kinds and endings: the rows of the list and the reports say what the ledger and the simulator have.

/** What a person who made the campaign expects to read: whom it goes to, and its status. */
type Expected = { kind: string; id: string; audience: string; status: string | RegExp }

let tenant: Dashboard['tenant']
let open: Dashboard['open']
let devices: Registered[]
const made: Expected[] = []
const perPlatform = 5
const gold = { field: 'tags.plan', op: 'eq', value: 'gold' }
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

beforeAll(async () => {
  ;({ tenant, open } = await openDashboard())
  const all = await Promise.all(
    (['ios', 'android', 'web'] as const).map((platform) =>
      givenDevices(tenant, platform, perPlatform, (place) => ({
        externalId: `customer-${place}`,
        tags: { plan: place % 2 === 0 ? 'gold' : 'free', ...(platform === 'web' ? { web: true } : {}) },
      })),
    ),
  )
  devices = all.flat()
})

const note = (kind: string, id: string, audience: string, status: Expected['status']): string => {
  made.push({ kind, id, audience, status })
  return id
}
const times = async (count: number, work: (place: number) => Promise<unknown>): Promise<void> => {
  for (let place = 0; place < count; place += 1) await work(place)
}
/** Sends a campaign, waits until it has ended, and notes what is expected. */
const campaign = async (kind: string, body: Json, audience: string, status: Expected['status'] = 'Sent') => {
  const id = note(kind, await sendCampaign(tenant, { name: kind, ...body }, 'sending'), audience, status)
  await untilSettled(tenant, id)
  return id
}
const notification = async (kind: string, body: Json, audience: string, status: Expected['status'] = 'Sent') => {
  const { id } = ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', { content: textOf(kind), ...body }), 202)
  await untilSettled(tenant, note(kind, id, audience, status))
}
const planned = async (kind: string, schedule: Json, status: 'scheduled' | 'active', shown: string) =>
  note(kind, await sendCampaign(tenant, { name: kind, schedule }, status), 'Everyone', shown)
const setRules = async (settings: Json) => ok(await tenant.admin('PATCH', '', { settings }), 200)

async function sendAllKinds(): Promise<void> {
  const of = (place: number) => ({ userId: devices[place]!.userId, id: devices[place]!.id })
  const { id: segmentId } = ok(await tenant.call<{ id: string }>('POST', '/v1/segments', { name: 'Gold', definition: gold }), 201)
  const goldWords = 'plan is gold'
  await times(4, () => campaign('to everyone', {}, 'Everyone'))
  await times(5, () => campaign('to a segment', { segment: gold }, goldWords))
  await times(3, () => campaign('to a saved segment', { segmentId }, goldWords))
  await times(2, () => campaign('to nobody', { segment: { ...gold, value: 'none' } }, 'plan is none', 'No recipients'))
  await times(3, () => campaign('silent', { content: undefined, silent: true }, 'Everyone'))
  await times(4, (place) => notification('to a person', { target: { externalIds: [`customer-${place}`] } }, '1 person'))
  await times(3, () => notification('to people', { target: { externalIds: ['customer-0', 'customer-1', 'customer-2'] } }, '3 people'))
  await times(2, () => notification('to users', { target: { userIds: [of(0).userId, of(1).userId] } }, '2 people'))
  await times(3, () => notification('to devices', { target: { subscriptionIds: [of(0).id, of(7).id] } }, '2 devices'))
  await times(2, () => notification('to an unknown person', { target: { externalIds: ['nobody'] } }, '1 person', 'No recipients'))
  await times(2, () => notification('a notification to everyone', { target: { all: true } }, 'Everyone'))
  await times(2, () => notification('a notification to a segment', { target: { segment: gold } }, goldWords))
  await times(3, async () => {
    const body = { subscriptionId: of(3).id, content: textOf('A test'), mark: true }
    const { id } = ok(await tenant.admin<{ id: string }>('POST', '/test-send', body), 200)
    note('a test', id, 'A test to 1 device', 'Sent')
  })
  await times(2, async () => {
    const variants = ['a', 'b'].map((name) => ({ id: name, name, weight: 1, content: textOf(name) }))
    const id = await campaign('an experiment', { experiment: { sampleRate: 0.5, variants } }, 'Everyone', /^(Sent|No recipients)$/)
    const { id: winner } = ok(await tenant.admin<{ id: string }>('POST', `/campaigns/${id}/experiment/winner`, { variant: 'b' }), 202)
    await untilSettled(tenant, note('a winner', winner, 'Remaining audience (50 %)', /^(Sent|No recipients)$/))
  })

  await times(3, () => planned('at a time', { type: 'at', at: inAnHour() }, 'scheduled', 'Scheduled'))
  await times(2, () =>
    planned(
      'at local times',
      { type: 'user_timezone', localTime: '09:00', date: new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10) },
      'scheduled',
      'Scheduled',
    ),
  )
  const daily = { type: 'recurring', every: 'day', localTime: clockIn('UTC', 60), timezone: 'UTC' }
  await times(3, () => planned('recurring', daily, 'active', 'Active'))
  await times(3, async () => {
    const draft = ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name: 'a draft', content: textOf('Later') }), 201)
    note('a draft', draft.id, 'Everyone', 'Draft')
  })
  await times(4, async (place) => {
    const schedule = place === 3 ? daily : { type: 'at', at: inAnHour() }
    const id = await planned(
      place === 3 ? 'recurring, cancelled' : 'cancelled before it began',
      schedule,
      place === 3 ? 'active' : 'scheduled',
      'Cancelled',
    )
    ok(await tenant.admin('POST', `/campaigns/${id}/cancel`), 200)
  })
  // At the least rate there is a send to these devices takes 15 s.
  await times(2, async () => {
    const id = await sendCampaign(tenant, { name: 'paused', sendRate: { perMinute: 60 } }, 'sending')
    ok(await tenant.admin('POST', `/campaigns/${note('paused', id, 'Everyone', 'Paused')}/pause`), 200)
  })
  await times(2, async () => {
    const id = await sendCampaign(tenant, { name: 'cancelled', sendRate: { perMinute: 60 } }, 'sending')
    await tenant.admin('POST', `/campaigns/${note('cancelled under way', id, 'Everyone', 'Cancelled')}/cancel`)
    await untilStatus(tenant, id, 'cancelled')
  })

  // In the first zone of the earth it was an hour ago, and in the last one it is tomorrow, so Herald takes it.
  const zone = 'Pacific/Kiritimati'
  const date = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(Date.now() - 3_600_000)
  await setRules({ defaultTimezone: zone })
  const passed = { type: 'user_timezone', localTime: clockIn(zone, -60), date, lateMinutes: 0 }
  const expired = await sendCampaign(tenant, { name: 'expired', schedule: passed }, 'scheduled')
  await untilStatus(tenant, note('expired', expired, 'Everyone', 'All skipped'), 'sent')
  await setRules({ defaultTimezone: 'UTC' })
  await setRules({ frequencyCap: { max: 1, windowSeconds: 2_592_000 } })
  // What was sent while there was no cap does not count.
  await campaign('up to the cap', {}, 'Everyone')
  await times(2, () => campaign('past the cap', {}, 'Everyone', 'All skipped'))
  await setRules({ frequencyCap: null, quietHours: { start: clockIn('UTC', -60), end: clockIn('UTC', 60), action: 'skip' } })
  await times(2, () => campaign('in quiet hours', {}, 'Everyone', 'All skipped'))
  await setRules({ quietHours: null })
  ok(await tenant.admin('DELETE', '/providers/webpush'), 204)
  await times(2, () => campaign('all failed', { segment: { field: 'platform', op: 'eq', value: 'web' } }, 'Platform is Web', 'All failed'))
  await times(2, () => campaign('a third failed', {}, 'Everyone', /^Sent, 33\s%\sfailed$/))
}

type Row = { status: string; queued: string; sent: string; failed: string }

/** Reads the rows of a list of campaigns, all its pages, by the id of the campaign. */
async function rowsOf(page: Page): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>()
  for (;;) {
    await untilShown(page)
    const read = await page.getByRole('table').evaluate((table) =>
      [...table.querySelectorAll('tbody tr')].map((row) => ({
        id: row.querySelector('a')?.getAttribute('href')?.slice(-24) ?? '',
        cells: [...row.querySelectorAll('td')].map(({ textContent }) => textContent),
      })),
    )
    for (const { id, cells } of read) {
      const [, status = '', , queued = '', sent = '', failed = ''] = cells
      rows.set(id, { status, queued, sent, failed })
    }
    const older = page.getByRole('link', { name: 'Older', exact: true })
    if ((await older.count()) === 0) return rows
    const cursor = page.url()
    await older.click()
    await page.waitForURL((url) => url.href !== cursor)
    await page.locator(`tbody a[href$="${read[0]?.id ?? ''}"]`).waitFor({ state: 'detached' })
  }
}

const countOf = (rows: readonly { outcome: string }[], outcome: string): number => rows.filter((row) => row.outcome === outcome).length

/** Reads the report of a campaign, as far as it says numbers: the equation, each platform, and the codes. */
async function reportOf(page: Page): Promise<{ audience: string; equation: string[]; platforms: string[]; codes: string[] }> {
  return page.getByRole('main').evaluate((main) => {
    const texts = (selector: string) => [...main.querySelectorAll(selector)].map(({ textContent }) => textContent)
    const section = (title: string) =>
      [...main.querySelectorAll('section')].find((one) => one.querySelector('h2')?.textContent === title) ?? null
    const lines = (title: string, selector: string) =>
      [...(section(title)?.querySelectorAll(selector) ?? [])].map(({ textContent }) => textContent.trim())
    const audience = [...main.querySelectorAll('dt')].find(({ textContent }) => textContent === 'Audience')?.nextElementSibling
    return {
      audience: audience?.querySelector('summary')?.textContent ?? audience?.textContent ?? '',
      equation: texts('[data-equation] dd a'),
      platforms: lines('By platform', 'li > p').map((text) => text.replaceAll(/\s+/g, ' ')),
      codes: lines('Failed and skipped', 'li a').map((text) => text.replaceAll(/\s+/g, ' ')),
    }
  })
}

// spec: dashboard/status-by-result, administration/campaign-audience, dashboard/equation
test('of more than 60 campaigns of all kinds the dashboard shows what the ledger and the providers have', async () => {
  await sendAllKinds()
  expect(made.length).toBeGreaterThanOrEqual(60)
  const taken = new Map<string, number>()
  for await (const { msgId } of recordedPushes(tenant)) taken.set(campaignOf(msgId), (taken.get(campaignOf(msgId)) ?? 0) + 1)
  const { page, watched } = await open('/campaigns')
  const base = page.url()
  const rows = await rowsOf(page)
  for (const kind of ['transactional', 'test']) {
    await page.goto(`${base}?${kind}=true`)
    for (const [id, row] of await rowsOf(page)) rows.set(id, row)
  }
  for (const { kind, id, audience, status } of made) {
    const ledger = await ledgerOf(tenant, id)
    const [sent, failed, skipped, waiting] = (['sent', 'failed', 'skipped', 'open'] as const).map((outcome) => countOf(ledger, outcome))
    const codes = Map.groupBy(
      ledger.filter(({ outcome }) => outcome === 'failed' || outcome === 'skipped'),
      ({ code }) => code ?? '',
    )
    const isUnderWay = status === 'Paused'
    const expected = {
      row: {
        status: expect.stringMatching(typeof status === 'string' ? new RegExp(`^${status}$`) : status),
        ...{ queued: String(ledger.length), sent: String(sent), failed: String(failed) },
      },
      report: {
        audience: expect.stringContaining(audience),
        equation:
          status === 'Draft' || status === 'Scheduled' || kind.startsWith('recurring')
            ? []
            : [ledger.length, sent, failed, skipped, waiting].map(String),
        platforms: (['ios', 'android', 'web'] as const).flatMap((platform) => {
          const own = ledger.filter((push) => push.platform === platform)
          if (own.length === 0) return []
          const words = (['sent', 'failed', 'skipped'] as const).map((outcome) => `${countOf(own, outcome)} ${outcome}`).join(', ')
          return [expect.stringContaining(isUnderWay ? `of ${own.length} processed` : `${platformNames[platform]}${words}`)]
        }),
        codes: expect.arrayContaining([...codes].map(([code, some]) => `${some.length} ${code}`)),
      },
      taken: sent,
    }
    await page.goto(`${base}/${id}`)
    await untilShown(page)
    const shown = async () => ({ row: rows.get(id), report: await reportOf(page), taken: taken.get(id) ?? 0 })
    // The breakdown is read after the campaign.
    await expect.poll(shown, { timeout: 3_000, message: `${kind} ${id}` }).toEqual(expected)
  }
  expect(watched.faults).toEqual([])
}, 600_000)
