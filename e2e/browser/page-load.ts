import type { Page } from 'playwright-core'

/** How fast a page is, how much moves on it, and the beginning of the HTML of each part that moved, as Chromium itself measures it. */
export type Load = { largestPaintMs: number; shift: number; moved: string[] }

/** While a page is measured the CPU is slowed down by this factor. */
export const slowedBy = 4

export async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowedBy })
}

/** Loads a page, and half a second after its last skeleton reads what the browser has measured of it. */
export async function load(page: Page, url: string): Promise<Load> {
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('[data-skeleton]').first().waitFor({ state: 'detached' })
  return page.evaluate<Load>(`new Promise((done) => {
    const found = { largestPaintMs: 0, shift: 0, moved: [] }
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) found.largestPaintMs = entry.startTime })
      .observe({ type: 'largest-contentful-paint', buffered: true })
    const add = ({ value, sources }) => {
      found.shift += value
      for (const { node } of sources) found.moved.push(value.toFixed(4) + ' ' + (node?.outerHTML ?? node?.textContent ?? 'gone').slice(0, 200))
    }
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) add(entry) })
      .observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => done(found), 500)
  })`)
}

/** What Chromium keeps of a page after a garbage collection, elements that are no longer shown too. */
export type Kept = { nodes: number; listeners: number; megabytes: number }

/** Goes through all pages of the navigation in turn, with so many page changes, then to Categories, which shows little. Gives what is kept then. */
export async function keptAfter(page: Page, changes: number): Promise<Kept> {
  await page.evaluate(`(async () => {
    const links = [...document.querySelectorAll('nav a[href*="/apps/"]')]
    const last = links.find(({ textContent }) => textContent === 'Categories')
    const isShown = (link) => location.pathname.startsWith(link.pathname) && document.querySelector('h1') && !document.querySelector('[aria-busy=true], [data-skeleton]')
    const turns = [...Array(${changes}).keys()].map((turn) => links[turn % links.length])
    for (const link of [...turns, last]) {
      link.click()
      do await new Promise(requestAnimationFrame); while (!isShown(link))
    }
  })()`)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  await session.detach()
  const read = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
  return { nodes: read('Nodes'), listeners: read('JSEventListeners'), megabytes: read('JSHeapUsedSize') / 1e6 }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
export const median = (values: readonly number[]): number => percentile(values, 0.5)
