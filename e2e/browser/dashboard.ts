import axe from 'axe-core'
import { http, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { BrowserContext, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openChromium } from './browsers.ts'
import { sharedPlatform } from '../platform.ts'
import { watch, type Watched } from './watch.ts'

export type Dashboard = {
  herald: Herald
  tenant: Tenant
  context: BrowserContext
  /**
   * Opens a page of the tenant's app, such as `/log`, in a tab that is closed after the test. `expected` matches console lines that the test itself
   * causes.
   */
  open: (path: string, expected?: RegExp) => Promise<{ page: Page; watched: Watched }>
}

/** Gives a test file of the dashboard what it needs: the shared Herald or the given one, an app or the given one, and a Chromium in which the operator Dana is signed in. */
export async function openDashboard(given?: Herald, ofApp?: Tenant): Promise<Dashboard> {
  const herald = given ?? (await sharedPlatform())
  const tenant = ofApp ?? (await givenTenant(herald))
  const context = await signedIn(herald, 'Dana')
  return { herald, tenant, context, open: opener(herald, tenant, context) }
}

/** Gives the `open` of another Chromium, in which an operator with this name is signed in. */
export const openDashboardAs = async (herald: Herald, tenant: Tenant, name: string): Promise<Dashboard['open']> =>
  opener(herald, tenant, await signedIn(herald, name))

async function signedIn(herald: Herald, name: string): Promise<BrowserContext> {
  const context = await openChromium()
  context.setDefaultTimeout(60_000)
  const first = await context.newPage()
  await first.goto(await signInLink(herald, name))
  await first.getByRole('navigation').first().waitFor()
  await first.close()
  return context
}

const opener =
  (herald: Herald, tenant: Tenant, context: BrowserContext): Dashboard['open'] =>
  async (path, expected) => {
    const page = await context.newPage()
    onTestFinished(() => page.close())
    const watched = watch(page, expected === undefined ? {} : { expected })
    await page.goto(`${herald.baseUrl}/dashboard/apps/${tenant.appId}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return { page, watched }
  }

/** Makes a sign-in link that works once, for an operator with this name. */
export async function signInLink({ baseUrl, adminToken }: Herald, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}` }
  const { body } = await http<{ url: string }>('POST', `${baseUrl}/v1/admin/sign-in-links`, { headers, body: { name } })
  return body.url
}

/** Waits until the heading is shown and nothing on the page is loading. */
export async function untilShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await until(() => page.evaluate<boolean>(`document.querySelector('[aria-busy="true"], [data-skeleton]') === null`), {
    what: 'the page without a skeleton',
  })
}

/**
 * Gives the accessibility rules that a page breaks, as axe finds them, one line each. Only a second look counts, at a shown page: during the first a
 * button may be half grey, or the next page loading.
 */
export async function barriersOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source)
  if ((await lookFor(page)).length === 0) return []
  await page.locator('h1:visible').first().waitFor()
  return lookFor(page)
}

const lookFor = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  )
