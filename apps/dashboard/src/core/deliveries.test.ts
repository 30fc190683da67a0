import { createHmac } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerOf, failedHours, remedyOfAnswer, ticksOf, verifyCommand, type DeliveryFacts } from './deliveries.ts'

const delivery = (id: string, state: DeliveryFacts['state'], createdAt: string, more: Partial<DeliveryFacts> = {}): DeliveryFacts => {
  return { id, state, createdAt, replayable: true, attempts: [], ...more }
}

test('the bar of deliveries shows them from the oldest to the newest, each with the answer to its last attempt', () => {
  const attempts = [
    { at: '', status: 503, error: null, latencyMs: 40 },
    { at: '', status: 200, error: null, latencyMs: 12.4 },
  ]
  const ticks = ticksOf([
    delivery('b', 'pending', '2026-01-01T10:00:00.000Z'),
    delivery('a', 'delivered', '2026-01-01T09:00:00.000Z', { attempts }),
  ])
  expect(ticks).toEqual([
    { id: 'a', kind: 'good', latencyMs: 12.4, label: 'a: delivered, 200 after 12 ms' },
    { id: 'b', kind: 'busy', latencyMs: null, label: 'b: pending' },
  ])
})

// spec: dashboard/deliveries-by-hour
test('failed deliveries are grouped by hour to be sent again, without those whose body is not stored any more', () => {
  const hours = failedHours([
    delivery('a', 'failed', '2026-01-01T10:59:59.999Z'),
    delivery('b', 'failed', '2026-01-01T10:00:00.000Z'),
    delivery('c', 'failed', '2026-01-01T09:30:00.000Z'),
    delivery('d', 'failed', '2026-01-01T08:30:00.000Z', { replayable: false }),
    delivery('e', 'delivered', '2026-01-01T07:30:00.000Z'),
  ])
  expect(hours).toEqual([
    { from: '2026-01-01T10:00:00.000Z', to: '2026-01-01T11:00:00.000Z', count: 2 },
    { from: '2026-01-01T09:00:00.000Z', to: '2026-01-01T10:00:00.000Z', count: 1 },
  ])
})

test('the page says what to do about every answer of an endpoint except 2xx', () => {
  for (const status of [200, 204, 299]) expect(remedyOfAnswer(status, null)).toBeNull()
  for (const status of [301, 400, 401, 404, 410, 429, 500, 503]) expect(remedyOfAnswer(status, null)).toMatch(/\.$/)
  for (const error of ['timeout', 'network_error', 'blocked_address']) expect(remedyOfAnswer(null, error)).toMatch(/\.$/)
  expect(answerOf({ status: null, error: 'timeout', latencyMs: 10_000 })).toBe('no answer in time after 10,000 ms')
})

// spec: dashboard/verify-yourself
test('the command that a page shows for checking a signature computes the signature that Herald sends', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verify-'))
  try {
    const [secret, body, t] = ['whsec_of-this-test', '{"id":"dlv_1","events":[{"id":"evt_ü"}]}', '1767225600']
    const file = join(folder, 'body.json')
    writeFileSync(file, body)
    const said = execFileSync('sh', ['-c', verifyCommand(file)], { env: { ...process.env, T: t, WEBHOOK_SECRET: secret } }).toString()
    expect(said).toContain(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
