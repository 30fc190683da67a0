import { until } from '@herald/testing/until'
import { generateVAPIDKeys } from 'web-push'
import { beforeAll, expect, test } from 'vitest'
import { shownAlerts, clickAlert } from './alerts.ts'
import { ask, openShop, stateIs, type Shop } from './shop.ts'

// A site moves to Herald while its visitors' browsers have the worker of another push service, in Firefox.

let shop: Shop
beforeAll(async () => void (shop = await openShop()))

const { publicKey: theirKey } = generateVAPIDKeys()
const ours = `importScripts('/herald/worker.iife.js'); Herald.start({ show: () => ({ requireInteraction: true }) })`
/** The worker of another push service. It says its name to whoever asks. */
const theirs = (name: string, more = '') => `
addEventListener('push', (event) => event.waitUntil(registration.showNotification('shown by ' + ${JSON.stringify(name)})))
addEventListener('message', ({ data, ports }) => data === 'name' && ports[0].postMessage(${JSON.stringify(name)}))
${more}`
const claims = `addEventListener('activate', (event) => event.waitUntil(clients.claim()))`

/** Gives what a page runs to get a worker into its folder, and when it asks to, a subscription with the other service's key. */
const visit = (file: string, key?: string) => `(async () => {
  const registration = await navigator.serviceWorker.register('${file}')
  while (!registration.active) await new Promise((done) => setTimeout(done, 20))
  ${key === undefined ? 'return null' : `return (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: '${key}' })).toJSON()`}
})()`
/** Asks the active worker of the page's folder for its name; null when it gives none within half a second. */
const nameOfActive = `navigator.serviceWorker.getRegistration().then(({ active }) => new Promise((tell) => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }) => tell(data)
  setTimeout(tell, 500, null)
  active.postMessage('name', [port2])
}))`
async function openTab(folder: string) {
  const tab = await shop.browser.newPage()
  await tab.goto(`${shop.site.origin}${folder}`)
  return tab
}
async function isShownAndCounted(subscriptionId: string, title: string): Promise<void> {
  const campaignId = await shop.send(subscriptionId, { title, body: 'the first push of Herald' })
  await shop.counted(campaignId, { sent: 1, delivered: 1 })
  await until(async () => (await shownAlerts(shop.browser)).length === 1, { what: 'the notification' })
  expect(await shownAlerts(shop.browser)).toEqual([{ title, body: 'the first push of Herald' }])
  await clickAlert(shop.browser, title, 'close')
}

// spec: web/take-over
test.each([
  ['that claims its pages', 'claims', claims],
  ['that claims no page', 'quiet', ''],
])('a browser with another push service’s worker %s gets Herald’s first push on its first visit, unasked', async (_, name, more) => {
  const folder = `/${name}/`
  shop.site.files.set(`${folder}theirs.js`, theirs(name, more)).set(`${folder}herald-sw.js`, ours)
  const tabs = [await openTab(folder), await openTab(folder)]
  expect(await tabs[0]?.evaluate(visit(`${folder}theirs.js`, theirKey))).toMatchObject({ endpoint: expect.any(String) })

  const { page, watched } = await shop.open({ path: folder, init: `workerUrl: '${folder}herald-sw.js',` })
  // The browser is subscribed a moment before Herald knows it.
  const subscriptionId = await until(async () => (await ask(page, 'herald.state()')).subscriptionId, { what: 'the device at Herald' })
  expect(await ask(page, 'herald.state()')).toMatchObject({ subscribed: true, worker: 'active', waiting: 0 })
  await isShownAndCounted(subscriptionId, `Hello ${name}`)
  expect(watched.faults).toEqual([])
  await Promise.all([page, ...tabs].map((tab) => tab.close()))
})

// spec: web/take-over
test('a browser that an import has brought keeps its user, and one that has opted out stays opted out', async () => {
  const folder = '/imported/'
  shop.site.files.set(`${folder}theirs.js`, theirs('imported')).set(`${folder}herald-sw.js`, ours)
  const old = await openTab(folder)
  const { endpoint, keys } = (await old.evaluate(visit(`${folder}theirs.js`, theirKey))) as { endpoint: string; keys: object }
  const { body } = await shop.tenant.call<{ id: string }>('POST', '/v1/subscriptions', { platform: 'web', endpoint, keys })
  await shop.tenant.call('POST', `/v1/subscriptions/${body.id}/login`, { externalId: 'customer-7' })
  await shop.tenant.call('PATCH', `/v1/subscriptions/${body.id}`, { optedIn: false })

  const { page } = await shop.open({ path: folder, init: `workerUrl: '${folder}herald-sw.js',` })
  await stateIs(page, { subscribed: true, worker: 'active', subscriptionId: body.id })
  const { device, user } = await shop.device(body.id)
  expect(user['externalId']).toBe('customer-7')
  expect(device['optedIn']).toBe(false)
  expect(device['endpoint']).not.toBe(endpoint)
  await Promise.all([page.close(), old.close()])
})

