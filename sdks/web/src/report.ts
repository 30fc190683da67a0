import { privately } from './call.ts'
import type { Report, Store } from './store.ts'

const limitMs = 5_000
const most = 50
const longestMs = 7 * 86_400_000

/** Whether Herald took a report, or will never take it. */
async function send(baseUrl: string, path: string): Promise<boolean> {
  try {
    const { status } = await fetch(`${baseUrl}/v1/e/${path}`, { ...privately, method: 'POST', signal: AbortSignal.timeout(limitMs) })
    return status < 500 && status !== 429
  } catch {
    return false
  }
}

/** Reports what became of a push, then what failed to be reported before. What fails now is kept: 50 reports, for a week. */
export async function report(store: Store, baseUrl: string | undefined, paths: string[]): Promise<void> {
  const now = Date.now()
  const { reports } = await store.read()
  const failed: Report[] = []
  const all = [...paths.map((path) => ({ path, at: now })), ...reports.filter(({ at }) => now - at < longestMs)]
  for (const one of all) {
    // After one that failed the others wait too: a push is no time to try each for five seconds.
    if (!baseUrl || failed.length > 0 || !(await send(baseUrl, one.path))) failed.push(one)
  }
  const known = new Set(reports.map(({ path }) => path))
  await store.update((kept) => {
    kept.reports = [...failed, ...kept.reports.filter(({ path }) => !known.has(path))].slice(0, most)
  })
}
