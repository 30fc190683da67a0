import { ask, type Service } from './call.ts'
import type { Store } from './store.ts'

const limitMs = 5_000
const most = 50
const longestMs = 7 * 86_400_000

/**
 * Reports what became of a push, then what failed to be reported before. What fails now is kept: 50 reports, for a week. After one that
 * failed the others wait too: a push is no time to try each for five seconds.
 */
export async function report(store: Store, paths: string[]): Promise<void> {
  const at = Date.now()
  const { service, reports } = await store()
  const all = [...paths.map((path) => ({ path, at })), ...reports.filter((one) => at - one.at < longestMs)]
  const left = await firstRefused(service, all)
  await store((kept) => {
    // Another event may have kept a report meanwhile.
    const added = kept.reports.filter(({ path }) => !reports.some((one) => one.path === path))
    kept.reports = [...all.slice(left), ...added].slice(0, most)
  })
}

/** How many reports Herald took, or will never take. */
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
