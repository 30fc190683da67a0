type Counted = { id: string; status: string; stats: { sent: number; opened: number; clicked: number } }

/** A campaign with fewer sent pushes says little about a rate. */
const fewestSent = 20

/**
 * Gives the median share of opened or clicked pushes among an app's other campaigns that have ended, and of how many. Null when none has enough sent
 * pushes.
 */
export function usualRate(campaigns: readonly Counted[], kind: 'opened' | 'clicked', except: string): { rate: number; of: number } | null {
  const rates = campaigns
    .filter(({ id, status, stats }) => id !== except && status === 'sent' && stats.sent >= fewestSent)
    .map(({ stats }) => stats[kind] / stats.sent)
    .toSorted((one, other) => one - other)
  const [low, high] = [rates[Math.floor((rates.length - 1) / 2)], rates[Math.floor(rates.length / 2)]]
  return low === undefined || high === undefined ? null : { rate: (low + high) / 2, of: rates.length }
}
