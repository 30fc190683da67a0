import type { Page as ChromiumPage } from 'playwright-core'
import type { Page as FirefoxPage } from 'puppeteer-core'

/** What a page must not do: write to the console, throw, break its CSP, or ask anybody but its own origin. */
export type Watched = {
  /** All that happened and should not have, one line each. */
  faults: string[]
  /** Every address that was asked for. */
  requests: string[]
}

type Options = {
  /** Origins that may be asked besides the page's own. */
  origins?: readonly string[]
  /** Console lines that are expected; what the browser writes itself of a request that failed on purpose, for example. */
  expected?: RegExp
}

/** Watches a page from now on; `expect(watched.faults).toEqual([])` at the end of the test says that nothing happened. */
export function watch(page: ChromiumPage | FirefoxPage, { origins = [], expected }: Options = {}): Watched {
  const watched: Watched = { faults: [], requests: [] }
  const note = (line: string) => {
    if (!expected?.test(line)) watched.faults.push(line)
  }
  const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : 'null')
  let here = originOf(page.url())
  // Both drivers have the events that are used here, by the same names.
  const any = page as FirefoxPage
  any.on('console', (message) => {
    // Every line counts, not only errors: a library that is embedded in other people's pages has nothing to say there.
    note(`console ${message.type()}: ${message.text()}`)
  })
  any.on('pageerror', (error) => note(`page error: ${String(error)}`))
  any.on('request', (request) => {
    const url = request.url()
    if (!/^https?:/.test(url)) return
    // A browser asks for leave before it asks another origin; that is no request of the page.
    if (request.method() !== 'OPTIONS' && watched.requests.length < 10_000) watched.requests.push(url)
    // A page is where its last navigation leads: its own address says so only later.
    if (request.isNavigationRequest()) here = originOf(url)
    if (![here, ...origins].includes(originOf(url))) note(`foreign request: ${originOf(url)}`)
  })
  return watched
}
