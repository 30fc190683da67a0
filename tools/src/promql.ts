import { readMetricsOf } from './describe-metrics.ts'
import { parser } from '@prometheus-io/lezer-promql'
import { openMetrics } from '@herald/service/metrics'

/** What Prometheus itself adds to each series, and what distinguishes the services of one process. */
const addedLabels = ['job', 'instance', 'service']
/** What Prometheus makes itself: `up` for each scrape, `ALERTS` for each alert. */
const ownMetrics = ['up', 'ALERTS']
const partOfHistogram = /_(bucket|sum|count)$/
/** A node in the syntax tree of a query. */
type Node = NonNullable<ReturnType<typeof parser.parse>['topNode']>

/** Gives the function that says what is wrong with a query: it cannot be read, or names a metric or a label that no process serves. */
export async function openQueryCheck(): Promise<(query: string) => string[]> {
  const known = await findServed()
  return (query) => {
    const findings: string[] = []
    const text = ({ from, to }: Node) => query.slice(from, to)
    parser.parse(query).iterate({
      enter({ node, type }) {
        if (type.isError) findings.push(`is no PromQL at ${query.slice(node.from, node.from + 20)}`)
        if (type.name === 'VectorSelector') findings.push(...findingsOf(node))
        if (type.name === 'AggregateExpr') findings.push(...groupedBy(node))
      },
    })
    return findings

    function findingsOf(selector: Node): string[] {
      const name = text(selector.getChild('Identifier') ?? selector)
      const labels = labelsOf(name)
      if (!labels) return [`names ${name}, which no process serves`]
      const matched = selector.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
      const unknown = matched.map((matcher) => text(matcher.getChild('LabelName') ?? matcher)).filter((label) => !labels.includes(label))
      const isSummed = labels.includes('scope') && !['Max', 'Min'].includes(aggregateAround(selector))
      return [
        ...unknown.map((label) => `names the label ${label}, which ${name} has not`),
        ...(isSummed ? [`takes no max of ${name}, which every process tells of the whole installation`] : []),
      ]
    }
    function groupedBy(aggregate: Node): string[] {
      const inside: string[] = []
      aggregate.cursor().iterate(({ node, type }) => {
        if (node.from >= aggregate.to) return false
        if (type.name === 'VectorSelector') inside.push(...(labelsOf(text(node.getChild('Identifier') ?? node)) ?? []))
        return true
      })
      const labels = aggregate.getChild('AggregateModifier')?.getChild('GroupingLabels')?.getChildren('LabelName') ?? []
      return labels
        .map(text)
        .filter((label) => !inside.includes(label))
        .map((label) => `groups by ${label}, which nothing inside has`)
    }
    /** The operation of the innermost aggregation that holds the selector, such as Max. */
    function aggregateAround(selector: Node): string {
      let node = selector.parent
      while (node && node.type.name !== 'AggregateExpr') node = node.parent
      return node?.getChild('AggregateOp')?.firstChild?.type.name ?? ''
    }
  }

  function labelsOf(name: string): readonly string[] | undefined {
    const whole = known.get(name)
    if (whole) return [...whole.labels, ...addedLabels]
    const [, part] = partOfHistogram.exec(name) ?? []
    const parts = known.get(name.replace(partOfHistogram, ''))
    return parts?.kind === 'histogram' ? [...parts.labels, ...addedLabels, ...(part === 'bucket' ? ['le'] : [])] : undefined
  }
}

type Served = { kind: string; labels: string[] }

/** Every metric of every process, and those of Prometheus itself, by name. */
async function findServed(): Promise<Map<string, Served>> {
  const served = new Map<string, Served>(ownMetrics.map((name) => [name, { kind: 'gauge', labels: ['alertname', 'alertstate'] }]))
  const ofProcess = openMetrics()
  ofProcess.watchProcess()
  for (const [, name = '', kind = ''] of (await ofProcess.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)) served.set(name, { kind, labels: [] })
  for (const { name, kind, labels } of readMetricsOf('{apps,libs}/*/src'))
    served.set(name, { kind, labels: [...(served.get(name)?.labels ?? []), ...labels] })
  return served
}
