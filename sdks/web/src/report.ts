import { ask, type Service } from './call.ts'
import type { Store } from './store.ts'

const limitMs = 5_000
const most = 50
const longestMs = 7 * 86_400_000

/**
 * Sends reports about a push, then those stored from earlier events. From the first failure on, they are stored: a worker has no time for more waits
 * of five seconds. At most 50 are stored, each for a week.
 */
export async function report(store: Store, paths: string[]): Promise<void> {
  const at = Date.now()
  const { service, reports } = await store()
  const all = [...paths.map((path) => ({ path, at })), ...reports.filter((one) => at - one.at < longestMs)]
  const left = await firstRefused(service, all)
  await store((kept) => {
    // A second event may have stored reports while this one was sending.
    const added = kept.reports.filter(({ path }) => !reports.some((one) => one.path === path))
    kept.reports = [...all.slice(left), ...added].slice(0, most)
  })
}

/**
 * Sends reports in order, until one fails for a reason that may pass: no connection, no answer, a 429 or a 5xx. Gives how many were sent before it;
 * these need no further try.
 */
async function firstRefused(service: Service | undefined, reports: { path: string }[]): Promise<number> {
  let taken = 0
  try {
    for (const { path } of service ? reports : []) {
      const { status } = await ask(service!, 'POST', `e/${path}`, undefined, undefined, limitMs)
      if (status >= 500 || status === 429) break
      taken += 1
    }
  } catch {
    // The browser is offline, or there was no answer within 5 s. The next event tries again.
  }
  return taken
}
