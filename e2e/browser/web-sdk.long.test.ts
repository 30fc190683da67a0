import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { clickAlert, shownAlerts } from './alerts.ts'
import { identityToken } from './identity.ts'
import { ask, openShop, stateIs, subscribe, type Shop } from './shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})

// spec: web/reports, web/click, tracking/report
test('a page subscribes; a push is decrypted, shown and counted as delivered, a click as opened and clicked', async () => {
  const { page, watched } = await shop.open()
  expect(await ask(page, 'herald.state()')).toMatchObject({ supported: true, subscribed: false, optedIn: true, loggedIn: false })

  const { subscriptionId } = await subscribe(page, "{ tags: { plan: 'pro' } }")
  const { device, user } = await shop.device(subscriptionId)
  expect(device).toMatchObject({ platform: 'web', optedIn: true, browser: 'Firefox', standalone: false })
  expect(user).toMatchObject({ tags: { plan: 'pro' }, language: 'en-US' })

  const campaignId = await shop.send(subscriptionId, {
    title: 'Your {{ tags.plan }} order',
    body: 'is on its way',
    url: `${shop.site.origin}/orders/17`,
  })
  await until(async () => (await shownAlerts(shop.browser)).length === 1, { what: 'the notification' })
  expect(await shownAlerts(shop.browser)).toEqual([{ title: 'Your pro order', body: 'is on its way' }])
  await shop.counted(campaignId, { sent: 1, delivered: 1, opened: 0, clicked: 0, dismissed: 0 })
  expect(await ask(page, "heard.filter(({ name }) => name === 'push').map(({ event }) => event.title)")).toEqual(['Your pro order'])

  await ask(page, "herald.on('click', (event) => heard.push({ name: 'click', event })) && null")
  await clickAlert(shop.browser, 'Your pro order')
  await shop.counted(campaignId, { delivered: 1, opened: 1, clicked: 1, dismissed: 0 })
  expect(await ask(page, "heard.filter(({ name }) => name === 'click').map(({ event }) => event.url)")).toEqual([
    `${shop.site.origin}/orders/17`,
  ])
  expect(page.url()).toBe(`${shop.site.origin}/`)
  expect(watched.faults).toEqual([])
  await page.close()
})

// spec: web/reports
test('a push replaced by one with its collapse id counts no dismissal; closing the last one does', async () => {
  const { page, watched } = await shop.open()
  const { subscriptionId } = await subscribe(page)
  const first = await shop.send(subscriptionId, { title: 'Score 1:0', body: 'Half-time' }, { collapseId: 'match-3' })
  await shop.counted(first, { delivered: 1 })
  const second = await shop.send(subscriptionId, { title: 'Score 2:0', body: 'Full-time' }, { collapseId: 'match-3' })
  await shop.counted(second, { delivered: 1 })
  expect(await shownAlerts(shop.browser)).toEqual([{ title: 'Score 2:0', body: 'Full-time' }])

  await clickAlert(shop.browser, 'Score 2:0', 'close')
  await shop.counted(second, { dismissed: 1, opened: 0 })
  await shop.counted(first, { dismissed: 0, opened: 0 })
  expect(watched.faults).toEqual([])
  await page.close()
})

// spec: web/stays-subscribed, identity/rotate
test('when the push service forgets a browser, the browser subscribes again and stays the same device', async () => {
  const { page, watched } = await shop.open()
  const { subscriptionId } = await subscribe(page)
  const before = (await shop.device(subscriptionId)).device['endpoint']

  shop.autopush.forgetBrowsers()
  await until(async () => (await shop.device(subscriptionId)).device['endpoint'] !== before, { what: 'a new endpoint at Herald' })

  const campaignId = await shop.send(subscriptionId, { title: 'Still there', body: 'with a new endpoint' })
  await shop.counted(campaignId, { sent: 1, delivered: 1 })
  await clickAlert(shop.browser, 'Still there')
  await shop.counted(campaignId, { opened: 1, clicked: 0 })
  expect(watched.faults).toEqual([])
  await page.close()
})

// spec: web/stays-subscribed, identity/web-push-key
test('when the app has a new VAPID key, a page opened a day later subscribes again as the same device', async () => {
  const { page } = await shop.open()
  const { subscriptionId } = await subscribe(page)
  const before = (await shop.device(subscriptionId)).device['endpoint']
  await page.close()
  await shop.tenant.admin('DELETE', '/providers/webpush')
  await shop.tenant.admin('PUT', '/providers/webpush', { subject: 'mailto:e2e@example.org' })

  const { page: later, watched } = await shop.open({ before: tomorrow })
  await stateIs(later, { subscribed: true, waiting: 0 })
  await until(async () => (await shop.device(subscriptionId)).device['endpoint'] !== before, { what: 'a new endpoint at Herald' })
  expect((await ask(later, 'herald.state()')).subscriptionId).toBe(subscriptionId)

  const campaignId = await shop.send(subscriptionId, { title: 'New key', body: 'old friends' })
  await shop.counted(campaignId, { sent: 1, delivered: 1 })
  expect(watched.faults).toEqual([])
  await later.close()
})

