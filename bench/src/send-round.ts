import { setTimeout as sleep } from 'node:timers/promises'
import type { Tenant } from '@herald/testing/tenant'
import { readLedgerSize, readWal, untilSettled } from './database-use.ts'
import type { MeasuredHerald } from './measured-herald.ts'
import type { Said } from './peers.ts'
import { cpuBetween, measureProcesses } from './processes.ts'
import type { Round } from './report.ts'

/** A push server that is measured: Herald or a peer. */
export type Contender = {
  name: string
  /** The directory that its processes name in their environment or command line, by which `measureProcesses` finds them. */
  directory: string
  /** Asks for one push to every device. Resolves when the contender says that it has finished. */
  send(): Promise<Said>
  /** Reads the bytes of WAL that its Postgres has written. */
  wal(): Promise<number>
  /** Reads how many bytes its record of the pushes takes on disk, where that is known. */
  ledger?(): Promise<number>
}

/** Makes a contender of Herald. `send` resolves when the campaign is `sent`, which is when every outcome is counted. */
export function heraldSends({ dataDir, database }: MeasuredHerald, tenant: Tenant): Contender {
  return {
    name: 'herald',
    directory: dataDir,
    async send() {
      const { body, status } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
        target: { all: true },
        content: {
          _default: 'en',
          en: { title: 'Hello {{ user.externalId }}', body: 'This is a push notification of a usual size for the test' },
        },
      })
      if (status !== 202) throw new Error(`the send was answered ${status}`)
      await untilSettled(database, body.id, 1_200_000)
      const { body: counted } = await tenant.call<{ stats: { sent: number; failed: number } }>('GET', `/v1/campaigns/${body.id}/stats`)
      const { sent, failed } = counted.stats
      return { sent, failed }
    },
    wal: () => readWal(database),
    ledger: () => readLedgerSize(database),
  }
}

type Summary = { accepted: { total: number }; distinctDevices: number; rejected: Record<string, number>; lastAcceptedAt: number }

/**
 * Measures a contender's send to all devices: the time until the simulator has accepted the last push, and the CPU time until the end. A round does
 * not count with missing or repeated pushes, or when Herald's count differs.
 */
export async function sendRound(contender: Contender, { herald, tenant }: { herald: MeasuredHerald; tenant: Tenant }, pushes: number) {
  await tenant.simulator('POST', '/reset')
  await tenant.simulator('PUT', '/faults', { record: 'counts' })
  const summary = () => tenant.simulator<Summary>('GET', '/summary?open=false')
  const [walBefore, ledgerBefore] = [await contender.wal(), await contender.ledger?.()]
  const besideBefore = measureProcesses(herald.dataDir)
  const before = measureProcesses(contender.directory)
  const postedAt = performance.timeOrigin + performance.now()
  const said = await contender.send().catch((error: unknown): Said => ({ sent: 0, failed: 0, reason: String(error).slice(0, 300) }))
  const settledAt = performance.timeOrigin + performance.now()
  const after = measureProcesses(contender.directory)
  const besideAfter = measureProcesses(herald.dataDir)
  // Waits for pushes that come after the contender said that it has finished. Such a push is a second copy, or shows that the contender had not
  // finished.
  await sleep(1_000)
  const { accepted, distinctDevices, rejected, lastAcceptedAt } = await summary()

  const reasons = [
    accepted.total < pushes && `${pushes - accepted.total} pushes are missing`,
    accepted.total > distinctDevices && `${accepted.total - distinctDevices} copies`,
    contender.name === 'herald' && said.sent !== pushes && `${said.sent} counted as sent`,
  ].filter((reason) => reason !== false)
  const seconds = (lastAcceptedAt - postedAt) / 1000
  const { simulator = 0, ...beside } = cpuBetween(besideBefore, besideAfter, pushes)
  const cpu = contender.name === 'herald' ? beside : cpuBetween(before, after, pushes)
  const ledger = await contender.ledger?.()
  const round: Round = {
    contender: contender.name,
    void: reasons.length > 0 ? [...reasons, said.reason, JSON.stringify(rejected)].join('; ') : null,
    pushes,
    seconds,
    secondsToSettled: (settledAt - postedAt) / 1000,
    pushesPerSecond: pushes / seconds,
    said,
    cpuMicrosecondsPerPush: cpu,
    simulatorCpuMicrosecondsPerPush: simulator,
    // Herald is idle during a peer's round. This is the share of a core that Herald takes while idle.
    idleHeraldCores: contender.name === 'herald' ? null : (total(beside) * pushes) / 1e6 / ((settledAt - postedAt) / 1000),
    peakRssMb: Object.fromEntries(after.filter(({ name }) => name !== 'simulator').map(({ name, peakRssMb }) => [name, peakRssMb])),
    walBytesPerPush: ((await contender.wal()) - walBefore) / pushes,
    ledgerBytesPerPush: ledger === undefined || ledgerBefore === undefined ? null : (ledger - ledgerBefore) / pushes,
  }
  return round
}

const total = (shares: Record<string, number>): number => Object.values(shares).reduce((sum, one) => sum + one, 0)
