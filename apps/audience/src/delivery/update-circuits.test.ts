import { newId } from '@herald/contracts/ids'
import { openLog } from '@herald/service/log'
import { openMetrics } from '@herald/service/metrics'
import { expect, test } from 'vitest'
import { type CircuitChanges, type Finish, rememberCircuits } from './update-circuits.ts'
import type { RefusalMeaning } from './core/circuit.ts'
import { nameOfCircuit, type CircuitRow } from './store/circuits.ts'

const lines: Record<string, unknown>[] = []
const log = openLog('audience', 'info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
const metrics = openMetrics()
const circuitMemory = rememberCircuits({ log, metrics })

const nothing = (): CircuitChanges => ({ refusals: new Map(), updated: [], opened: [], closed: [], probedAgain: [], open: new Set() })
const circuit = (change: Partial<CircuitRow> = {}): CircuitRow => ({
  ...{ appId: newId(), platform: 'ios', environment: 'sandbox', state: 'closed', code: null, since: new Date() },
  ...{ probeAt: null, answers: '', refusedProbes: 0, credentialsVersion: 1 },
  ...change,
})

test('audience logs an error that says what to do when a circuit opens, and info when it closes', () => {
  const opened = circuit({ state: 'open', code: 'sender_mismatch' })
  circuitMemory.tell({ ...nothing(), opened: [opened] })
  circuitMemory.tell({ ...nothing(), closed: [circuit({ appId: opened.appId })] })

  const told = lines.filter(({ appId }) => appId === opened.appId)
  expect(told).toMatchObject([
    { level: 'error', platform: 'ios', environment: 'sandbox', code: 'sender_mismatch' },
    { level: 'info', platform: 'ios', environment: 'sandbox' },
  ])
  expect(told[0]?.msg).toContain('fix the credentials')
})

test('when a provider is away an error is logged that does not blame the credentials', () => {
  const opened = circuit({ state: 'open', code: 'network_error' })
  circuitMemory.tell({ ...nothing(), opened: [opened] })

  const [told] = lines.filter(({ appId }) => appId === opened.appId)
  expect(told).toMatchObject({ level: 'error', code: 'network_error' })
  expect(told?.msg).toContain('the provider is away')
  expect(told?.msg).not.toContain('credentials')
})

test('refused tokens log an error at most once a minute for each circuit, and each refusal is counted', async () => {
  const { appId, platform, environment } = circuit()
  const token = {
    ...{ place: 0, subscriptionId: newId(), userId: newId(), tokenVersion: 1, environment, host: '', letter: 'g' as const },
    ...{ tries: 1, retryInMs: null, agoMs: 10 },
  }
  const refused = { ...token, code: 'token_invalid' as const, providerCode: '400 BadDeviceToken' }
  const finish: Finish = {
    row: {
      id: newId(),
      appId,
      campaignId: newId(),
      platform,
      lane: 'bulk',
      probes: null,
      takes: 1,
      queuedAt: new Date(),
      notesSent: false,
    },
    finish: {
      ...{
        batchId: newId(),
        appId,
        takes: 1,
        environments: [],
        unsent: [],
        dead: [],
        guarded: [refused, refused],
        refused: [],
        accepted: [],
        unavailable: [],
      },
      ...{ answers: [], credentialsVersion: 1, retries: [] },
    },
  }
  const key = { appId, platform, environment }
  const refusals = (meaning: RefusalMeaning) =>
    new Map([[finish, new Map([[nameOfCircuit(key), { circuit: key, decisionOn: () => ({ meaning, code: null }) }]])]])

  for (const meaning of ['failed', 'failed', 'dead'] as const) circuitMemory.tell({ ...nothing(), refusals: refusals(meaning) })

  expect(lines.filter((line) => line.appId === appId)).toMatchObject([{ level: 'error', platform, environment }])
  expect(JSON.stringify(lines)).not.toContain(token.subscriptionId)
  expect(await metrics.text()).toContain('herald_guarded_total{platform="ios",verdict="failed"} 4')
  expect(await metrics.text()).toContain('herald_guarded_total{platform="ios",verdict="dead"} 2')
})

test('a process remembers when it last wrote sends to a circuit only for circuits that are healthy', () => {
  const [well, mixed] = [circuit({ answers: 's'.repeat(200) }), circuit({ answers: 'ssg' })]

  circuitMemory.tell({ ...nothing(), updated: [well, mixed] })

  expect(circuitMemory.healthy.get(`${well.appId}.ios.sandbox`)?.notedAtMs).toBeGreaterThan(0)
  expect(circuitMemory.healthy.get(`${mixed.appId}.ios.sandbox`)?.notedAtMs).toBe(Number.NEGATIVE_INFINITY)
})
