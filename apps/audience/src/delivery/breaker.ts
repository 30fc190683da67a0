import type { Log } from '@herald/service/log'
import type { Metrics } from '@herald/service/metrics'
import { isHealthy, isOutage, outageProbeMs } from './core/circuit.ts'
import { keepRecent } from '../core/recent.ts'
import type { Healthy, Judgement } from './judge-answers.ts'
import { nameOfCircuit } from './store/circuits.ts'

/** What a process remembers of circuits, and whom it tells of them. */
export type Breaker = {
  readonly healthy: Healthy
  /** How often a provider that is away is probed. */
  readonly outageProbeMs: number
  /** To be called when the judgement is committed. */
  tell(judgement: Judgement): void
}

const complainEveryMs = 60_000

const isRefusedText =
  'the provider refuses our credentials, pushes are held: fix the credentials; a probe is made every 30 s and at once when they change'
const isAwayText =
  'the provider is away, pushes wait within their ttl and one at a time is tried: look at the network and at the provider’s status page'

export function openBreaker({ log, metrics }: { log: Log; metrics: Metrics }, probeInMs = outageProbeMs): Breaker {
  const healthy: Healthy = keepRecent(5_000)
  const complainedAtMs = keepRecent<number>(5_000)
  const guarded = metrics.counter('herald_guarded_total', 'Refused tokens that came before the mass guard, by what it made of them.', [
    'platform',
    'verdict',
  ])

  return {
    healthy,
    outageProbeMs: probeInMs,
    tell({ judged, noted, opened, closed }) {
      for (const row of noted) {
        const notedAtMs = isHealthy(row) ? performance.now() : Number.NEGATIVE_INFINITY
        healthy.set(nameOfCircuit(row), { credentialsVersion: row.credentialsVersion, notedAtMs })
      }
      for (const row of opened) {
        const { appId, platform, environment, code } = row
        log.error({ appId, platform, environment, code }, isOutage(row) ? isAwayText : isRefusedText)
      }
      for (const { appId, platform, environment } of closed) log.info({ appId, platform, environment }, 'the provider accepts pushes again')
      for (const [{ finish }, { verdict, circuit }] of judged) {
        guarded.inc({ platform: circuit.platform, verdict }, finish.guarded.length)
        const name = nameOfCircuit(circuit)
        if (verdict !== 'failed' || performance.now() - (complainedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < complainEveryMs) continue
        complainedAtMs.set(name, performance.now())
        const { appId, platform, environment } = circuit
        log.error(
          { appId, platform, environment },
          'many tokens are refused: they fail and stay; check whose tokens and which credentials they are',
        )
      }
    },
  }
}
