import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { givenDevices, ok, read, sendCampaign, untilSettled, untilStatus } from '../tests/campaigns.ts'
import { barriersOf, openDashboard, type Dashboard } from './dashboard.ts'

// What a send caused, an experiment, and the rate of a send, in the dashboard.

let tenant: Dashboard['tenant']
let open: Dashboard['open']
beforeAll(async () => {
  ;({ tenant, open } = await openDashboard())
  ok(await tenant.admin('PATCH', '', { settings: { holdout: { percent: 20 } } }), 200)
  await givenDevices(tenant, 'android', 60, (place) => ({ externalId: `buyer-${place}` }))
})

const report = (from: number, to: number) =>
  tenant.call('POST', '/v1/conversions', {
    events: Array.from({ length: to - from }, (_, place) => ({
      ...{ id: `order-${from + place}`, externalId: `buyer-${from + place}`, name: 'order', at: new Date().toISOString() },
      ...{ value: 12.5, currency: 'EUR' },
    })),
  })

// spec: dashboard/conversions, dashboard/uplift, dashboard/experiment
test('a send shows its conversions by variant and what it caused, and calls nothing certain that may be chance', async () => {
  const text = (title: string) => ({ _default: 'en', en: { title, body: 'Today' } })
  const variants = ['Sober', 'Loud'].map((name) => ({ id: name.toLowerCase(), name, weight: 1, content: text(name) }))
  const auto = { metric: 'conversion', conversion: 'order', afterMinutes: 240, ifInconclusive: 'none' }
  const id = await sendCampaign(tenant, { name: 'Which words?', experiment: { sampleRate: 0.9, variants, auto } }, 'sending')
  await untilSettled(tenant, id)
  ok(await report(0, 20), 200)
  const { stats } = await read(tenant, id)
  const { count = 0, value = {} } = stats.conversions?.['order'] ?? {}
  expect(count).toBeGreaterThan(0)

  const { page, watched } = await open(`/campaigns/${id}`)
  const conversions = page.getByRole('table', { name: 'Conversions' })
  await conversions.getByRole('row', { name: new RegExp(`^order ${count} .* ${value['EUR']} EUR$`) }).waitFor()
  await conversions
    .getByRole('row', { name: /^Variant (Sober|Loud) / })
    .first()
    .waitFor()

  await page.getByRole('region', { name: 'A/B test' }).getByText('Not significant yet', { exact: true }).waitFor()
  await page.getByText(/^Not significant yet \(.*each variant needs at least 500 users/).waitFor()
  await page.getByText(/^First check in \d+ minutes\. .* you pick the winner in \d+ minutes\.$/).waitFor()
  await page.getByRole('tab', { name: 'Opens' }).click()
  await page.getByText('Not significant yet: nobody has opened.').waitFor()

  const caused = page.getByRole('region', { name: 'Uplift against the control group' })
  await caused.getByText('Not significant yet', { exact: true }).waitFor()
  await caused.getByRole('row', { name: /^Control group / }).waitFor()
  expect(await barriersOf(page)).toEqual([])

  await page.goto(page.url().replace(/campaigns\/.*/, 'impact'))
  await page
    .getByRole('table', { name: 'Conversions' })
    .getByRole('row', { name: /^order / })
    .waitFor()
  await page.getByText('20 % of people get no campaign').waitFor()
  await page.getByRole('row', { name: /^Treatment group / }).waitFor()
  expect(await barriersOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Reset the control group' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset the control group' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const { settings } = ok(await tenant.admin<{ settings: { holdout: { generation: number } } }>('GET', ''), 200)
  expect(settings.holdout.generation).toBe(2)
  expect(watched.faults).toEqual([])
})

// spec: dashboard/rate
test('an operator sees how long a slow send takes, makes it faster while it goes out, and lifts the limit', async () => {
  const id = await sendCampaign(tenant, { name: 'Slowly', sendRate: { perMinute: 60 }, bypass: { holdout: true } }, 'sending')
  const { page, watched } = await open(`/campaigns/${id}`)
  await page.locator('[data-rate]', { hasText: /^60 per minute · about .* left$/ }).waitFor()
  await page.getByRole('button', { name: 'Change the rate' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Messages per minute').fill('30')
  await dialog.getByText('is a whole number from 60 to 6,000,000').waitFor()
  expect(await dialog.getByRole('button', { name: 'Apply limit' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Messages per minute').fill('120')
  expect(await barriersOf(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Apply limit' }).click()
  await page.locator('[data-rate]', { hasText: /^120 per minute/ }).waitFor()
  expect(await read(tenant, id)).toMatchObject({ sendRate: { perMinute: 120 }, status: 'sending' })
  await page.getByRole('button', { name: 'Remove the limit' }).click()
  await page.locator('[data-sentence]', { hasText: /^Sent/ }).waitFor()
  await untilStatus(tenant, id, 'sent')
  await until(async () => (await page.locator('[data-rate]').count()) === 0)
  expect(watched.faults).toEqual([])
})

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' })
const words = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

// spec: dashboard/send-options, dashboard/next-runs
test('an operator writes a monthly message with category, rate and inbox, skips a day, and sees the next runs', async () => {
  ok(await tenant.admin('POST', '/categories', { id: 'offers', name: 'Offers', default: 'in' }), 201)
  const now = new Date()
  // The first and the last day of the month after the next one.
  const [first, last] = [2, 3].map((months) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, months === 2 ? 1 : 0)))
  if (!first || !last) throw new Error('there are two days')
  const dateOf = (day: Date) => day.toISOString().slice(0, 10)
  const wordsOf = (day: Date) => `${weekday.format(day)} ${words.format(day)}`
  const { page, watched } = await open('/compose')
  const field = (name: string) => page.getByRole('textbox', { name: new RegExp(`^${name}`) })
  await field('Title').fill('First of the month')
  await field('Text').fill('Your points')
  await page.getByRole('region', { name: 'Options' }).getByRole('button').first().click()
  await page.getByLabel('Category').selectOption('Offers')
  await page.getByText('Subscribed by default (opt-out).').waitFor()
  await page.getByLabel('Messages per minute').fill('600')
  await page.getByLabel('Add to the badge').fill('1')
  expect(await page.getByLabel('Badge', { exact: true }).isDisabled()).toBe(true)
  await page.getByLabel('Also show in the in-app inbox').check()
  expect(await barriersOf(page)).toEqual([])
  await page.getByRole('region', { name: 'Options' }).getByRole('button').first().click()
  await page.getByText('Category offers, in the inbox, 600 per minute, custom sound or badge').waitFor()

  await page.getByRole('region', { name: 'Schedule' }).getByRole('button').first().click()
  await page.getByRole('radio', { name: /^Recurring/ }).check()
  await page.getByLabel('How often').selectOption('Monthly')
  await page.getByLabel('Days of the month').fill('1, lost')
  await page.getByText('Enter numbers from 1 to 31, or last.').waitFor()
  await page.getByLabel('Days of the month').fill('last, 1')
  await page.getByLabel('First day').fill(dateOf(first))
  await page.getByLabel('Skip a day').fill(dateOf(last))
  await page.getByRole('button', { name: 'Skip it' }).click()
  await page.getByRole('list', { name: 'Skipped days' }).getByText(wordsOf(last)).waitFor()
  await page.getByRole('table', { name: 'Next send times' }).waitFor()
  expect(await barriersOf(page)).toEqual([])

  await page
    .getByRole('status')
    .filter({ hasText: /^Saved [\d:]+$/ })
    .waitFor()
  const id = page.url().slice(-24)
  await until(async () => JSON.stringify((await read(tenant, id)).schedule).includes('except'), { what: 'the stored schedule' })
  expect(await read(tenant, id)).toMatchObject({
    ...{ category: 'offers', inbox: true, sendRate: { perMinute: 600 }, presentation: { badgeIncrement: 1 } },
    schedule: { every: 'month', daysOfMonth: [1, -1], startDate: dateOf(first), except: [dateOf(last)] },
  })
  ok(await tenant.call('POST', `/v1/campaigns/${id}/send`), 202)
  await page.goto(page.url().replace(`compose/${id}`, `campaigns/${id}`))
  const runs = page.getByRole('list', { name: 'Next runs' })
  await until(async () => (await runs.getByRole('listitem').count()) === 5, { what: 'five runs' })
  expect(await runs.getByRole('listitem').first().innerText()).toContain(wordsOf(first))
  // The last day of the first month is skipped, so the first of the month after it comes next.
  expect(await runs.getByRole('listitem').nth(1).innerText()).toContain(wordsOf(new Date(last.getTime() + 86_400_000)))
  await page.getByRole('link', { name: 'Offers', exact: true }).waitFor()
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
})
