import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { until } from '@herald/testing/until'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { clickAlert, shownAlerts } from '../alerts.ts'
import { startDoor, type Door } from '../gateway-door.ts'
import { ask, openShop, stateIs, subscribe, type Shop } from '../shop.ts'

let shop: Shop
let door: Door

beforeAll(async () => {
  shop = await openShop()
  door = await startDoor(shop.herald.baseUrl)
})

beforeEach(() => door.open())

/** Options with which the page talks to Herald through the door (gateway-door.ts), which a test can shut. */
const throughDoor = () => ({ init: `baseUrl: '${door.url}', vapidPublicKey: '${shop.tenant.vapidPublicKey}',`, origins: [door.url] })

/** Opens a page, runs `work` on it, and removes the page's device afterwards, so that the next test begins without a device. */
async function onPage(options: Parameters<Shop['open']>[0], work: (page: Awaited<ReturnType<Shop['open']>>['page']) => Promise<void>) {
  const { page, watched } = await shop.open(options)
  await work(page)
  await door.open()
  await ask(page, 'herald.optIn()')
  await ask(page, 'herald.logout()')
  await ask(page, 'herald.unsubscribe()')
  await stateIs(page, { subscribed: false, waiting: 0 })
  expect(watched.faults).toEqual([])
  await page.close()
}

/** Waits until exactly these notifications are shown, because a notification stays for a moment after it was closed. */
const shows = (wanted: { title: string; body: string }[]) =>
  until(async () => isDeepStrictEqual(await shownAlerts(shop.browser), wanted), { what: `the notifications ${JSON.stringify(wanted)}` })

const requestsTo = (watched: { requests: string[] }, end: RegExp) => watched.requests.filter((url) => end.test(url))

for (const [how, before] of [
  ['refuses', "Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('no', 'SecurityError') } })"],
  ['never answers', 'IDBFactory.prototype.open = () => ({})'],
] as const) {
  // spec: web/storage
  test(`when the browser's storage ${how}, subscribing, a login and an opt-out hold in the next page, and undo`, async () => {
    const { page } = await shop.open({ before })
    const { subscriptionId } = await subscribe(page, "{ tags: { plan: 'pro' } }")
    expect(await ask(page, "herald.login('customer-8')")).toMatchObject({ loggedIn: true, waiting: 0 })
    expect(await ask(page, 'herald.optOut()')).toMatchObject({ optedIn: false, waiting: 0 })
    await page.close()

    const { page: again, watched } = await shop.open({ before })
    await stateIs(again, { subscribed: true, subscriptionId })
    const { device, user } = await shop.device(subscriptionId)
    expect([device['optedIn'], user['externalId']]).toEqual([false, 'customer-8'])
    expect(requestsTo(watched, /\/v1\/subscriptions$/)).toEqual([])

    await ask(again, 'herald.logout()')
    expect((await shop.device(subscriptionId)).user['externalId']).toBeUndefined()
    await ask(again, 'herald.optIn()')
    expect((await shop.device(subscriptionId)).device['optedIn']).toBe(true)
    expect(await ask(again, 'herald.unsubscribe()')).toMatchObject({ subscribed: false })
    expect(watched.faults).toEqual([])
    await again.close()
  })
}

// spec: web/changes-wait
test('when Herald is away at the start, what the page does meanwhile is sent when Herald is back', async () => {
  await door.shut()
  await onPage(throughDoor(), async (page) => {
    await ask(page, "herald.login('customer-9')")
    await ask(page, 'herald.ready')
    const state = await ask(page, "herald.subscribe({ tags: { plan: 'pro', trial: true } })")
    expect(state).toMatchObject({ subscribed: true, lastError: { code: 'network', status: 0 } })
    expect(state.subscriptionId).toBeUndefined()
    await ask(page, 'herald.setTags({ trial: null })')
    expect((await ask(page, 'herald.state()')).waiting).toBeGreaterThanOrEqual(3)

    await door.open()
    const { subscriptionId } = await stateIs(page, { waiting: 0, loggedIn: true })
    expect((await shop.device(String(subscriptionId))).user).toMatchObject({ externalId: 'customer-9', tags: { plan: 'pro' } })
  })
})

test('a page that does not know the VAPID key becomes ready when Herald is back', async () => {
  await door.shut()
  // In a new scope the page has stored no key.
  await onPage({ init: `baseUrl: '${door.url}', scope: '/fresh/',`, origins: [door.url] }, async (page) => {
    await page.evaluate('void herald.ready.then(() => (window.isReady = true))')
    await until(async () => (await ask(page, 'herald.state()')).lastError?.code === 'network', { what: 'the failure is seen' })
    expect(await page.evaluate('window.isReady')).toBeUndefined()
    expect(await ask(page, 'herald.subscribe()')).toMatchObject({ error: { code: 'not_ready', isHeraldError: true } })
    await door.open()
    await until(() => page.evaluate('window.isReady'), { what: 'ready' })
    await subscribe(page)
  })
})