// spec: web/take-over
test('another push service’s worker without a subscription gives way too, and the page asks nothing by itself', async () => {
  const folder = '/unasked/'
  shop.site.files.set(`${folder}theirs.js`, theirs('unasked')).set(`${folder}herald-sw.js`, ours)
  const old = await openTab(folder)
  await old.evaluate(visit(`${folder}theirs.js`))
  const { page } = await shop.open({ path: folder, init: `workerUrl: '${folder}herald-sw.js',` })
  expect(await ask(page, 'herald.ready')).toMatchObject({ worker: 'active', subscribed: false })
  const { subscriptionId = '' } = await ask(page, 'herald.subscribe()')
  await isShownAndCounted(subscriptionId, 'Hello unasked')
  await Promise.all([page.close(), old.close()])
})

// spec: web/take-over
test('a site’s new worker with Herald in it is not hurried: ready waits, and pages keep the old', async () => {
  const folder = '/own/'
  shop.site.files.set(`${folder}sw.js`, theirs('version 1'))
  const old = await openTab(folder)
  await old.evaluate(visit(`${folder}sw.js`))
  await old.reload()
  shop.site.files.set(`${folder}sw.js`, `${ours}\n${theirs('version 2').replace(/addEventListener\('push'.*/, '')}`)

  const { page } = await shop.open({ path: folder, init: `workerUrl: '${folder}sw.js',` })
  await stateIs(page, { worker: 'waiting', subscribed: false })
  expect(await ask(page, 'herald.subscribe()')).toMatchObject({ error: { code: 'not_ready' } })
  expect(await page.evaluate(nameOfActive)).toBe('version 1')
  expect(await page.evaluate(`navigator.serviceWorker.getRegistration().then(({ waiting }) => waiting !== null)`)).toBe(true)
  await Promise.all([page.close(), old.close()])

  const { page: later } = await shop.open({ path: folder, init: `workerUrl: '${folder}sw.js',` })
  expect(await ask(later, 'herald.ready')).toMatchObject({ worker: 'active' })
  expect(await later.evaluate(nameOfActive)).toBe('version 2')
  const { subscriptionId = '' } = await ask(later, 'herald.subscribe()')
  await isShownAndCounted(subscriptionId, 'Hello own')

  // The next version waits its turn as well, and the page is ready with the one that is active.
  shop.site.files.set(`${folder}sw.js`, `${ours}\n${theirs('version 3').replace(/addEventListener\('push'.*/, '')}`)
  const { page: last } = await shop.open({ path: folder, init: `workerUrl: '${folder}sw.js',` })
  expect(await ask(last, 'herald.ready')).toMatchObject({ worker: 'active', subscribed: true })
  await last.evaluate('navigator.serviceWorker.getRegistration().then((one) => one.update()).then(() => null)')
  await until(() => last.evaluate(`navigator.serviceWorker.getRegistration().then(({ waiting }) => waiting !== null)`), {
    what: 'version 3',
  })
  expect(await last.evaluate(nameOfActive)).toBe('version 2')
  await Promise.all([later.close(), last.close()])
})

// spec: web/private
test('an app without Web Push credentials and a missing worker are said once in the console and in the state', async () => {
  await shop.tenant.admin('DELETE', '/providers/webpush')
  const { page, watched } = await shop.open({ path: '/bare/' })
  await until(async () => (await ask(page, 'herald.state()')).lastError?.status === 404, { what: 'the error' })
  await page.evaluate("dispatchEvent(new Event('online'))")
  await page.evaluate("dispatchEvent(new Event('online'))")
  expect(await ask(page, 'herald.subscribe().catch((error) => [error.code, error.cause?.status])')).toEqual(['not_ready', 404])
  expect(watched.faults.filter((line) => line.startsWith('console warn'))).toHaveLength(1)
  await page.close()
  const { page: without } = await shop.open({ path: '/none/', init: `workerUrl: '/none/sw.js',` })
  await until(async () => (await ask(without, 'herald.state()')).lastError?.code === 'worker_failed', { what: 'the error' })
  await without.close()
})
