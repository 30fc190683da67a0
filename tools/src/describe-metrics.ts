import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apps } from '@herald/contracts/call'
import { parseSync, Visitor, type Expression } from 'oxc-parser'
import { root } from './workspace.ts'

/** A metric, as the source of its service makes it. */
export type Metric = { name: string; kind: 'counter' | 'gauge' | 'histogram'; help: string; labels: string[] }

/** Writes the page of every `herald_` metric from the sources, in which names and help texts are literals. */
export async function describeMetrics(): Promise<string> {
  return [
    '# Metrics',
    '',
    'Written by `npm run docs` from the sources; do not edit. Every process serves them on `OBSERVE_PORT` at `/metrics`, in Prometheus’ text format, beside those of Node and of the process (`nodejs_…`, `process_…`).',
    '',
    '## Every service',
    '',
    'What speaks of a database or a sweep is missing where there is none.',
    '',
    table('libs/service/src'),
    ...apps.flatMap((app) => ['', `## ${app}`, '', table(`apps/${app}/src`)]),
    '',
  ].join('\n')
}

/** Finds the metrics that the sources in these directories make. */
export function readMetricsOf(directories: string): Metric[] {
  const files = globSync(`${directories}/**/*.ts`, { cwd: root }).filter((file) => !/\.test\.ts$|(^|\/)testing\//.test(file))
  return files.flatMap((file) => readMetrics(file, readFileSync(join(root, file), 'utf8')))
}

function table(directory: string): string {
  return [
    '| metric | kind | labels | meaning |',
    '|---|---|---|---|',
    ...readMetricsOf(directory)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, kind, labels, help }) => `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`),
  ].join('\n')
}

/** Finds the metrics that a source file makes. Throws when one is written in a form that cannot be read. */
export function readMetrics(file: string, source: string): Metric[] {
  const { program } = parseSync(file, source)
  const named = new Map<string, Expression>()
  const metrics: Metric[] = []
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init) named.set(id.name, init)
    },
    CallExpression({ callee, arguments: [name, help, options] }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      const kind = kinds.find((one) => callee.property.type === 'Identifier' && one === callee.property.name)
      if (!kind || name?.type !== 'Literal' || typeof name.value !== 'string') return
      const labels = options && options.type !== 'SpreadElement' ? labelsOf(options, named) : []
      if (help?.type !== 'Literal' || typeof help.value !== 'string' || !labels)
        throw new Error(`${file}: help and labels of ${name.value} must be literals`)
      metrics.push({ name: name.value, kind, help: help.value, labels })
    },
  }).visit(program)
  return metrics
}

const kinds = ['counter', 'gauge', 'histogram'] as const

/** Reads the label names from an expression: a list, a constant that has a list, or options that have one. Undefined for any other expression. */
function labelsOf(expression: Expression, named: ReadonlyMap<string, Expression>): string[] | undefined {
  if (expression.type === 'Identifier') {
    const value = named.get(expression.name)
    return value && labelsOf(value, named)
  }
  if (expression.type === 'TSAsExpression') return labelsOf(expression.expression, named)
  if (expression.type === 'ObjectExpression') {
    const labelNames = expression.properties.find(
      (property) => property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === 'labelNames',
    )
    return labelNames?.type === 'Property' ? labelsOf(labelNames.value, named) : []
  }
  if (expression.type !== 'ArrayExpression') return undefined
  const labels = expression.elements.map((label) => (label?.type === 'Literal' ? label.value : undefined))
  return labels.every((label) => typeof label === 'string') ? labels : undefined
}
