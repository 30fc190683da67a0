// `npm run pictures` takes the pictures in docs/images: pages of the dashboard in both themes, and the control room on a phone's screen. The program
// starts a new Herald and makes users, campaigns and outcomes for the pictures.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startHerald, freshDataDir, removeDataDir } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { chromium, type Page } from 'playwright-core'
import { givenDevices, ok, sendCampaign, untilSettled, type Registered } from '../tests/campaigns.ts'
import { browserPath } from './browser-path.ts'
import { hidesScrollbars } from './browsers.ts'

const images = resolve(import.meta.dirname, '../../docs/images')
const people = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Leslie', 'Frances', 'Tim']
const languages = ['en', 'de', 'fr', 'es']
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Europe/London']

const dataDir = freshDataDir()
const herald = await startHerald({ dataDir })
const browser = await chromium.launch({
  executablePath: browserPath('chromium'),
  chromiumSandbox: false,
  ignoreDefaultArgs: hidesScrollbars,
  args: ['--disable-gpu', '--disable-background-networking'],
})
try {
  const tenant = await givenTenant(herald)
  ok(await tenant.admin('PATCH', '', { name: 'Corner Shop' }), 200)
  const devices = await givenPeople(tenant)
  const made = await givenHistory(tenant, devices)
  mkdirSync(images, { recursive: true })
  for (const theme of ['light', 'dark'] as const) {
    const page = await signIn(theme)
    for (const [name, path] of Object.entries(pagesOf(tenant.appId, made))) await take(page, path, `${name}-${theme}`)
    await page.context().close()
  }
  const phone = await signIn('light', { width: 390, height: 844 })
  await take(phone, `/apps/${tenant.appId}/campaigns/${made.campaignId}`, 'control-room-phone')
} finally {
  await browser.close()
  await herald.stop()
  removeDataDir(dataDir)
}

async function givenPeople(tenant: Tenant): Promise<Registered[]> {
  const describe = (place: number) => ({
    externalId: `customer-${100 + place}`,
    language: languages[place % languages.length],
    timezone: zones[place % zones.length],
    country: ['DE', 'US', 'JP', 'GB'][place % 4],
    tags: { name: people[place % people.length], plan: place % 3 === 0 ? 'gold' : 'basic', orders: place % 17 },
  })
  const all: Registered[] = []
  for (const [platform, count] of [
    ['android', 160],
    ['ios', 120],
    ['web', 60],
  ] as const)
    all.push(...(await givenDevices(tenant, platform, count, describe)))
  // Some users have removed the mobile app, so the provider answers that their tokens are dead.
  const dead = all.filter((_, place) => place % 40 === 7).map(({ device }) => device.id)
  await tenant.simulator('PUT', '/devices/behaviour', { ids: dead, answer: 'dead' })
  await tenant.simulator('PUT', '/crowd/reports', { baseUrl: herald.baseUrl, delivered: 0.94, opened: 0.35 })
  return all
}

type Made = {
  campaignId: string
  experimentId: string
  segmentId: string
  templateId: string
  userId: string
  subscriptionId: string
  webhookId: string
}

