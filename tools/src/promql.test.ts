import { expect, test } from 'vitest'
import { openQueryCheck } from './promql.ts'

const findings = await openQueryCheck()

test.each([
  ['max by (queue) (herald_due_age_seconds{service="audience"}) > 30'],
  ['histogram_quantile(0.99, sum by (le, platform) (rate(herald_provider_seconds_bucket[5m])))'],
  ['sum by (job) (rate(process_cpu_seconds_total[5m]))'],
  ['max by (durable) (herald_messages_pending) > 0 unless on (durable) sum by (durable) (increase(herald_messages_total[5m])) > 0'],
])('a query of what processes serve is right: %s', (query) => {
  expect(findings(query)).toEqual([])
})

test.each([
  ['max(herald_ledger_differences)', 'names herald_ledger_differences, which no process serves'],
  ['herald_pushes_total_bucket', 'names herald_pushes_total_bucket, which no process serves'],
  ['rate(herald_pushes_total{lane="bulk"}[5m])', 'names the label lane, which herald_pushes_total has not'],
  ['sum by (code) (herald_batches_in_work)', 'groups by code, which nothing inside has'],
  ['sum(herald_due_age_seconds)', 'takes no max of herald_due_age_seconds, which every process tells of the whole installation'],
  ['herald_webhook_backlog > 5', 'takes no max of herald_webhook_backlog, which every process tells of the whole installation'],
  ['sum(rate(herald_pushes_total[5m])', 'is no PromQL'],
])('a query that misses is named: %s', (query, finding) => {
  expect(findings(query).join('; ')).toContain(finding)
})
