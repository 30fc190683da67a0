import type { CampaignStats } from '@herald/node'
import type { Connection } from './connection.ts'
import { wait } from './event-stream.ts'
import type { Terminal } from './terminal.ts'

type Failure = { platform: string; outcome: string; code: string; count: number }
export type Outcome = { status: string; stats: CampaignStats['stats']; failures: Failure[] }

const lookMs = 300
const ended = ['sent', 'cancelled', 'failed']

/**
 * Waits until a send has ended, at most `withinMs`, and gives its status and counters. With an administration token it also gives the number of
 * failed and skipped pushes for each code.
 */
export async function follow(
  terminal: Terminal,
  { herald, isAdministration, appPath }: Connection,
  id: string,
  withinMs: number,
): Promise<Outcome> {
  const path = isAdministration ? `${await appPath()}/campaigns/${id}` : undefined
  const endsAt = Date.now() + withinMs
  for (;;) {
    const { status, stats } = path ? await herald.request<CampaignStats>('GET', path) : await herald.campaigns.stats(id)
    if (ended.includes(status) || Date.now() >= endsAt || terminal.stop.aborted) {
      const hasCodes = path !== undefined && stats.failed + stats.skipped > 0
      const { codes } = hasCodes ? await herald.request<{ codes: Failure[] | null }>('GET', `${path}/breakdown`) : { codes: null }
      return { status, stats, failures: codes ?? [] }
    }
    await wait(lookMs, terminal.stop)
  }
}
