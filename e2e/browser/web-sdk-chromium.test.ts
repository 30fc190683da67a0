import type { Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { BrowserContext, CDPSession, Page, Worker } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openChromium } from './browsers.ts'
import { sharedPlatform } from '../platform.ts'
import { startSite, type Site } from './site.ts'
import { watch } from './watch.ts'

// Chromium would get pushes from Google's push service, so the test hands them to the worker through the DevTools protocol. The payload and its msgId
// are real: they come from the simulator's record of what the dispatcher sent.
const ownWorker = `importScripts('/herald/worker.iife.js')
Herald.start()
ours = []
addEventListener('push', (event) => ours.push(Herald.isOurs(event)))`

let herald: Herald
let tenant: Tenant
let site: Site
let context: BrowserContext
let page: Page
let worker: Worker
let devtools: CDPSession
let registrationId: string
let watched: ReturnType<typeof watch>
const reports: string[] = []

beforeAll(async () => {
  herald = await sharedPlatform()
  tenant = await givenTenant(herald)
  site = await startSite({ '/herald-sw.js': ownWorker })
  context = await openChromium({ origins: [site.origin] })
  context.on('request', (request) => {
    if (request.method() === 'POST') reports.push(request.url().replace(/^.*\/v1\/e\//, ''))
  })
  page = await context.newPage()
  watched = watch(page, { origins: [herald.baseUrl] })
  await page.goto(site.origin)
  devtools = await context.newCDPSession(page)
  const registered = new Promise<string>((found) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [one] = registrations
      if (one) found(one.registrationId)
    }),
  )
  await devtools.send('ServiceWorker.enable')
  const started = context.waitForEvent('serviceworker')
  await page.evaluate(
    `window.herald = Herald.init({ baseUrl: '${herald.baseUrl}', appKey: '${tenant.publicKey}' }); herald.ready.then(() => null)`,
  )
  ;[registrationId, worker] = await Promise.all([registered, started])
})

/** Sends to a device of the simulator, and gives the campaign and the decrypted payload. */
async function payloadOf(
  entry: Record<string, unknown>,
  more: object = {},
): Promise<{ campaignId: string; payload: { data: { msgId: string } } }> {
  const [device] = await tenant.makeDevices('web', 1)
  const { id } = await tenant.register(device!)
  const { body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { subscriptionIds: [id] },
    content: { _default: 'en', en: entry },
    ...more,
  })
  const payload = await until(
    async () => {
      const { pushes } = await tenant.simulator<{ pushes: { payload: { data: { msgId: string } } }[] }>(
        'GET',
        `/pushes?deviceId=${device!.id}`,
      )
      return pushes[0]?.payload
    },
    { what: 'the push at the simulator' },
  )
  return { campaignId: body.id, payload }
}

const deliver = (data: string) => devtools.send('ServiceWorker.deliverPushMessage', { origin: site.origin, registrationId, data })

const counted = (campaignId: string, counts: Record<string, number>) =>
  until(
    async () => {
      const { body } = await tenant.call<{ stats: Record<string, number> }>('GET', `/v1/campaigns/${campaignId}/stats`)
      return Object.entries(counts).every(([name, count]) => body.stats[name] === count)
    },
    { what: `campaign ${campaignId} counts ${JSON.stringify(counts)}` },
  )

const shown = () =>
  worker.evaluate(
    '(async () => (await registration.getNotifications()).map(({ title, body, actions }) => ({ title, body, actions: actions.map(({ action }) => action) })))()',
  )

/** Dispatches a click on the notification to the worker. No user clicks, so the browser opens no window. */
const click = (action: string) =>
  worker.evaluate(`(async () => {
    const [notification] = await registration.getNotifications()
    const event = new NotificationEvent('notificationclick', { notification, action: '${action}' })
    const work = []
    event.waitUntil = (promise) => work.push(promise)
    dispatchEvent(event)
    await Promise.all(work)
  })()`)

// spec: web/shown, web/reports
test('a push shows its buttons and reports delivery; a clicked one is an open and a click with its id', async () => {
  const { campaignId, payload } = await payloadOf({
    title: 'Your order',
    body: 'is here',
    url: `${site.origin}/orders/17`,
    actions: [
      { id: 'track', title: 'Track it', url: `${site.origin}/track` },
      { id: 'later', title: 'Later' },
    ],
  })
  await deliver(JSON.stringify(payload))
  await counted(campaignId, { delivered: 1, opened: 0, clicked: 0 })
  expect(await shown()).toEqual([{ title: 'Your order', body: 'is here', actions: ['track', 'later'] }])

  await click('track')
  await counted(campaignId, { delivered: 1, opened: 1, clicked: 1, dismissed: 0 })
  expect(reports.filter((path) => path.includes(payload.data.msgId))).toEqual([
    `d/${payload.data.msgId}`,
    `o/${payload.data.msgId}`,
    `c/${payload.data.msgId}?action=track`,
  ])
  expect(await shown()).toEqual([])
  expect(watched.faults).toEqual([])
})

