import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import type { Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { clickAlert, shownAlerts } from './alerts.ts'
import { startAutopush } from './autopush.ts'
import { openFirefox } from './browsers.ts'
import { startExampleShop } from '../example-shop.ts'
import { startPlatform } from '../platform.ts'
import { buildWebSdk } from './site.ts'
import { watch } from './watch.ts'

let herald: Herald
let tenant: Tenant

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'herald-shop-sdk-'))
  atEnd(() => rmSync(directory, { recursive: true, force: true }))
  for (const [name, text] of buildWebSdk()) writeFileSync(join(directory, name), text)
  herald = await startPlatform({ WEB_SDK_DIR: directory })
  tenant = await givenTenant(herald)
})

test('in the example shop a customer subscribes with a click, orders, and opens the order from the notification', async () => {
  const [shop, autopush] = await Promise.all([startExampleShop(herald, tenant), startAutopush(herald.dataDir)])
  const browser = await openFirefox({ pushService: autopush.url })
  const page = await browser.newPage()
  const watched = watch(page, { origins: [herald.baseUrl] })
  await page.goto(shop)
  const textOf = (id: string) => page.$eval(`#${id}`, (element) => element.textContent)

  await page.waitForSelector('#subscribe:not([disabled])')
  await page.click('#subscribe')
  await until(async () => (await textOf('state')) === 'You hear of your orders here.', { what: 'the page says that it is subscribed' })
  const whose = async () => (await tenant.call('GET', '/v1/users/by-external-id/customer-7')).status
  await until(async () => (await whose()) === 200, { what: 'the browser belongs to the customer' })

  await page.click('form button')
  await until(async () => (await shownAlerts(browser)).length === 1, { what: 'the notification' })
  expect(await shownAlerts(browser)).toEqual([{ title: 'Thank you', body: 'Your teapot is on its way' }])
  await clickAlert(browser, 'Thank you')

  await until(async () => page.url().startsWith(`${shop}/?order=`), { what: 'the page of the order' })
  expect(watched.faults).toEqual([])
})
