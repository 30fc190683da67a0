import { givenTenant, type Tenant } from '@herald/testing/tenant'
import type { Herald } from '@herald/testing/herald'
import { until } from '@herald/testing/until'
import axe from 'axe-core'
import type { Browser, Page } from 'puppeteer-core'
import { beforeAll, expect, test } from 'vitest'
import { givenDevices, untilSettled } from '../tests/campaigns.ts'
import { sharedPlatform } from '../platform.ts'
import { openFirefox } from './browsers.ts'
import { signInLink } from './dashboard.ts'
import { watch, type Watched } from './watch.ts'

// The dashboard in a real Firefox: the same pages, and a message from the first letter to the last push.

let herald: Herald
let tenant: Tenant
let browser: Browser

beforeAll(async () => {
  herald = await sharedPlatform()
  tenant = await givenTenant(herald)
  await givenDevices(tenant, 'android', 3)
  browser = await openFirefox()
  const page = await browser.newPage()
  await page.goto(await signInLink(herald, 'Dana'))
  await page.locator('nav').setTimeout(60_000).wait()
  await page.close()
})

async function open(path: string): Promise<{ page: Page; watched: Watched }> {
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 800 })
  const watched = watch(page)
  await page.goto(`${herald.baseUrl}/dashboard/apps/${tenant.appId}${path}`)
  await page.locator('h1').setTimeout(60_000).wait()
  return { page, watched }
}

const barriersOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source)
  return (await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  )) as string[]
}

const pages = ['overview', 'compose', 'campaigns', 'campaigns?view=calendar', 'people', 'providers', 'settings', 'start']

// spec: dashboard/no-markup-from-text
test.each(pages)('in Firefox the page %s is accessible and writes nothing to the console', async (path) => {
  const { page, watched } = await open(`/${path}`)
  await page.waitForFunction(`document.querySelector('[aria-busy="true"], [data-skeleton]') === null`, { timeout: 60_000 })
  expect(await barriersOf(page)).toEqual([])
  expect(watched.faults).toEqual([])
  await page.close()
})

// spec: dashboard/steps, dashboard/draft-kept, dashboard/confirm-sends
test('in Firefox an operator writes a message, which is saved before it is complete, reviews it and sends it', async () => {
  const { page, watched } = await open('/compose')
  const area = (name: string) => page.locator(`::-p-aria([name="${name} (required)"][role="textbox"])`).setTimeout(60_000)
  await area('Title').fill('From Firefox')
  await page.locator('::-p-text(not complete yet)').setTimeout(60_000).wait()
  await area('Text').fill('It works here too')
  await page.locator('[aria-label="What is sent"] ::-p-text(3 devices)').setTimeout(60_000).wait()
  await page.locator('[aria-label="What is sent"] button ::-p-text(Review)').click()
  await page.locator('#send:not([disabled])').setTimeout(60_000).click()
  await page.locator('dialog button ::-p-text(Send to 3 devices)').setTimeout(60_000).click()
  await until(() => /\/campaigns\/[0-9a-f]{24}$/.test(page.url()), { withinMs: 60_000, what: 'the page of the campaign' })
  expect(await untilSettled(tenant, page.url().slice(-24))).toMatchObject({ queued: 3, sent: 3 })
  expect(watched.faults).toEqual([])
  await page.close()
})
