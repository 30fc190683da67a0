import type { Log } from '@herald/service/log'
import type { Metrics } from '@herald/service/metrics'
import { isHealthy } from './core/circuit.ts'
import { keepRecent } from './core/recent.ts'
import type { Healthy, Judgement } from './judge-answers.ts'
import { nameOfCircuit } from './store/circuits.ts'

/** What a process remembers of circuits, and whom it tells of them. */
export type Breaker = {
  readonly healthy: Healthy
  /** To be called when the judgement is committed. */
  tell(judgement: Judgement): void
}

const complainEveryMs = 60_000

export function openBreaker({ log, metrics }: { log: Log; metrics: Metrics }): Breaker {
  const healthy: Healthy = keepRecent(5_000)
  const complainedAtMs = keepRecent<number>(5_000)
  const guarded = metrics.counter('herald_guarded_total', 'Refused tokens that came before the mass guard, by what it made of them.', [
    'platform',
    'verdict',
  ])

  return {
    healthy,
    tell({ judged, noted, opened, closed }) {
      for (const row of noted) {
        const notedAtMs = isHealthy(row) ? performance.now() : Number.NEGATIVE_INFINITY
        healthy.set(nameOfCircuit(row), { credentialsVersion: row.credentialsVersion, notedAtMs })
      }
      for (const { appId, platform, environment, code } of opened) {
        log.error(
          { appId, platform, environment, code },
          'the provider refuses our credentials, pushes are held: fix the credentials; a probe is made every 30 s and at once when they change',
        )
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