test('a push that comes twice is shown once; a click without a link is an open but no click', async () => {
  const { campaignId, payload } = await payloadOf({ title: 'Twice', body: 'but shown once' })
  await deliver(JSON.stringify(payload))
  await deliver(JSON.stringify(payload))
  await until(() => reports.filter((path) => path === `d/${payload.data.msgId}`).length === 2, { what: 'both are handled' })
  await counted(campaignId, { delivered: 1 })
  expect(await shown()).toHaveLength(1)
  await click('')
  await counted(campaignId, { delivered: 1, opened: 1, clicked: 0 })
  expect(watched.faults).toEqual([])
})

// spec: web/badge, web/shown, sending/overrides, sending/sound
test('a push sets the app badge and notification options; without the Badging API it is shown all the same', async () => {
  const badges: (number | string)[] = []
  const giveBadging = (value: string) =>
    worker.evaluate(`badges = []; Object.defineProperty(navigator, 'setAppBadge', { value: ${value}, configurable: true })`)
  const shownWith = async (badge: number) => {
    const overrides = { web: { requireInteraction: true, renotify: true, lang: 'de' } }
    const entry = { title: `Badge ${badge}`, body: 'with options' }
    const { campaignId, payload } = await payloadOf(entry, { presentation: { badge, sound: 'none' }, overrides })
    await deliver(JSON.stringify(payload))
    await counted(campaignId, { delivered: 1 })
    const found = await worker.evaluate(`(async () => {
      const one = (await registration.getNotifications()).find(({ title }) => title === '${entry.title}')
      return one && { body: one.body, silent: one.silent, requireInteraction: one.requireInteraction, renotify: one.renotify, lang: one.lang }
    })()`)
    expect(found).toEqual({ body: entry.body, silent: true, requireInteraction: true, renotify: true, lang: 'de' })
    badges.push(...(await worker.evaluate<number[]>('badges')))
  }
  await giveBadging('async (count) => void badges.push(count)')
  await shownWith(3)
  await giveBadging('async (count) => void badges.push(count)')
  await shownWith(0)
  await giveBadging('undefined')
  await shownWith(4)
  await giveBadging('() => Promise.reject(new Error("not installed"))')
  await shownWith(5)
  expect(badges).toEqual([3, 0])
  await worker.evaluate('(async () => { for (const one of await registration.getNotifications()) one.close() })()')
  expect(watched.faults).toEqual([])
})

// spec: web/shown
test("a push without data, an unreadable one and another sender's are left to the site's own handler", async () => {
  const before = reports.length
  for (const data of ['', 'this is no JSON', 'null', JSON.stringify({ title: 'of another sender' })]) {
    const count = await worker.evaluate<number>('ours.length')
    // On a busy machine DevTools once lost a push that it had taken, so it is handed over again.
    let deliveredAt = Number.NEGATIVE_INFINITY
    const isHeard = async () => {
      if (performance.now() - deliveredAt > 10_000) {
        deliveredAt = performance.now()
        await deliver(data)
      }
      return (await worker.evaluate<number>('ours.length')) > count
    }
    await until(isHeard, { what: 'the own handler' })
    expect([data, await worker.evaluate('ours.at(-1)')]).toEqual([data, false])
  }
  expect(await shown()).toEqual([])
  expect(reports.length).toBe(before)
})

// spec: web/foreground
test('while a page of the site is visible it may show a push itself, which counts as delivered', async () => {
  await page.evaluate(
    `herald.on('push', (event) => { if (event.title === 'In the page') { document.title = event.title; event.preventDefault() } })`,
  )
  const inPage = await payloadOf({ title: 'In the page', body: 'as a toast' })
  await deliver(JSON.stringify(inPage.payload))
  await counted(inPage.campaignId, { delivered: 1 })
  expect([await page.title(), await shown()]).toEqual(['In the page', []])
  const other = await payloadOf({ title: 'As a notification', body: 'as always' })
  await deliver(JSON.stringify(other.payload))
  await counted(other.campaignId, { delivered: 1 })
  expect(await shown()).toMatchObject([{ title: 'As a notification' }])
  await worker.evaluate('(async () => { for (const one of await registration.getNotifications()) one.close() })()')
})

// spec: web/gesture
test("without a user's click the SDK does not ask for permission, and the SDK says when notifications are blocked", async () => {
  for (const [permission, code] of [
    ['default', 'gesture_required'],
    ['denied', 'permission_denied'],
  ]) {
    const strict = await (await openChromium()).newPage()
    const strictlyWatched = watch(strict, { origins: [herald.baseUrl] })
    await strict.addInitScript(`Object.defineProperty(Notification, 'permission', { value: '${permission}' })`)
    await strict.goto(site.origin)
    // The page's own `evaluate` counts as a click of a user, so the DevTools protocol evaluates here.
    const protocol = await strict.context().newCDPSession(strict)
    const run = async (expression: string) =>
      (await protocol.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true, userGesture: false })).result
        .value as unknown
    await run(`window.herald = Herald.init({ baseUrl: '${herald.baseUrl}', appKey: '${tenant.publicKey}' }); herald.ready.then(() => null)`)
    expect(await run("herald.subscribe().then(() => 'done', (error) => error.code)")).toBe(code)
    expect(strictlyWatched.faults).toEqual([])
  }
})