// spec: web/opt-out-stays, web/changes-wait
test('an opt-out while Herald is away survives a restart of the browser and reaches Herald afterwards', async () => {
  const { page } = await shop.open(throughDoor())
  const { subscriptionId } = await subscribe(page)
  await door.shut()
  expect(await ask(page, 'herald.optOut()')).toMatchObject({ optedIn: false, waiting: 1 })
  await shop.restart()
  await door.open()
  await onPage(throughDoor(), async (page) => {
    await stateIs(page, { waiting: 0, optedIn: false })
    expect((await shop.device(subscriptionId)).device['optedIn']).toBe(false)
  })
})

// spec: web/shown
test('after a logout that Herald has not confirmed, a push shows only the name of the site', async () => {
  await onPage(throughDoor(), async (page) => {
    const { subscriptionId } = await subscribe(page)
    await ask(page, "herald.login('customer-10')")
    await door.shut()
    expect(await ask(page, 'herald.logout()')).toMatchObject({ waiting: 1 })
    const secret = await shop.send(subscriptionId, { title: 'Your test results', body: 'are here' })
    await shop.counted(secret, { sent: 1 })
    await shows([{ title: 'localhost', body: '' }])
    await clickAlert(shop.browser, 'localhost', 'close')

    await door.open()
    await stateIs(page, { waiting: 0, loggedIn: false })
    const open = await shop.send(subscriptionId, { title: 'For everybody', body: 'again' })
    await shop.counted(open, { delivered: 1 })
    await shows([{ title: 'For everybody', body: 'again' }])
    await clickAlert(shop.browser, 'For everybody', 'close')
    await shop.counted(secret, { delivered: 0, opened: 0, dismissed: 0 })
  })
})

// spec: web/reports
test('a report that does not reach Herald is sent again with the next push', async () => {
  await onPage(throughDoor(), async (page) => {
    const { subscriptionId } = await subscribe(page)
    await door.shut()
    const first = await shop.send(subscriptionId, { title: 'One', body: 'unreported' })
    await until(async () => (await shownAlerts(shop.browser)).length === 1, { what: 'a notification' })
    await clickAlert(shop.browser, 'One', 'close')
    await door.open()
    const second = await shop.send(subscriptionId, { title: 'Two', body: 'reported' })
    await shop.counted(second, { delivered: 1 })
    await shop.counted(first, { delivered: 1, dismissed: 1 })
    expect(await shownAlerts(shop.browser)).toEqual([{ title: 'Two', body: 'reported' }])
    await clickAlert(shop.browser, 'Two', 'close')
  })
})

// spec: web/one-browser
test('two tabs are one device: each knows what happened in the other, and all changes at once reach Herald', async () => {
  const [one, other] = [await shop.open(), await shop.open()]
  const { subscriptionId } = await subscribe(one.page)
  expect(await stateIs(other.page, { subscribed: true })).toMatchObject({ subscriptionId })
  await Promise.all([
    ...Array.from({ length: 5 }, (_, n) => ask(one.page, `herald.setTags({ one${n}: ${n} })`)),
    ...Array.from({ length: 5 }, (_, n) => ask(other.page, `herald.setTags({ other${n}: ${n} })`)),
    ask(one.page, "herald.login('customer-11')"),
    ask(other.page, "herald.login('customer-11')"),
  ])
  for (const { page } of [one, other]) await stateIs(page, { waiting: 0, loggedIn: true })
  const { user } = await shop.device(subscriptionId)
  expect(Object.keys(user['tags'] as object)).toHaveLength(10)
  expect(user['externalId']).toBe('customer-11')

  await ask(one.page, 'herald.optOut()')
  await stateIs(other.page, { optedIn: false, waiting: 0 })
  await ask(other.page, 'herald.optIn()')
  await ask(other.page, 'herald.logout()')
  await ask(other.page, 'herald.unsubscribe()')
  await stateIs(one.page, { subscribed: false, loggedIn: false })
  expect([...one.watched.faults, ...other.watched.faults]).toEqual([])
  await Promise.all([one.page.close(), other.page.close()])
})

/** A site's own service worker that also starts Herald. It takes control at once, serves a file from a cache, and has a push handler of its own. */
const ownWorker = (version: number) => `
importScripts('/herald/worker.iife.js')
Herald.start({ show: () => ({ requireInteraction: true }) })
addEventListener('install', (event) => { skipWaiting(); event.waitUntil(caches.open('v${version}').then((cache) => cache.put('/cached', new Response('cached ${version}')))) })
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => { if (new URL(event.request.url).pathname === '/cached') event.respondWith(caches.match('/cached')) })
addEventListener('push', (event) => { if (!Herald.isOurs(event)) event.waitUntil(registration.showNotification('own handler')) })
`

