import { sumLargeSends } from './store/pace.ts'
import type { Db } from './store/tables.ts'

/** How fast an app's last large sends went, all together; null when it has none (spec: sending/dry-run-estimate). */
export async function readPace(db: Db, { appId }: { appId: string }): Promise<{ pace: { pushes: number; seconds: number } | null }> {
  const { pushes, seconds } = await sumLargeSends(db, appId)
  return { pace: pushes > 0 && seconds > 0 ? { pushes, seconds } : null }
}
