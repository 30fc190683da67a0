import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ledgerOf, ok, read, untilSettled, textOf, type Json } from '../tests/campaigns.ts'
import { byPlatform, dryRunsOf, givenAudience, noRules, skipsOf } from '../tests/dry-runs.ts'
import { barriersOf, openDashboard, type Dashboard } from './dashboard.ts'

// Compares what the review of a message says with what the send then does.

let tenant: Dashboard['tenant']
let open: Dashboard['open']
let app: ReturnType<typeof dryRunsOf>
beforeAll(async () => {
  ;({ tenant, open } = await openDashboard())
  app = dryRunsOf(tenant)
  await givenAudience(tenant)
})

const draftOf = async (more: Json): Promise<string> =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name: 'Reviewed', content: textOf('Hello'), ...more }), 201).id

/** Reads the cells of a table of the review, row by row. */
const rowsOf = async (page: Page, caption: string | RegExp): Promise<string[][]> => {
  const rows = page.getByRole('table', { name: caption }).locator('tbody tr')
  return Promise.all((await rows.all()).map(async (row) => row.locator('td').allInnerTexts()))
}
/** Presses the button that sends and gives the id of the campaign. */
async function press(page: Page, label: string | RegExp): Promise<string> {
  await page.getByRole('button', { name: label }).click()
  await page.getByRole('dialog').getByRole('button', { name: label }).click()
  await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/)
  return page.url().slice(-24)
}

// spec: sending/dry-run, dashboard/send-number
test('the review says how many devices get the message and how many the cap leaves out, like the send', async () => {
  const segment = { field: 'tags.orders', op: 'lt', value: 5 }
  await app.setSettings({ ...noRules, frequencyCap: { max: 1, windowSeconds: 86_400 } })
  await untilSettled(tenant, await app.notify({ target: { externalIds: ['user-1', 'user-2', 'user-3'] }, content: textOf('Before') }))
  const { page, watched } = await open(`/compose/${await draftOf({ segment })}?step=review`)
  const report = page.getByRole('region', { name: 'Review' })
  const platforms = await report.getByText(/iOS \d+ · Android \d+ · Web \d+/i).innerText()
  const [ios, android, web] = platforms.match(/\d+/g)?.map(Number) ?? []
  const leftOut = Object.fromEntries(await rowsOf(page, 'Skipped'))
  expect(await barriersOf(page)).toEqual([])

  const id = await press(page, /^Send to \d+ devices$/)
  await untilSettled(tenant, id)
  const ledger = await ledgerOf(tenant, id)
  expect({ ios, android, web }).toEqual(byPlatform(ledger))
  expect(Number(leftOut['Frequency cap reached'])).toBe(skipsOf(ledger)['frequency_cap'])
  expect(Number(leftOut['Frequency cap reached'])).toBeGreaterThan(0)
  await app.setSettings(noRules)
  expect(watched.faults).toEqual([])
})

const inHours = (hours: number): string => new Date(Math.ceil(Date.now() / 3_600_000 + hours) * 3_600_000).toISOString()

// spec: sending/dry-run
test.each<[string, Json]>([
  ['at an instant', { type: 'at', at: inHours(30) }],
  ['at each user’s local time', { type: 'user_timezone', localTime: '09:00' }],
  ['every day', { type: 'recurring', every: 'day', localTime: '09:00', timezone: 'Europe/Berlin' }],
])('the review of a message sent %s shows its instants, and the campaign is scheduled for the first', async (_name, schedule) => {
  const campaignId = await draftOf({ schedule })
  const { page, watched } = await open(`/compose/${campaignId}?step=review`)
  const times = page.getByRole('table', { name: /^When/ }).locator('time')
  await times.first().waitFor()
  const shown = await Promise.all((await times.all()).map(async (time) => (await time.getAttribute('datetime')) ?? ''))
  const devices = (await rowsOf(page, /^When/)).map(([, count]) => Number(count))
  expect(shown).toEqual(shown.toSorted())
  expect(shown).toEqual((await app.dryRun({ campaignId })).waves.map(({ at }) => at))
  const total = await page.getByRole('region', { name: 'Review' }).locator('strong').first().innerText()
  expect(devices.every((count) => count > 0)).toBe(true)
  // A recurrence goes to everyone at each instant, so the sum is a multiple of the number of devices.
  expect(devices.reduce((sum, count) => sum + count, 0) % Number(total)).toBe(0)

  const id = await press(page, /^(Schedule|Start)/)
  expect((await read(tenant, id)).nextAt).toBe(shown[0])
  ok(await tenant.admin('POST', `/campaigns/${id}/cancel`), 200)
  expect(watched.faults).toEqual([])
})
