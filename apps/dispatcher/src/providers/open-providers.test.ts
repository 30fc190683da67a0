import { openLog } from '@herald/service/log'
import { openMetrics } from '@herald/service/metrics'
import { expect, test } from 'vitest'
import { openConnectionNotes } from './open-providers.ts'

test('events of connections to providers are counted, and logged at level debug, with a host only when one is given', async () => {
  const metrics = openMetrics()
  const lines: string[] = []
  const log = openLog('dispatcher', 'debug', { write: (line: string) => void lines.push(line) })
  const notes = openConnectionNotes({ metrics, log })

  notes('ios', 'api.push.example:443')({ is: 'draining', reason: 'GOAWAY' })
  for (const _ of Array(2)) notes('web')({ is: 'unreachable', reason: 'ECONNREFUSED', retryInMs: 100 })

  const text = await metrics.text()
  expect(text).toContain('herald_provider_connections_total{platform="ios",event="draining"} 1')
  expect(text).toContain('herald_provider_connections_total{platform="web",event="unreachable"} 2')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'debug', platform: 'ios', host: 'api.push.example:443', is: 'draining', reason: 'GOAWAY' },
    { platform: 'web', is: 'unreachable', reason: 'ECONNREFUSED' },
    { platform: 'web' },
  ])
  expect(lines[1]).not.toContain('host')
})
