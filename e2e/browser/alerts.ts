import type { Browser } from 'puppeteer-core'
import { until } from '@herald/testing/until'

type Context = { context: string; url: string }
/**
 * The part of puppeteer's connection that its types do not declare. Through it Firefox also gives access to its own windows, which notifications are.
 */
type Connection = { send(method: string, params: object): Promise<{ result: unknown }> }

const connectionOf = (browser: Browser): Connection => (browser as unknown as { connection: Connection }).connection

async function alertWindows(browser: Browser): Promise<Context[]> {
  const { result } = await connectionOf(browser).send('browsingContext.getTree', { 'moz:scope': 'chrome' })
  return (result as { contexts: Context[] }).contexts.filter(({ url }) => url.includes('alerts/alert'))
}

async function evaluate(browser: Browser, context: string, expression: string): Promise<string> {
  const { result } = await connectionOf(browser).send('script.evaluate', { expression, target: { context }, awaitPromise: false })
  return (result as { result?: { value?: string } }).result?.value ?? ''
}

/** Reads the title and the text of each notification that Firefox shows at the moment. A window that Firefox has not filled in yet is not shown yet. */
export async function shownAlerts(browser: Browser): Promise<{ title: string; body: string }[]> {
  const texts = await Promise.all(
    (await alertWindows(browser)).map(({ context }) =>
      evaluate(
        browser,
        context,
        "JSON.stringify([document.getElementById('alertTitleLabel'), document.getElementById('alertTextLabel')].map((label) => label.value || label.textContent))",
      ),
    ),
  )
  const shown = texts.map((text) => JSON.parse(text || '["",""]') as [string, string]).map(([title, body]) => ({ title, body }))
  return shown.filter(({ title, body }) => title !== '' || body !== '')
}

/** Waits for the notification with this title, and runs what Firefox runs when a user clicks it or the button that closes it. */
export async function clickAlert(browser: Browser, title: string, place: 'text' | 'close' = 'text'): Promise<void> {
  await until(
    async () => {
      for (const { context } of await alertWindows(browser)) {
        const shown = await evaluate(
          browser,
          context,
          "document.getElementById('alertTitleLabel').value || document.getElementById('alertTitleLabel').textContent",
        )
        if (shown !== title) continue
        await evaluate(browser, context, place === 'text' ? 'onAlertClick()' : 'onAlertClose()')
        return true
      }
      return false
    },
    { what: `a notification with the title ${title}` },
  )
}
