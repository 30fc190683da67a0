import { openLog } from '@herald/service/log'
import { openMetrics } from '@herald/service/metrics'
import { expect, test } from 'vitest'
import { openConnectionNotes } from './open-providers.ts'

test('events of connections to providers are counted, and logged at level debug, with a host only when one is given', async () => {
  const metrics = openMetrics()
  const lines: string[] = []
  const log = openLog('dispatcher', 'debug', { write: (line: string) => void lines.push(line) })
  const notes = openConnectionNotes({ metrics, log })

  notes('ios', 'api.push.example:443')({ is: 'draining', reason: 'GOAWAY', debug: '' })
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

// spec: providers/goaway-reason
test('a GOAWAY’s reason is logged, cut down to plain signs, and no other text of it', () => {
  const lines: string[] = []
  const log = openLog('dispatcher', 'info', { write: (line: string) => void lines.push(line) })
  const notes = openConnectionNotes({ metrics: openMetrics(), log })
  const draining = (debug: string) => ({ is: 'draining', reason: 'GOAWAY', debug }) as const

  notes('ios', 'api.push.example:443')(draining('{"reason":"BadCertificateEnvironment"}'))
  notes('ios', 'api.push.example:443')(draining('{"reason":"<b>Shutdown</b>","token":"secret"}'))
  for (const debug of ['', 'secret', '"secret"', '{"reason":7}', '{"reason":']) notes('ios', 'api.push.example:443')(draining(debug))
  notes('web')(draining('{"reason":"Shutdown"}'))

  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'info', platform: 'ios', host: 'api.push.example:443', is: 'draining', reason: 'GOAWAY', said: 'BadCertificateEnvironment' },
    { said: 'bShutdownb' },
  ])
  expect(lines.join('')).not.toContain('secret')
})
