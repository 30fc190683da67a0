import type { Herald } from '@herald/testing/herald'
import { until } from '@herald/testing/until'
import type { Browser, Page } from 'puppeteer-core'
import { beforeAll, expect, test } from 'vitest'
import { clickAlert, shownAlerts } from './alerts.ts'
import { startAutopush } from './autopush.ts'
import { openFirefox } from './browsers.ts'
import { startPlatform } from '../platform.ts'
import { watch } from './watch.ts'

// The first minutes with Herald in Firefox: from the sign-in link to a clicked push. Firefox gets real Web Push messages from a push service of the
// test, and the test does only what the screen offers.

let herald: Herald
let browser: Browser

beforeAll(async () => {
  herald = await startPlatform()
  const autopush = await startAutopush(herald.dataDir)
  browser = await openFirefox({ pushService: autopush.url })
})

async function administer<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${herald.baseUrl}/v1/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${herald.adminToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}

/** Clicks and types as an operator does, and counts both. */
function person(page: Page) {
  const effort = { clicks: 0, characters: 0 }
  return {
    effort,
    async click(text: string): Promise<void> {
      await page.locator(`button ::-p-text(${text})`).setTimeout(60_000).click()
      effort.clicks += 1
    },
    async type(text: string): Promise<void> {
      await page.keyboard.type(text)
      effort.characters += text.length
    },
  }
}

// spec: dashboard/first-push-in-browser, dashboard/first-steps, dashboard/token-kept-nowhere
test('with at most 8 clicks and 20 characters an operator gets a first push and sees it opened', async () => {
  const { url } = await administer<{ url: string }>('POST', '/sign-in-links', { name: 'Dana' })
  const page = await browser.newPage()
  const watched = watch(page)
  const { effort, ...me } = person(page)

  await page.goto(url)
  await page.locator('::-p-text(Create your first app)').setTimeout(60_000).wait()
  expect(page.url()).toBe(`${herald.baseUrl}/dashboard/`)

  await page.focus('main form input')
  await me.type('Shop')
  await me.click('Create app')
  await page.locator('::-p-text(Secret key)').setTimeout(60_000).wait()

  await page.locator('label ::-p-text(This browser)').setTimeout(60_000).click()
  effort.clicks += 1
  await page.locator('form input[inputmode=email]').setTimeout(60_000).click()
  effort.clicks += 1
  await me.type('me@shop.example')
  await me.click('Create the keys of Web Push')
  await me.click('Allow notifications in this browser')
  await page.locator('::-p-text(This browser is registered)').setTimeout(60_000).wait()
  await me.click('Send to this device')

  await until(async () => (await shownAlerts(browser)).length === 1, { what: 'the notification' })
  expect(await shownAlerts(browser)).toEqual([{ title: 'Hello from Herald', body: 'Your first push has arrived.' }])
  await page.waitForFunction('/[/]campaigns[/][0-9a-f]{24}$/.test(location.pathname)', { timeout: 60_000 })
  const [, appId, campaignId] = /apps\/(\w+)\/campaigns\/(\w+)/.exec(page.url()) ?? []
  await clickAlert(browser, 'Hello from Herald')
  effort.clicks += 1
  await until(
    async () => {
      const { stats } = await administer<{ stats: Record<string, number> }>('GET', `/apps/${appId}/campaigns/${campaignId}`)
      return stats['delivered'] === 1 && stats['opened'] === 1
    },
    { what: 'the push is counted as delivered and opened' },
  )
  expect(effort.clicks).toBeLessThanOrEqual(8)
  expect(effort.characters).toBeLessThanOrEqual(20)

  // The steps are ticked by what Herald has, so they are still ticked when the page is opened later.
  await page.goto(`${herald.baseUrl}/dashboard/apps/${appId}/start`)
  await page.locator('::-p-text(opened)').setTimeout(60_000).wait()
  const done = await page.$$eval('main ol > li h2', (headings) => headings.map((heading) => heading.textContent.includes('(done)')))
  expect(done).toEqual([true, true, true, true, false])

  const kept = await page.evaluate('JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])')
  expect(kept).not.toMatch(/sk_live|pk_live|code=/)
  expect(watched.faults).toEqual([])
  await page.close()
})

// spec: dashboard/first-push-on-a-phone
test('with simulated providers a virtual phone is chosen, and its first push arrives tappable beside the button', async () => {
  const { id: appId } = await administer<{ id: string }>('POST', '/apps', { name: 'Second shop' })
  const { url } = await administer<{ url: string }>('POST', '/sign-in-links', { name: 'Robin' })
  const page = await browser.newPage()
  const watched = watch(page)
  const me = person(page)
  await page.goto(url)
  await page.locator('nav').setTimeout(60_000).wait()
  await page.goto(`${herald.baseUrl}/dashboard/apps/${appId}/start`)
  await me.click('Create a virtual device')
  await page.waitForFunction(
    "[...document.querySelectorAll('button')].some((one) => one.textContent === 'Send to this device' && !one.disabled)",
    {
      timeout: 60_000,
    },
  )
  await me.click('Send to this device')
  await page.locator('section[aria-label="On the virtual phone"] article button ::-p-text(Hello from Herald)').setTimeout(60_000).click()
  await page.locator('section[aria-label="On the virtual phone"] ::-p-text(opened)').setTimeout(60_000).wait()
  await until(
    async () => {
      const { items } = await administer<{ items: { stats: Record<string, number> }[] }>('GET', `/apps/${appId}/campaigns?test=true`)
      return items[0]?.stats['opened'] === 1
    },
    { what: 'the tap is counted' },
  )
  expect(me.effort).toEqual({ clicks: 2, characters: 0 })
  expect(watched.faults).toEqual([])
  await page.close()
})