/** Moves the page's clock 25 hours ahead. */
const tomorrow = 'const now = Date.now.bind(Date); Date.now = () => now() + 90_000_000'

// spec: web/quiet, identity/verification
test('a user logs in and out, a repeated login makes no second request, and a refused identity token changes nothing', async () => {
  const { page, watched } = await shop.open({ init: 'identityToken: (id) => window.tokens[id],', expected: /403/ })
  await page.evaluate('window.tokens = {}')
  const { subscriptionId } = await subscribe(page)
  expect(await ask(page, "herald.login('customer-7')")).toMatchObject({ loggedIn: true, waiting: 0 })
  expect((await shop.device(subscriptionId)).user['externalId']).toBe('customer-7')
  const calls = () => watched.requests.filter((url) => url.endsWith('/login')).length
  const made = calls()
  expect(await ask(page, "herald.login('customer-7')")).toMatchObject({ loggedIn: true })
  expect(calls()).toBe(made)
  expect(await ask(page, 'herald.logout()')).toMatchObject({ loggedIn: false, waiting: 0 })
  expect((await shop.device(subscriptionId)).user['externalId']).toBeUndefined()

  const { secret } = (await shop.tenant.admin<{ secret: string }>('POST', '/identity-secret')).body
  await shop.tenant.admin('PATCH', '', { settings: { identityVerification: 'required' } })
  await page.evaluate(`tokens['customer-7'] = '${identityToken('another secret', 'customer-7')}'`)
  const refused = await ask<{ error: Record<string, unknown> }>(page, "herald.login('customer-7')")
  expect(refused.error).toMatchObject({ isHeraldError: true, code: 'forbidden', status: 403, requestId: expect.any(String) })
  expect(await ask(page, 'herald.state()')).toMatchObject({ loggedIn: false, waiting: 0, lastError: { code: 'forbidden' } })

  await page.evaluate(`tokens['customer-7'] = '${identityToken(secret, 'customer-7')}'`)
  expect(await ask(page, "herald.login('customer-7')")).toMatchObject({ loggedIn: true })
  expect((await shop.device(subscriptionId)).user['externalId']).toBe('customer-7')
  await shop.tenant.admin('PATCH', '', { settings: { identityVerification: 'off' } })
  await ask(page, 'herald.logout()')
  expect(watched.faults).toEqual([])
  await page.close()
})

// spec: web/opt-out-stays
test('a user who opted out stays opted out after a restart, a week later, and when the page subscribes again', async () => {
  const first = await shop.open()
  const { subscriptionId } = await subscribe(first.page)
  expect(await ask(first.page, 'herald.optOut()')).toMatchObject({ optedIn: false, waiting: 0 })
  expect((await shop.device(subscriptionId)).device['optedIn']).toBe(false)
  await shop.restart()

  const { page, watched } = await shop.open({ before: 'const now = Date.now.bind(Date); Date.now = () => now() + 8 * 86_400_000' })
  await ask(page, 'herald.ready')
  await until(() => watched.requests.some((url) => url.endsWith('/session')), { what: 'the start is over' })
  expect(await ask(page, 'herald.state()')).toMatchObject({ optedIn: false, subscribed: true })
  expect(await ask(page, 'herald.subscribe()')).toMatchObject({ error: { code: 'opted_out' } })
  expect(watched.requests.filter((url) => url.endsWith('/v1/subscriptions'))).toEqual([])
  expect((await shop.device(subscriptionId)).device['optedIn']).toBe(false)

  expect(await ask(page, 'herald.optIn()')).toMatchObject({ optedIn: true, waiting: 0, subscriptionId })
  expect((await shop.device(subscriptionId)).device['optedIn']).toBe(true)
  expect(watched.faults).toEqual([])
  await page.close()
})

test('unsubscribing removes the device in Herald and the subscription in the browser', async () => {
  const { page, watched } = await shop.open()
  const { subscriptionId } = await subscribe(page)
  const before = shop.autopush.channels()
  expect(await ask(page, 'herald.unsubscribe()')).toMatchObject({ subscribed: false, waiting: 0 })
  await until(() => shop.autopush.channels() < before, { what: 'the push service has one subscription less' })
  await expect(shop.device(subscriptionId)).rejects.toThrow('no device')
  expect(watched.faults).toEqual([])
  await page.close()
})
