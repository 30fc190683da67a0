import { http, type Herald } from '@herald/testing/herald'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openChromium } from './browsers.ts'
import { barriersOf } from './dashboard.ts'
import { startPlatform } from '../platform.ts'
import { watch } from './watch.ts'

// Signing in to the dashboard and signing out, in Chromium.

let herald: Herald
let chromium: BrowserContext

beforeAll(async () => {
  herald = await startPlatform()
  chromium = await openChromium()
  chromium.setDefaultTimeout(60_000)
})

async function openTab(page?: Page): Promise<Page> {
  page ??= await chromium.newPage()
  await page.goto(`${herald.baseUrl}/dashboard/`)
  return page
}

async function signIn(page: Page, token = herald.adminToken): Promise<void> {
  await page.getByLabel('Administration token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const signedIn = (page: Page) => page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor()

// spec: administration/session, dashboard/token-kept-nowhere, dashboard/kept-in-browser
test('the administration token signs an operator in, and no script of the page can read the token or the session', async () => {
  const page = await chromium.newPage()
  const watched = watch(page)
  await openTab(page)
  await page.getByLabel('Administration token').waitFor()
  // Nobody was signed in, so the page sent no request that could be refused.
  expect(watched.faults).toEqual([])
  await signIn(page, 'not-the-administration-token-0123456789')
  await page.getByText('This is neither the administration token of this Herald nor one of its keys.').waitFor()
  expect(watched.faults.splice(0)).toEqual([expect.stringContaining('401 (Unauthorized)')])
  await signIn(page)
  await signedIn(page)

  const [cookie] = await chromium.cookies(herald.baseUrl)
  expect(cookie).toMatchObject({ name: '__Host-herald', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' })
  const readable = await page.evaluate('JSON.stringify([document.cookie, Object.entries(localStorage), Object.entries(sessionStorage)])')
  expect(readable).not.toContain(herald.adminToken)
  expect(readable).not.toContain(cookie?.value)
  expect(await page.evaluate('indexedDB.databases().then((databases) => databases.length)')).toBe(0)
  expect(watched.faults).toEqual([])
  await page.close()
})

// spec: administration/sign-in-links, dashboard/token-kept-nowhere
test('a sign-in link that names nobody asks for the name first, and the audit names the operator', async () => {
  const authorization = `Bearer ${herald.adminToken}`
  const { body: link } = await http<{ url: string }>('POST', `${herald.baseUrl}/v1/admin/sign-in-links`, {
    headers: { authorization },
    body: {},
  })
  const own = await openChromium()
  const page = await own.newPage()
  const watched = watch(page)
  await page.goto(link.url)
  await page.getByLabel('Your name').waitFor()
  expect(page.url()).toBe(`${herald.baseUrl}/dashboard/`)
  expect(await barriersOf(page)).toEqual([])
  // The field has the focus already.
  await page.keyboard.type('Robin Hood')
  await page.keyboard.press('Enter')
  await signedIn(page)
  await page.getByRole('button', { name: 'Robin Hood' }).waitFor()

  const { body: audit } = await http<{ items: { action: string; actor: string }[] }>('GET', `${herald.baseUrl}/v1/admin/audit`, {
    headers: { authorization },
  })
  expect(audit.items.find(({ action }) => action === 'session.begun')?.actor).toBe('Robin Hood')

  // The link is used up: the page says so, and the token still signs in.
  await page.getByRole('button', { name: 'Robin Hood' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Administration token').waitFor()
  expect(watched.faults).toEqual([])
  await page.goto('about:blank')
  await page.goto(link.url)
  await page.getByRole('button', { name: 'Open the dashboard' }).click()
  await page.getByText('This sign-in link does not work any more').waitFor()
  await page.getByLabel('Administration token').waitFor()
})

// spec: dashboard/signed-out
test('signing out in one tab signs out every tab, and signing in in one tab signs in every tab', async () => {
  const [one, other] = [await openTab(), await openTab()]
  await Promise.all([signedIn(one), signedIn(other)])
  await one.getByRole('button', { name: 'administrator' }).click()
  await one.getByRole('menuitem', { name: 'Sign out' }).click()
  await Promise.all([one, other].map((page) => page.getByLabel('Administration token').waitFor()))
  expect(await chromium.cookies(herald.baseUrl)).toEqual([])

  await signIn(other)
  await Promise.all([signedIn(one), signedIn(other)])
  await Promise.all([one.close(), other.close()])
})

// spec: dashboard/sessions, administration/session-list
test('an operator sees who is signed in and ends the session of a lost laptop, which is then refused', async () => {
  const body = { token: herald.adminToken, name: 'Lost laptop' }
  const lost = await http('POST', `${herald.baseUrl}/v1/admin/session`, { headers: { 'user-agent': 'Firefox/140.0 (Linux)' }, body })
  const cookie = String(lost.headers.get('set-cookie')).split(';')[0] ?? ''
  const ofLost = async () => (await http('GET', `${herald.baseUrl}/v1/admin/session`, { headers: { cookie } })).status
  expect(await ofLost()).toBe(200)
  const page = await openTab()
  await signedIn(page)
  await page.getByRole('button', { name: 'administrator' }).click()
  await page.getByRole('menuitem', { name: 'Sessions' }).click()
  const sessions = page.getByRole('dialog', { name: 'Sessions' })
  await sessions.getByText('Firefox on Linux').waitFor()
  await sessions.getByText('this one').waitFor()
  expect(await barriersOf(page)).toEqual([])
  await sessions.getByRole('button', { name: 'End the session of Lost laptop' }).click()
  await sessions.getByText('Lost laptop').waitFor({ state: 'detached' })
  expect(await ofLost()).toBe(401)
  await page.close()
})

// spec: dashboard/session-ended
test('when the session ends during work, a dialog asks for the token and the change is made once', async () => {
  const page = await openTab()
  await signedIn(page)
  // While Herald has no app, the page shows the form for the first app without a click.
  await page.getByLabel('Name of the app').fill('Made after the session ended')
  await chromium.clearCookies()
  await page.getByRole('button', { name: 'Create app' }).click()
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  expect(await page.getByLabel('Name of the app').inputValue()).toBe('Made after the session ended')
  await signIn(page)
  await page.getByRole('heading', { level: 1, name: 'Get started' }).waitFor()

  const answer = await fetch(`${herald.baseUrl}/v1/admin/apps`, {
    headers: { authorization: `Bearer ${herald.adminToken}` },
    signal: AbortSignal.timeout(30_000),
  })
  const { items } = (await answer.json()) as { items: { name: string }[] }
  expect(items.map(({ name }) => name)).toEqual(['Made after the session ended'])
  await page.close()
})

// spec: dashboard/shortcuts
test('single keys are shortcuts outside of fields until switched off, and Ctrl K finds an app that Enter opens', async () => {
  const page = await openTab()
  await page.getByRole('table').waitFor()
  await page.getByRole('searchbox').click()
  await page.keyboard.type('?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('searchbox').fill('')
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('?')
  await page.getByRole('switch', { name: 'Shortcuts without Ctrl' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('?')

  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(1)
  await page.keyboard.type('made')
  await page.getByRole('option', { name: 'Made after the session ended', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/apps\/[0-9a-f]{24}\/overview/)
  await page.close()
})
