import { newId } from '@herald/contracts/ids'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import type { Answer, Herald } from '@herald/testing/herald'
import axe from 'axe-core'
import type { Browser, Page } from 'puppeteer-core'
import { beforeAll, expect, test } from 'vitest'
import { givenDevices, ok, sendCampaign, textOf, untilSettled } from '../../tests/campaigns.ts'
import { sharedPlatform } from '../../platform.ts'
import { openFirefox } from '../browsers.ts'
import { signInLink } from '../dashboard.ts'
import { watch, type Watched } from '../watch.ts'

// Firefox presses every button of every main page and gives axe each page and each dialog that opens, in both themes.

let herald: Herald
let tenant: Tenant
let paths: string[]
const themes = ['light', 'dark'] as const
let browsers: Record<(typeof themes)[number], Browser>

beforeAll(async () => {
  herald = await sharedPlatform()
  tenant = await givenTenant(herald)
  const [device] = await givenDevices(tenant, 'android', 3, (place) => ({ externalId: `customer-${place}` }))
  if (!device) throw new Error('no device was registered')
  const made = async (call: Promise<Answer<{ id: string }>>): Promise<string> => ok(await call, 201).id
  const sent = await sendCampaign(tenant, { name: 'Sent' }, 'sending')
  await untilSettled(tenant, sent)
  const draft = await made(tenant.call('POST', '/v1/campaigns', { name: 'A draft', content: textOf('Hello') }))
  await tenant.simulator('PUT', '/faults', { service: 'fcm', outage: '503' })
  const slow = await sendCampaign(tenant, { name: 'Slow', sendRate: { perMinute: 60 } }, 'sending')
  const segment = await made(tenant.call('POST', '/v1/segments', { name: 'All', definition: {} }))
  const template = await made(tenant.call('POST', '/v1/templates', { name: 'News', content: textOf('News') }))
  const webhook = await made(tenant.admin('POST', '/webhooks', { url: 'https://shop.example/hook' }))
  ok(await tenant.admin('POST', '/categories', { id: 'offers', name: 'Offers', default: 'in' }), 201)
  paths = [
    'overview',
    'start',
    'compose',
    `compose/${draft}?step=review`,
    'campaigns',
    'campaigns?view=calendar',
    `campaigns/${draft}`,
    `campaigns/${sent}`,
    `campaigns/${slow}`,
    'people',
    'people?tab=imports',
    `people/${device.userId}`,
    `explain?campaignId=${sent}&subscriptionId=${device.id}`,
    'segments',
    'segments/new',
    `segments/${segment}`,
    'templates',
    `templates/${template}`,
    'categories',
    'impact',
    'log',
    'providers',
    'keys',
    'webhooks',
    `webhooks/${webhook}`,
    'settings',
    'audit',
    'inbox',
    `campaigns/${newId()}`,
  ]
  browsers = { light: await signedIn('light'), dark: await signedIn('dark') }
})

async function signedIn(theme: (typeof themes)[number]): Promise<Browser> {
  // 0 is dark and 1 is light, whatever the system has.
  const browser = await openFirefox({ preferences: { 'layout.css.prefers-color-scheme.content-override': theme === 'dark' ? 0 : 1 } })
  const page = await browser.newPage()
  await page.goto(await signInLink(herald, 'Dana'))
  await page.locator('nav').setTimeout(60_000).wait()
  await page.close()
  return browser
}

const barriersOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(`globalThis.axe ?? (() => { ${axe.source} })()`)
  return (await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' ')))`,
  )) as string[]
}

/** What leaves the page or the session. */
const leaves = /^(sign out|log out)$/i
/** The buttons that are seen, each by a name without its numbers, so that one of each kind in a table is pressed. */
const buttons = `[...document.querySelectorAll('button:not([disabled]), [role="menuitem"]:not([data-disabled])')]
  .filter((one) => one.checkVisibility() && one.closest('dialog') === null)`
const nameOf = `((one) => (one.getAttribute('aria-label') || one.textContent || one.title).trim().replace(/[0-9]+/g, '#'))`

/** Opens a page of the app and waits until nothing on it is loading. */
async function show(page: Page, path: string): Promise<void> {
  await page.goto(`${herald.baseUrl}/dashboard/apps/${tenant.appId}/${path}`)
  await page.locator('h1').setTimeout(60_000).wait()
  await page.waitForFunction(`document.querySelector('[aria-busy="true"], [data-skeleton]') === null`, { timeout: 60_000 })
}

/** Presses the first button with this name. Answers the title of the dialog that opened, 'menu' for a menu, undefined for anything else. */
async function press(page: Page, name: string): Promise<string | undefined> {
  await page.evaluate(`(() => {
    const button = ${buttons}.find((one) => ${nameOf}(one) === ${JSON.stringify(name)})
    button?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0, pointerType: 'mouse' }))
    button?.click()
  })()`)
  // Most buttons open no dialog. Half a second is ten times what opening one takes.
  await page.waitForSelector('dialog[open], [role="menu"]', { timeout: 500 }).catch(() => undefined)
  return (await page.evaluate(
    `document.querySelector('dialog[open] h2')?.textContent ?? (document.querySelector('[role="menu"]') ? 'menu' : undefined)`,
  )) as string | undefined
}

/** Presses every button of a page, and in every menu. Gives what axe found, by page or dialog, and notes the titles of the dialogs. */
async function walk(page: Page, path: string, { seen, pressed }: { seen: Set<string>; pressed: Set<string> }) {
  const found: Record<string, string[]> = {}
  const look = async (what: string) => {
    const barriers = await barriersOf(page)
    if (barriers.length > 0) found[what] = barriers
  }
  const namesOf = async () => [...new Set((await page.evaluate(`${buttons}.map(${nameOf})`)) as string[])]
  const lookAt = async (title: string | undefined, name: string): Promise<boolean> => {
    if (title === undefined || title === 'menu') return false
    if (!seen.has(title)) await look(`${path}: ${title}`)
    seen.add(title)
    pressed.add(`${path.split(/[/?]/)[0]} ${name}`)
    return true
  }
  await show(page, path)
  await look(path)
  for (const name of await namesOf()) {
    // Buttons of the frame around the pages are pressed on one page.
    if (leaves.test(name) || pressed.has(`${path} ${name}`) || (pressed.has(`frame ${name}`) && path !== 'overview')) continue
    if (path === 'overview') pressed.add(`frame ${name}`)
    await show(page, path)
    const opened = await press(page, name)
    if ((await lookAt(opened, name)) || opened !== 'menu') continue
    await look(`${path}: menu ${name}`)
    for (const item of (await page.evaluate(
      `[...document.querySelectorAll('[role="menuitem"]:not([data-disabled])')].map(${nameOf})`,
    )) as string[]) {
      if (leaves.test(item)) continue
      await show(page, path)
      await press(page, name)
      await lookAt(await press(page, item), item)
    }
  }
  return found
}

test.each(themes)(
  'in Firefox in the %s theme every main page and every dialog of its buttons is accessible',
  { timeout: 1_800_000 },
  async (theme) => {
    const notes = { seen: new Set<string>(), pressed: new Set<string>() }
    const page = await browsers[theme].newPage()
    await page.setViewport({ width: 1280, height: 800 })
    const watched: Watched = watch(page)
    const found = {}
    for (const path of paths) Object.assign(found, await walk(page, path, notes))
    console.log(`${theme}: ${notes.seen.size} dialogs: ${[...notes.seen].join(' | ')}`)
    expect(found).toEqual({})
    expect(watched.faults).toEqual([])
    expect(notes.seen.size).toBeGreaterThan(20)
    await page.close()
  },
)
