import { newId } from '@herald/contracts/ids'
import { openLog } from '@herald/service/log'
import { openMetrics } from '@herald/service/metrics'
import { expect, test } from 'vitest'
import { openBreaker } from './breaker.ts'
import type { Verdict } from './core/circuit.ts'
import type { Finish, Judgement } from './judge-answers.ts'
import type { CircuitRow } from './store/circuits.ts'

const lines: Record<string, unknown>[] = []
const log = openLog('audience', 'info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
const metrics = openMetrics()
const breaker = openBreaker({ log, metrics })

const nothing = (): Judgement => ({ judged: new Map(), noted: [], opened: [], closed: [], open: new Set() })
const circuit = (change: Partial<CircuitRow> = {}): CircuitRow => ({
  ...{ appId: newId(), platform: 'ios', environment: 'sandbox', state: 'closed', code: null, since: new Date() },
  ...{ probeAt: null, answers: '', credentialsVersion: 1 },
  ...change,
})

test('opening is an error that says what to do, closing is news', () => {
  const opened = circuit({ state: 'open', code: 'sender_mismatch' })
  breaker.tell({ ...nothing(), opened: [opened] })
  breaker.tell({ ...nothing(), closed: [circuit({ appId: opened.appId })] })

  const told = lines.filter(({ appId }) => appId === opened.appId)
  expect(told).toMatchObject([
    { level: 'error', platform: 'ios', environment: 'sandbox', code: 'sender_mismatch' },
    { level: 'info', platform: 'ios', environment: 'sandbox' },
  ])
  expect(told[0]?.msg).toContain('fix the credentials')
})

test('a provider that is away is an error that blames no credentials', () => {
  const opened = circuit({ state: 'open', code: 'network_error' })
  breaker.tell({ ...nothing(), opened: [opened] })

  const [told] = lines.filter(({ appId }) => appId === opened.appId)
  expect(told).toMatchObject({ level: 'error', code: 'network_error' })
  expect(told?.msg).toContain('the provider is away')
  expect(told?.msg).not.toContain('credentials')
})

test('many refused tokens are an error once a minute and circuit; each is counted', async () => {
  const { appId, platform, environment } = circuit()
  const token = { place: 0, subscriptionId: newId(), userId: newId(), tokenVersion: 1, tries: 1, agoMs: 10 }
  const refused = { ...token, code: 'token_invalid' as const, providerCode: '400 BadDeviceToken' }
  const finish: Finish = {
    row: {
      id: newId(),
      app_id: appId,
      campaign_id: newId(),
      platform,
      lane: 'bulk',
      probes: null,
      takes: 1,
      queued_at: new Date(),
      notes_sent: false,
    },
    finish: {
      ...{ batchId: newId(), takes: 1, environments: [], unsent: [], dead: [], guarded: [refused, refused], unavailable: [] },
      ...{ answers: [], credentialsVersion: 1, retries: [] },
    },
  }
  const judged = (verdict: Verdict) => new Map([[finish, { verdict, circuit: { appId, platform, environment } }]])

  for (const verdict of ['failed', 'failed', 'dead'] as const) breaker.tell({ ...nothing(), judged: judged(verdict) })

  expect(lines.filter((line) => line.appId === appId)).toMatchObject([{ level: 'error', platform, environment }])
  expect(JSON.stringify(lines)).not.toContain(token.subscriptionId)
  expect(await metrics.text()).toContain('herald_guarded_total{platform="ios",verdict="failed"} 4')
  expect(await metrics.text()).toContain('herald_guarded_total{platform="ios",verdict="dead"} 2')
})

test('sends are remembered for circuits that have heard nothing else', () => {
  const [well, mixed] = [circuit({ answers: 's'.repeat(200) }), circuit({ answers: 'ssg' })]

  breaker.tell({ ...nothing(), noted: [well, mixed] })

  expect(breaker.healthy.get(`${well.appId}.ios.sandbox`)?.notedAtMs).toBeGreaterThan(0)
  expect(breaker.healthy.get(`${mixed.appId}.ios.sandbox`)?.notedAtMs).toBe(Number.NEGATIVE_INFINITY)
})
