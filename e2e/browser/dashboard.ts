import axe from 'axe-core'
import { http, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { BrowserContext, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openChromium } from './browsers.ts'
import { sharedPlatform } from './platform.ts'
import { watch, type Watched } from './watch.ts'

export type Dashboard = {
  herald: Herald
  tenant: Tenant
  context: BrowserContext
  /** Opens a page of the tenant's app, such as `/log`, in a tab that is closed after the test. `expected`: console lines that the test causes. */
  open: (path: string, expected?: RegExp) => Promise<{ page: Page; watched: Watched }>
}

/** What a test file of the dashboard begins with: the shared platform, an app of its own, and a Chromium in which Dana is signed in. */
export async function openDashboard(): Promise<Dashboard> {
  const herald = sharedPlatform()
  const tenant = await givenTenant(herald)
  const context = await openChromium()
  context.setDefaultTimeout(60_000)
  const first = await context.newPage()
  await first.goto(await signInLink(herald, 'Dana'))
  await first.getByRole('navigation').first().waitFor()
  await first.close()
  return {
    herald,
    tenant,
    context,
    async open(path, expected) {
      const page = await context.newPage()
      onTestFinished(() => page.close())
      const watched = watch(page, expected === undefined ? {} : { expected })
      await page.goto(`${herald.baseUrl}/dashboard/apps/${tenant.appId}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      return { page, watched }
    },
  }
}

/** A link that signs in once, under this name. */
export async function signInLink({ baseUrl, adminToken }: Herald, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}` }
  const { body } = await http<{ url: string }>('POST', `${baseUrl}/v1/admin/sign-in-links`, { headers, body: { name } })
  return body.url
}

/** Waits until the heading is there and no part of the page is a skeleton any more. */
export async function untilShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await until(() => page.evaluate<boolean>(`document.querySelector('[aria-busy="true"], [data-skeleton]') === null`), {
    what: 'the page without a skeleton',
  })
}

/**
 * The rules of axe that a page at rest breaks, one line each. A button that becomes usable while axe looks at it is half grey, so axe
 * looks again when it has found something.
 */
export async function barriersOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return (await lookFor(page)).length === 0 ? [] : lookFor(page)
}

const lookFor = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  )
