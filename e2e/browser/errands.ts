import { generateKeyPairSync } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { http, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { Page } from 'playwright-core'
import { givenDevices, ok, pushesOf, read, sendCampaign, textOf, untilSettled, untilStatus } from '../tests/campaigns.ts'
import type { Person } from './person.ts'

/** What there is before the errands: a shop with people, segments, and sends that have ended. */
export type Shop = {
  herald: Herald
  tenant: Tenant
  /** An app of the same Herald that has no device yet. */
  newAppId: string
  ids: { sale: string; experiment: string; toErase: string; clicked: readonly string[] }
}

/** An errand that begins on the overview of an app. `run` does it and gives true when the page, the API and the simulator show that it is done. */
export type Errand = { name: string; run: (shop: Shop, page: Page, me: Person) => Promise<boolean> }

const languages = ['en', 'de', 'fr'] as const
const gold = { field: 'tags.plan', op: 'eq', value: 'gold' }
const silver = { field: 'tags.plan', op: 'eq', value: 'silver' }

/** Makes the shop. customer-0 has the plan silver, so a send to gold customers leaves it out. */
export async function givenShop(herald: Herald): Promise<Shop> {
  const tenant = await givenTenant(herald)
  await tenant.simulator('POST', '/crowd', {
    baseUrl: herald.baseUrl,
    appKey: tenant.publicKey,
    devices: (await tenant.makeDevices('android', 300)).map(({ id }) => id),
    concurrency: 20,
  })
  // People and the composer's languages show the newest ids. Those of one second have no order, so the customers come in a later one.
  const crowdedAt = Math.floor(Date.now() / 1_000)
  await until(() => Math.floor(Date.now() / 1_000) > crowdedAt, { what: 'the next second' })
  const all = []
  for (const platform of ['ios', 'android', 'web'] as const)
    all.push(
      ...(await givenDevices(tenant, platform, 8, (place) => ({
        externalId: `customer-${place}`,
        language: languages[place % 3],
        timezone: 'Europe/Berlin',
        tags: { plan: place % 2 === 0 ? 'silver' : 'gold' },
      }))),
    )
  for (const [name, definition] of Object.entries({ 'Gold customers': gold, 'Silver customers': silver }))
    ok(await tenant.call('POST', '/v1/segments', { name, definition }), 201)
  const sale = await sendCampaign(tenant, { name: 'Spring sale', content: textOf('Spring sale'), segment: gold }, 'sending')
  await untilSettled(tenant, sale)
  const variants = ['Sober', 'Loud'].map((name) => ({ id: name.toLowerCase(), name, weight: 1, content: textOf(name) }))
  const experiment = await sendCampaign(tenant, { name: 'Which words?', experiment: { sampleRate: 0.5, variants } }, 'sending')
  await untilSettled(tenant, experiment)
  const clicked = ['customer-1', 'customer-3']
  for (const push of await pushesOf(tenant, sale))
    if (clicked.includes(externalIdOf(all, push.userId) ?? '')) await http('POST', `${herald.baseUrl}/v1/e/c/${push.msgId ?? ''}`)
  await until(async () => (await read(tenant, sale)).stats.clicked === 6, { what: 'the clicks' })
  const { id: newAppId } = ok(
    await http<{ id: string }>('POST', `${herald.baseUrl}/v1/admin/apps`, {
      headers: { authorization: `Bearer ${herald.adminToken}` },
      body: { name: 'New shop' },
    }),
    201,
  )
  return { herald, tenant, newAppId, ids: { sale, experiment, toErase: 'customer-7', clicked } }
}

const externalIdOf = (all: readonly { userId: string }[], userId: string): string | undefined => {
  const place = all.findIndex((one) => one.userId === userId)
  return place === -1 ? undefined : `customer-${place % 8}`
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name: new RegExp(`^${name}`) })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const inDialog = (page: Page, name: string | RegExp) =>
  page.getByRole('dialog').getByRole('button', { name, exact: typeof name === 'string' })
const step = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).getByRole('button').first()
const goTo = async (page: Page, me: Person, name: string): Promise<void> =>
  me.press(page.getByRole('navigation').first().getByRole('link', { name, exact: true }))

