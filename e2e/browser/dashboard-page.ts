import type { Herald } from '@herald/testing/herald'
import { chromium, type Browser, type Page } from 'playwright-core'

const chromiumPath = '/usr/bin/chromium'
const quiet = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A signed-in dashboard in Chromium, and what went wrong in it: console errors (the content security policy speaks there too) and foreign requests. */
export type Dashboard = { browser: Browser; page: Page; wrong: string[]; goTo(path: string): Promise<void> }

/** Opens the dashboard as the gateway serves it and signs in with the administration token. */
export async function openDashboard(herald: Pick<Herald, 'baseUrl' | 'adminToken'>): Promise<Dashboard> {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: quiet })
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const wrong: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text())
  })
  page.on('pageerror', (error) => wrong.push(String(error)))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(herald.baseUrl) && !url.startsWith('blob:') && !url.startsWith('data:')) wrong.push(`foreign request: ${url}`)
  })
  await page.goto(`${herald.baseUrl}/dashboard/`)
  await page.getByLabel(/Administration token/i).fill(herald.adminToken)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('input[type=password]').waitFor({ state: 'detached' })
  // Before one signs in, the session is asked for and there is none: the browser writes that down as an error.
  wrong.splice(0)
  return {
    browser,
    page,
    wrong,
    async goTo(path) {
      await page.goto(`${herald.baseUrl}/dashboard${path}`)
    },
  }
}