// spec: web/shown
test('with a site’s own service worker, updated in between, each push shows once and no page reloads', async () => {
  shop.site.files.set('/own/sw.js', ownWorker(1))
  const register = `registration: window.own,`
  const { page, watched } = await shop.open({
    path: '/own/',
    before: "window.registering = navigator.serviceWorker?.register('/own/sw.js')",
    prepare: 'window.own = await window.registering',
    init: register,
  })
  const { subscriptionId } = await subscribe(page)
  expect(await page.evaluate("fetch('/cached').then((answer) => answer.text())")).toBe('cached 1')
  const first = await shop.send(subscriptionId, { title: 'Version 1', body: 'shown once' })
  await shop.counted(first, { delivered: 1 })
  await shows([{ title: 'Version 1', body: 'shown once' }])
  await clickAlert(shop.browser, 'Version 1', 'close')
  await shop.counted(first, { dismissed: 1 })

  shop.site.files.set('/own/sw.js', ownWorker(2))
  await page.evaluate('own.update()')
  await until(() => page.evaluate("caches.has('v2')"), { what: 'the new worker' })
  const second = await shop.send(subscriptionId, { title: 'Version 2', body: 'shown once' })
  await shop.counted(second, { delivered: 1 })
  await shows([{ title: 'Version 2', body: 'shown once' }])
  await clickAlert(shop.browser, 'Version 2', 'close')
  expect(requestsTo(watched, /\/own\/$/)).toHaveLength(1)
  await ask(page, 'herald.unsubscribe()')
  expect(watched.faults).toEqual([])
  await page.close()
})

// spec: web/click
test('a click on a notification opens its address in the open page, else in a new one', async () => {
  const { page, watched } = await shop.open({ path: '/elsewhere' })
  const { subscriptionId } = await subscribe(page)
  // The worker controls only pages that are opened after it was installed.
  await page.goto(`${shop.site.origin}/elsewhere`)
  const url = (place: string) => `${shop.site.origin}/${place}`
  const first = await shop.send(subscriptionId, { title: 'There', body: 'by the open page', url: url('there') })
  await shop.counted(first, { delivered: 1 })
  await clickAlert(shop.browser, 'There')
  await until(() => page.url() === url('there'), { what: 'the page is at the address' })
  await shop.counted(first, { opened: 1, clicked: 1 })
  expect(watched.faults).toEqual([])

  await page.goto('about:blank')
  const second = await shop.send(subscriptionId, { title: 'New', body: 'by a new page', url: url('new') })
  await shop.counted(second, { delivered: 1 })
  await clickAlert(shop.browser, 'New')
  await until(async () => (await shop.browser.pages()).some((one) => one.url() === url('new')), { what: 'a new page at the address' })
  await shop.counted(second, { opened: 1, clicked: 1 })
  await onPage({}, async () => undefined)
})

// spec: web/removed
test('a device that was removed in Herald is registered again, as a new device, when the page next changes something', async () => {
  await onPage({}, async (page) => {
    const { subscriptionId } = await subscribe(page)
    await shop.tenant.call('DELETE', `/v1/subscriptions/${subscriptionId}`)
    expect(await ask(page, "herald.setTags({ plan: 'free' })")).toMatchObject({ subscribed: true, waiting: 0 })
    const { subscriptionId: made } = await ask(page, 'herald.state()')
    expect(made).not.toBe(subscriptionId)
    expect((await shop.device(String(made))).user).toMatchObject({ tags: { plan: 'free' } })
  })
})

// spec: web/quiet, web/private
test('a day with three page loads an hour costs one registration and login, no foreign request or leaking log', async () => {
  const startedAt = Date.now()
  const { page: first, watched: begun } = await shop.open()
  const { subscriptionId } = await subscribe(first)
  await ask(first, "herald.login('planted-external-id')")
  const endpoint = String((await shop.device(subscriptionId)).device['endpoint'])
  await first.close()
  const requests = [...begun.requests]
  const faults = [...begun.faults]
  for (let n = 1; n <= 72; n += 1) {
    const { page, watched } = await shop.open({
      before: `const at = ${startedAt + n * 20 * 60_000} - Date.now(); const now = Date.now.bind(Date); Date.now = () => now() + at`,
    })
    await ask(page, 'herald.ready')
    await ask(page, "herald.login('planted-external-id')")
    await ask(page, "herald.setTags({ 'bad tag': 1 })").then((refused) =>
      expect(JSON.stringify(refused)).not.toMatch(/planted-external-id|wpush/),
    )
    expect(await page.evaluate("heard.filter(({ name }) => name === 'error').length")).toBe(0)
    await page.close()
    requests.push(...watched.requests)
    faults.push(...watched.faults.filter((line) => !/422/.test(line)))
  }
  const count = (end: RegExp) => requests.filter((url) => end.test(url)).length
  expect(faults).toEqual([])
  expect(count(/\/v1\/subscriptions$/)).toBeLessThanOrEqual(1)
  expect(count(/\/login$/)).toBe(1)
  expect(count(/\/session$/)).toBeLessThanOrEqual(48)
  expect(count(/web-push-key$/)).toBeLessThanOrEqual(2)
  expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([shop.site.origin, shop.herald.baseUrl]))

  const secrets = ['planted-external-id', endpoint.slice(-36)]
  for (const name of readdirSync(join(shop.herald.dataDir, 'logs'))) {
    const log = readFileSync(join(shop.herald.dataDir, 'logs', name), 'utf8')
    for (const secret of secrets) expect([name, log.includes(secret)]).toEqual([name, false])
  }
})