async function givenHistory(tenant: Tenant, devices: Registered[]): Promise<Made> {
  const gold = { field: 'tags.plan', op: 'eq', value: 'gold' }
  const definition = {
    and: [
      gold,
      {
        or: [
          { field: 'platform', op: 'eq', value: 'ios' },
          { field: 'tags.orders', op: 'gte', value: 3 },
        ],
      },
    ],
  }
  const segment = ok(
    await tenant.call<{ id: string }>('POST', '/v1/segments', { name: 'Gold and active', description: 'Buys often', definition }),
    201,
  )
  ok(await tenant.call('POST', `/v1/segments/${segment.id}/count`), 200)
  const shipped = {
    _default: 'en',
    en: {
      title: 'On its way, {{ tags.name | default: "friend" }}',
      body: 'Your order {{ data.order }} arrives today.',
      url: 'https://shop.example/orders/17',
    },
    de: { title: 'Unterwegs, {{ tags.name | default: "du" }}', body: 'Deine Bestellung {{ data.order }} kommt heute.' },
  }
  const template = ok(
    await tenant.call<{ id: string }>('POST', '/v1/templates', { name: 'Order shipped', content: shipped, ttl: 86_400 }),
    201,
  )
  const campaignId = await sendCampaign(tenant, { name: 'Weekend sale', content: shipped, data: { order: '17' } }, 'sending')
  await untilSettled(tenant, campaignId)
  const text = (title: string, body: string) => ({ _default: 'en', en: { title, body } })
  const experimentId = await sendCampaign(
    tenant,
    {
      name: 'Which words?',
      content: text('Your order', 'It is on its way'),
      experiment: {
        sampleRate: 1,
        variants: [
          { id: 'sober', name: 'Sober', weight: 1, content: text('Your order', 'It is on its way') },
          { id: 'loud', name: 'Loud', weight: 1, content: text('Here it comes!', 'Today!') },
        ],
      },
    },
    'sending',
  )
  await untilSettled(tenant, experimentId)
  await sendCampaign(
    tenant,
    {
      name: 'Monday coffee',
      schedule: { type: 'recurring', every: 'week', daysOfWeek: [1], localTime: '09:00', timezone: 'Europe/Berlin' },
    },
    'active',
  )
  await sendCampaign(tenant, { name: 'New year', schedule: { type: 'user_timezone', localTime: '09:00' } }, 'scheduled')
  await untilSettled(
    tenant,
    ok(
      await tenant.call<{ id: string }>('POST', '/v1/notifications', {
        target: { externalIds: ['customer-100'] },
        templateId: template.id,
        data: { order: '18' },
      }),
      202,
    ).id,
  )
  const webhook = ok(await tenant.admin<{ id: string }>('POST', '/webhooks', { url: 'https://shop.example/hooks/herald' }), 201)
  const [first] = devices
  if (!first) throw new Error('no device was registered')
  return {
    campaignId,
    experimentId,
    segmentId: segment.id,
    templateId: template.id,
    userId: first.userId,
    subscriptionId: first.id,
    webhookId: webhook.id,
  }
}

function pagesOf(appId: string, made: Made): Record<string, string> {
  const app = `/apps/${appId}`
  return {
    overview: `${app}/overview`,
    start: `${app}/start`,
    compose: `${app}/compose`,
    campaigns: `${app}/campaigns`,
    'control-room': `${app}/campaigns/${made.campaignId}`,
    experiment: `${app}/campaigns/${made.experimentId}`,
    people: `${app}/people`,
    person: `${app}/people/${made.userId}`,
    explain: `${app}/explain?campaignId=${made.campaignId}&subscriptionId=${made.subscriptionId}`,
    segments: `${app}/segments`,
    segment: `${app}/segments/${made.segmentId}`,
    categories: `${app}/categories`,
    impact: `${app}/impact`,
    templates: `${app}/templates`,
    template: `${app}/templates/${made.templateId}`,
    log: `${app}/log`,
    providers: `${app}/providers`,
    keys: `${app}/keys`,
    webhooks: `${app}/webhooks`,
    webhook: `${app}/webhooks/${made.webhookId}`,
    settings: `${app}/settings`,
    audit: `${app}/audit`,
    inbox: `${app}/inbox`,
  }
}

async function signIn(colorScheme: 'light' | 'dark', viewport = { width: 1280, height: 800 }): Promise<Page> {
  const context = await browser.newContext({ viewport, colorScheme, timezoneId: 'Europe/Berlin', locale: 'en-GB' })
  const page = await context.newPage()
  const answer = await fetch(`${herald.baseUrl}/v1/admin/sign-in-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${herald.adminToken}`, 'content-type': 'application/json' },
    body: '{"name":"Dana"}',
    signal: AbortSignal.timeout(10_000),
  })
  await page.goto(((await answer.json()) as { url: string }).url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

async function take(page: Page, path: string, name: string): Promise<void> {
  await page.goto(`${herald.baseUrl}/dashboard${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await until(() => page.evaluate<boolean>(`document.querySelector('[aria-busy="true"], [data-skeleton]') === null`), {
    what: `${name} without a skeleton`,
  })
  await page.evaluate('document.fonts.ready.then(() => true)')
  // Charts and previews are drawn after their code was loaded. The page is finished when two screenshots in a row are equal.
  let picture = await page.screenshot()
  for (let times = 0; times < 20; times += 1) {
    const next = await page.screenshot()
    if (next.equals(picture)) break
    picture = next
  }
  writeFileSync(join(images, `${name}.png`), picture)
  console.log(`docs/images/${name}.png`)
}
