import { perPlatform, sumOf, type Platform } from '@herald/contracts/platform'

/** The devices of a platform that could be reached at the end of a day. */
export type DevicePoint = { at: string; platform: Platform; reachable: number }
type Day = { at: string; reachable: Record<Platform, number> }

/**
 * Gives the counted days with the devices that could be reached then, and the change from first to last; undefined for fewer than two. A
 * platform without a count on a day has the count before it.
 */
export function growthOf(points: readonly DevicePoint[]): { days: Day[]; reachable: number; change: number } | undefined {
  const byDay = [...Map.groupBy(points, ({ at }) => at)].toSorted(([one], [other]) => one.localeCompare(other))
  if (byDay.length < 2) return undefined
  const last = perPlatform(() => 0)
  const days = byDay.map(([at, ofDay]): Day => {
    for (const { platform, reachable } of ofDay) last[platform] = reachable
    return { at, reachable: { ...last } }
  })
  const [first, latest] = [days[0], days.at(-1)].map((day) => sumOf(day?.reachable ?? perPlatform(() => 0)))
  return { days, reachable: latest ?? 0, change: (latest ?? 0) - (first ?? 0) }
}
