import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { clickAlert, shownAlerts } from './alerts.ts'
import { ask, openShop, stateIs, subscribe, type Shop } from './shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})

test('a click subscribes a browser, and its push is decrypted, shown, counted as delivered, and led by a click into the page', async () => {
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
