import type { Page as ChromiumPage } from 'playwright-core'
import type { Page as FirefoxPage } from 'puppeteer-core'

/** What a page did. A page must not write to the console, throw an error, break its content security policy, or send requests to another origin. */
export type Watched = {
  /** Everything that the page must not do and did, one line each. */
  faults: string[]
  /** The addresses of the requests, without OPTIONS; at most 10,000. */
  requests: string[]
}

type Options = {
  /** Origins that the page may send requests to, besides its own. */
  origins?: readonly string[]
  /** Matches console lines that the test expects, such as the browser's line about a request that failed on purpose. */
  expected?: RegExp
}

/** Watches a page from now on. At the end of a test `expect(watched.faults).toEqual([])` says that the page did nothing wrong. */
export function watch(page: ChromiumPage | FirefoxPage, { origins = [], expected }: Options = {}): Watched {
  const watched: Watched = { faults: [], requests: [] }
  const note = (line: string) => {
    if (!expected?.test(line)) watched.faults.push(line)
  }
  const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : 'null')
  let here = originOf(page.url())
  // Playwright and Puppeteer have the events that are used here under the same names.
  const any = page as FirefoxPage
  any.on('console', (message) => {
    // Every line counts, not only errors, because a library on other people's pages must write nothing to their console.
    note(`console ${message.type()}: ${message.text()}`)
  })
  any.on('pageerror', (error) => note(`page error: ${String(error)}`))
  any.on('request', (request) => {
    const url = request.url()
    if (!/^https?:/.test(url)) return
    // OPTIONS requests are the browser's own, before a request to another origin.
    if (request.method() !== 'OPTIONS' && watched.requests.length < 10_000) watched.requests.push(url)
    // After a navigation has begun, its address counts as the page's own, because `page.url()` changes later.
    if (request.isNavigationRequest()) here = originOf(url)
    if (![here, ...origins].includes(originOf(url))) note(`foreign request: ${originOf(url)}`)
  })
  return watched
}