/** The date of the next Friday that is at least two days ahead, in the browser's form of typing: month, day, year. */
function friday(): { typed: string; iso: string } {
  const day = new Date()
  do day.setDate(day.getDate() + 1)
  while (day.getDay() !== 5 || day.getTime() - Date.now() < 2 * 86_400_000)
  const two = (n: number) => String(n).padStart(2, '0')
  const [year, month, date] = [day.getFullYear(), two(day.getMonth() + 1), two(day.getDate())]
  return { typed: `${month}${date}${year}`, iso: `${year}-${month}-${date}` }
}

const writings = {
  English: ['Friday', 'Everything is cheaper'],
  German: ['Freitag', 'Alles ist billiger'],
  French: ['Vendredi', 'Tout est moins cher'],
} as const

/** The ten errands, in an order in which none spoils another. */
export const errands: readonly Errand[] = [
  {
    name: 'the first push',
    async run({ herald, newAppId }, page, me) {
      await page.goto(`${herald.baseUrl}/dashboard/apps/${newAppId}/overview`)
      await me.press(link(page, 'Send the first push'))
      await me.press(button(page, 'Create a virtual device'))
      const send = page.getByRole('button', { name: 'Send to this device', disabled: false })
      await me.press(send)
      await page.locator('section[aria-label="On the virtual phone"] article').waitFor()
      return true
    },
  },
  {
    name: 'a campaign in three languages to a segment, on Friday at 9:00 local time',
    async run({ tenant }, page, me) {
      const { typed, iso } = friday()
      await me.press(link(page, 'Compose').last())
      await me.press(step(page, 'Audience'))
      await me.press(page.getByRole('radio', { name: /A saved segment/ }))
      await me.pick(page.getByRole('combobox', { name: /segment/i }), 'Gold')
      for (const [language, [title, body]] of Object.entries(writings)) {
        if (language !== 'English') await me.press(button(page, new RegExp(`^${language}: ?users get`)))
        // A language that was just added has its title in focus.
        await me.write(field(page, 'Title'), title)
        await me.write(field(page, 'Text'), body)
      }
      await me.press(step(page, 'Schedule'))
      await me.press(page.getByRole('radio', { name: /local time/ }))
      await me.write(page.getByLabel('Date', { exact: true }), typed)
      await me.press(button(page, 'Review'))
      await me.press(button(page, /^Schedule for \d+ devices$/))
      await me.press(inDialog(page, /^Schedule for \d+ devices$/))
      await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/)
      const made = await read(tenant, page.url().slice(-24))
      const { _default, ...entries } = made.content ?? { _default: '' }
      return (
        made.status === 'scheduled' &&
        made.audience.kind === 'segment' &&
        Object.keys(entries)
          .toSorted((one, other) => one.localeCompare(other))
          .join() === 'de,en,fr' &&
        isDeepStrictEqual(made.schedule, { type: 'user_timezone', localTime: '09:00', date: iso })
      )
    },
  },
  {
    name: 'why customer-0 did not get a campaign',
    async run(_shop, page, me) {
      await me.press(link(page, 'Spring sale'))
      await me.press(link(page, 'Why didn’t someone get it?'))
      await me.pick(page.getByRole('combobox', { name: 'Person' }), 'customer-0')
      await page.locator('[data-sentence]').first().waitFor()
      return /segment/i.test((await page.getByRole('main').innerText()) ?? '')
    },
  },
  {
    name: 'stop a send under way',
    async run({ tenant }, page, me) {
      // At the least rate there is it takes five minutes.
      const id = await sendCampaign(tenant, { name: 'A slow one', sendRate: { perMinute: 60 } }, 'sending')
      await page.reload()
      await me.press(link(page, 'A slow one'))
      await me.press(button(page, 'Cancel'))
      await me.press(inDialog(page, 'Cancel this send'))
      const { stats } = await untilStatus(tenant, id, 'cancelled')
      return stats.skipped > 0
    },
  },
  {
    name: 'pick a winner',
    async run({ tenant, ids }, page, me) {
      await me.press(link(page, 'Which words?'))
      await me.press(button(page, 'Send Loud to the rest'))
      await me.press(inDialog(page, 'Send'))
      await page.getByRole('heading', { level: 1, name: 'Which words? – winner Loud' }).waitFor()
      return (await read(tenant, ids.experiment)).winner?.variant === 'loud'
    },
  },
  {
    name: 'find who clicked',
    async run({ ids }, page, me) {
      await me.press(link(page, 'Spring sale'))
      await me.press(link(page, 'Who clicked?'))
      const names = () =>
        page
          .getByRole('table')
          .getByRole('link', { name: /^customer-/ })
          .allInnerTexts()
      await until(async () => (await names()).length === 6, { what: 'the six devices that clicked' })
      return [...new Set(await names())].toSorted((one, other) => one.localeCompare(other)).join() === ids.clicked.join()
    },
  },
  {
    name: 'the campaign of last week again, for another segment',
    async run({ tenant }, page, me) {
      await me.press(link(page, 'Spring sale'))
      await me.press(button(page, 'Duplicate'))
      await me.press(page.getByRole('radio', { name: /A saved segment/ }))
      await me.pick(page.getByRole('combobox', { name: /segment/i }), 'Silver')
      await me.press(button(page, 'Review'))
      await me.press(button(page, /^Send to \d+ devices$/))
      await me.press(inDialog(page, /^Send to \d+ devices$/))
      await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/)
      const made = await untilStatus(tenant, page.url().slice(-24), 'sent')
      return made.audience.kind === 'segment' && isDeepStrictEqual(made.audience.segment, silver) && made.stats.sent === 12
    },
  },
  {
    name: 'give a colleague read-only access',
    async run({ tenant }, page, me) {
      await goTo(page, me, 'Keys')
      await me.press(button(page, 'New key for a person or tool'))
      await me.write(page.getByLabel(/^Name/), 'Robin')
      await me.press(button(page, 'Create key'))
      await page.locator('dialog code', { hasText: 'ak_live_' }).waitFor()
      const { items } = ok(await tenant.admin<{ items: { name: string; scopes: string[] }[] }>('GET', '/admin-keys'), 200)
      return items.some(({ name, scopes }) => name === 'Robin' && scopes.join() === 'read')
    },
  },
  {
    name: 'erase a person',
    async run({ tenant, ids }, page, me) {
      await goTo(page, me, 'People')
      await me.press(link(page, ids.toErase))
      await me.press(button(page, 'Erase'))
      await me.write(page.getByRole('dialog').getByRole('textbox'), ids.toErase)
      await me.press(inDialog(page, 'Erase permanently'))
      await page.getByText('The person is erased').waitFor()
      return (await tenant.call('GET', `/v1/users/by-external-id/${ids.toErase}`)).status === 404
    },
  },
  {
    name: 'mend a wrong key',
    async run({ tenant }, page, me) {
      const teamId = tenant.appId.slice(-10).toUpperCase()
      const keyId = teamId.split('').toReversed().join('')
      const account = { teamId, keyId, bundleId: tenant.bundleId }
      const wrong = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
      await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000 })
      ok(await tenant.admin('PUT', '/providers/apns?unchecked=true', { ...account, privateKey: wrong, environment: 'production' }), 200)
      const { id } = ok(
        await tenant.call<{ id: string }>('POST', '/v1/notifications', {
          target: { externalIds: ['customer-1'] },
          content: textOf('Waits for the key'),
        }),
        202,
      )
      const held = async () =>
        ok(await tenant.admin<{ circuits: { heldCount: number }[] }>('GET', '/providers/apns'), 200).circuits.some(
          (one) => one.heldCount > 0,
        )
      await until(held, { what: 'a held push' })
      const { privateKey } = await tenant.simulator<{ privateKey: string }>('POST', '/accounts', { kind: 'apns', ...account })
      await page.reload()

      await me.press(link(page, 'See APNs'))
      await me.press(page.getByRole('region', { name: 'APNs' }).getByRole('button', { name: 'Replace' }))
      const form = page.getByRole('dialog')
      await me.give(form.locator('input[type=file]'), {
        name: `AuthKey_${keyId}.p8`,
        mimeType: 'application/x-pem-file',
        buffer: Buffer.from(privateKey),
      })
      await me.press(form.getByRole('button', { name: 'Save and check' }))
      await page.getByText('Saved: APNs takes these credentials').waitFor()
      await untilSettled(tenant, id)
      await tenant.simulator('DELETE', '/faults')
      return true
    },
  },
]
