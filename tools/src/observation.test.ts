import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { boards } from './boards.ts'
import { openQueryCheck } from './promql.ts'
import { root } from './workspace.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const Rules = z.object({
  groups: z.array(
    z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string(), annotations: z.object({ runbook: z.string() }) })) }),
  ),
})
const Tried = z.object({
  tests: z.array(z.object({ name: z.string(), promql_expr_test: z.array(z.object({ exp_samples: z.array(z.unknown()) })) })),
})
const rules = Rules.parse(parse(read('deploy/prometheus/rules.yml'))).groups.flatMap((group) => group.rules)
const findings = await openQueryCheck()

test('alerts and boards name only served metrics and labels, with the maximum of what all processes report', () => {
  const queries = [
    ...rules.map(({ alert, expr }) => ({ of: alert, query: expr })),
    ...boards.flatMap(({ title, panels }) => panels.map(({ title: panel, query }) => ({ of: `${title}, ${panel}`, query }))),
  ]
  expect(queries.length).toBeGreaterThan(50)
  expect(queries.flatMap(({ of, query }) => findings(query).map((finding) => `${of} ${finding}`))).toEqual([])
})

test('every alert has a paragraph in the runbook, and the runbook has no other', () => {
  const headings = [...read('docs/runbook.md').matchAll(/^### (\w+)$/gm)].map(([, heading]) => heading)
  expect(headings).toHaveLength(rules.length)
  expect(new Set(headings)).toEqual(new Set(rules.map(({ alert }) => alert)))
  expect(rules.filter(({ alert, annotations }) => annotations.runbook !== `docs/runbook.md#${alert.toLowerCase()}`)).toEqual([])
})

test('promtool tries every alert once where it must be silent and once where it must fire', () => {
  const { tests } = Tried.parse(parse(read('deploy/prometheus/rules.test.yml')))
  const tried = tests.map(({ name, promql_expr_test: at }) => [name.split(':')[0], at.map(({ exp_samples: samples }) => samples.length)])
  expect(Object.fromEntries(tried)).toEqual(Object.fromEntries(rules.map(({ alert }) => [alert, [0, 1]])))
})
