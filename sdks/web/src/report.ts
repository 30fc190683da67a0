import { ask, type Service } from './call.ts'
import type { Store } from './store.ts'

const limitMs = 5_000
const most = 50
const longestMs = 7 * 86_400_000

/**
 * Reports what became of a push, then sends the reports that failed before. A report that fails now is kept: at most 50, for a week. After one that
 * failed the others wait too, because there is no time during a push to try each for five seconds.
 */
export async function report(store: Store, paths: string[]): Promise<void> {
  const at = Date.now()
  const { service, reports } = await store()
  const all = [...paths.map((path) => ({ path, at })), ...reports.filter((one) => at - one.at < longestMs)]
  const left = await firstRefused(service, all)
  await store((kept) => {
    // Another event may have stored a report meanwhile.
    const added = kept.reports.filter(({ path }) => !reports.some((one) => one.path === path))
    kept.reports = [...all.slice(left), ...added].slice(0, most)
  })
}

/** Gives how many reports are done: Herald took them or will never take them. */
async function firstRefused(service: Service | undefined, reports: { path: string }[]): Promise<number> {
  let taken = 0
  try {
    for (const { path } of service ? reports : []) {
      const { status } = await ask(service!, 'POST', `e/${path}`, undefined, undefined, limitMs)
      if (status >= 500 || status === 429) break
      taken += 1
    }
  } catch {
    // Offline: the next push tries again.
  }
  return taken
}
