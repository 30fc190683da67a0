import { platforms, type Platform } from '@herald/contracts/platform'

/** The fields of a row of the ledger that the table needs, as `/v1/admin/apps/:appId/pushes` answers them. */
export type Push = { platform: Platform; outcome: 'sent' | 'failed' | 'skipped'; code: string | null; engagements: string[] }

const columns = ['queued', 'sent', 'failed', 'skipped', 'delivered', 'opened'] as const

/** Writes the table of a campaign's outcomes, for each platform and in all, with failures and skips by code and the seconds that the send took. */
export function demoTable(pushes: Push[], seconds: number): string[] {
  const rows = [...platforms, 'total'].map((name) => {
    const own = pushes.filter(({ platform }) => name === 'total' || platform === name)
    const count = (is: (push: Push) => boolean) => own.filter(is).length
    const cells = {
      queued: own.length,
      sent: count(({ outcome }) => outcome === 'sent'),
      failed: count(({ outcome }) => outcome === 'failed'),
      skipped: count(({ outcome }) => outcome === 'skipped'),
      delivered: count(({ engagements }) => engagements.includes('delivered')),
      opened: count(({ engagements }) => engagements.includes('opened')),
    }
    return `  ${name.padEnd(10)}${columns.map((column) => String(cells[column]).padStart(11)).join('')}`
  })
  const reasons = new Map<string, number>()
  for (const { outcome, code } of pushes) {
    if (outcome !== 'sent') reasons.set(`${outcome} ${code}`, (reasons.get(`${outcome} ${code}`) ?? 0) + 1)
  }
  return [
    '',
    `  ${''.padEnd(10)}${columns.map((column) => column.padStart(11)).join('')}`,
    ...rows,
    '',
    ...[...reasons].map(([reason, count]) => `  ${reason}: ${count}`),
    `  ${seconds.toFixed(2)} s from POST to the last outcome`,
  ]
}
