import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { givenDevices, read, sendCampaign, untilSettled } from '../tests/campaigns.ts'
import { openChromium } from './browsers.ts'
import { startPlatform } from './platform.ts'
import { watch, type Watched } from './watch.ts'

// The dashboard in Chromium, before the whole platform: who may sign in, every page in both themes, and a send from the first key to the last count.

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let herald: Herald
let chromium: BrowserContext
let tenant: Tenant
let campaignId: string

beforeAll(async () => {
  herald = await startPlatform()
  chromium = await openChromium()
  tenant = await givenTenant(herald)
  for (const platform of ['ios', 'android', 'web'] as const) {
    await givenDevices(tenant, platform, 4, (place) => ({ externalId: `customer-${place}`, tags: { plan: place % 2 ? 'pro' : 'free' } }))
  }
  campaignId = await sendCampaign(tenant, { name: 'Weekend sale' }, 'sending')
  await untilSettled(tenant, campaignId)
})

/** A tab of somebody who is signed in as Dana. */
async function signIn(): Promise<{ page: Page; watched: Watched }> {
  const page = await chromium.newPage()
  await page.goto(await signInLink('Dana'))
  await page.getByRole('navigation').first().waitFor()
  return { page, watched: watch(page) }
}

async function signInLink(name: string): Promise<string> {
  const answer = await fetch(`${herald.baseUrl}/v1/admin/sign-in-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${herald.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
    signal: AbortSignal.timeout(10_000),
  })
  return ((await answer.json()) as { url: string }).url
}

const pagesOf = (appId: string, campaign: string): Record<string, string> => ({
  apps: '/',
  start: `/apps/${appId}/start`,
  overview: `/apps/${appId}/overview`,
  compose: `/apps/${appId}/compose`,
  campaigns: `/apps/${appId}/campaigns?tab=transactional`,
  'control room': `/apps/${appId}/campaigns/${campaign}`,
  people: `/apps/${appId}/people`,
  segments: `/apps/${appId}/segments`,
  'new segment': `/apps/${appId}/segments/new`,
  templates: `/apps/${appId}/templates`,
  'new template': `/apps/${appId}/templates/new`,
  log: `/apps/${appId}/log`,
  providers: `/apps/${appId}/providers`,
  keys: `/apps/${appId}/keys`,
  webhooks: `/apps/${appId}/webhooks`,
  settings: `/apps/${appId}/settings`,
  audit: `/apps/${appId}/audit`,
  inbox: `/apps/${appId}/inbox`,
})

/** The heading is there and nothing of the page is still a skeleton. */
async function untilShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await until(() => page.evaluate<boolean>(`document.querySelector('[aria-busy="true"], [data-skeleton]') === null`), {
    what: 'the page without a skeleton',
  })
}

type Violation = { id: string; help: string; nodes: { target: unknown[] }[] }
/** What a page at rest breaks. A button that becomes usable while it is looked at is half grey, so what was found is looked for once more. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return (await lookFor(page)).length === 0 ? [] : lookFor(page)
}
async function lookFor(page: Page): Promise<string[]> {
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    }),
  )
  return found.violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target.join(' ')).join(', ')})`)
}

// spec: administration/session
test('a sign-in link signs in once; the cookie is out of the reach of scripts, and no secret is in storage or in the address', async () => {
  const link = await signInLink('Dana')
  const context = await openChromium()
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('navigation').first().waitFor()

  expect(page.url()).not.toContain('code=')
  expect(await context.cookies()).toMatchObject([{ name: '__Host-herald', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' }])
  const [cookie] = await context.cookies()
  const reachable = await page.evaluate<string>('JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])')
  for (const secret of [herald.adminToken, cookie!.value, new URL(link).hash.slice('#code='.length)])
    expect(reachable).not.toContain(secret)

  await context.clearCookies()
  await page.goto('about:blank')
  await page.goto(link)
  await page.getByLabel(/administration token/i).waitFor()
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every page in the ${colorScheme} theme is accessible, silent, and asks nobody but its own origin`, async () => {
    const { page, watched } = await signIn()
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const found: Record<string, string[]> = {}
    for (const [name, path] of Object.entries(pagesOf(tenant.appId, campaignId))) {
      await page.goto(`${herald.baseUrl}/dashboard${path}`)
      await untilShown(page)
      const all = [...(await violationsOf(page)), ...watched.faults.splice(0)]
      if (all.length > 0) found[name] = all
    }
    expect(found).toEqual({})
    await page.close()
  })
}

test('at 320 px no page is wider than the screen', async () => {
  const { page } = await signIn()
  await page.setViewportSize({ width: 320, height: 640 })
  const wide: string[] = []
  for (const [name, path] of Object.entries(pagesOf(tenant.appId, campaignId))) {
    await page.goto(`${herald.baseUrl}/dashboard${path}`)
    await untilShown(page)
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    if (width > 320) wide.push(`${name}: ${width} px`)
  }
  expect(wide).toEqual([])
  await page.close()
})

test('the numbers of the control room are those of the API, and add up', async () => {
  const { page } = await signIn()
  await page.goto(`${herald.baseUrl}/dashboard/apps/${tenant.appId}/campaigns/${campaignId}`)
  await untilShown(page)
  const { stats } = await read(tenant, campaignId)

  const text = (await page.getByRole('main').innerText()).replaceAll(/\s+/g, ' ')
  expect(stats.queued).toBe(12)
  expect(text).toMatch(/\b12\b.{0,20}queued|queued.{0,20}\b12\b/i)
  expect(text).toContain('Weekend sale')
  await page.close()
})
