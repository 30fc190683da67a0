import { compile, type PlaceholderValues } from '@herald/contracts/placeholder'
import { compileEntry } from '@herald/contracts/render-entry'
import { Liquid } from 'liquidjs'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { median } from './report.ts'

const help = `node bench/src/render.ts [--seconds 1] [--rounds 5] [--keep]

How many texts a second of one core are filled in: our compiler, compiled once as for a batch, and liquidjs, parsed once, by turns over the
same 1,000 users. Both outputs are compared first. --keep writes the result to bench/results/. Run it on a quiet machine.`

const values = readOptions(help, { seconds: 1, rounds: 5, keep: false })

const users: PlaceholderValues[] = Array.from({ length: 1000 }, (_, n) => ({
  user: { id: `user-${n}`, externalId: `customer ${n}`, createdAt: new Date(1_700_000_000_000 + n * 10_000_000).toISOString() },
  tags: { first_name: n % 10 === 0 ? '' : `Anna ${n}`, plan: 'gold' },
  subscription: { platform: 'ios' },
  data: { order: String(100_000 + n) },
  campaign: { id: 'c1', name: 'spring' },
  timezone: 'Europe/Berlin',
}))

const entryOf = (title: string, body: string): ((user: PlaceholderValues) => string) => {
  const render = compileEntry({ title, body })
  return (user) => {
    const entry = render(user)
    return entry ? entry.title + entry.body : ''
  }
}

const cases: { what: string; render: (values: PlaceholderValues) => string; liquid?: string }[] = [
  twoTags('two tags', 'Hello {{ user.externalId }}, your order {{ data.order }} is on its way'),
  twoTags(
    'two tags with filters',
    'Hello {{ tags.first_name | default: "friend" | upcase }}, your order {{ data.order | truncate: 12 }} is on its way',
  ),
  twoTags('two tags, one a date', 'Hello {{ user.externalId }}, a member since {{ user.createdAt | date: "%B %-d, %Y" }}'),
  { what: 'an entry: two tags in title and body', render: entryOf('Hello {{ user.externalId }}', 'Order {{ data.order }} is on its way') },
  { what: 'an entry without tags (not rendered)', render: entryOf('Hello', 'Your order is on its way') },
]

function twoTags(what: string, template: string) {
  return { what, render: compile(template), liquid: template }
}

const results = cases.map(({ what, render, liquid }) => {
  const engine = new Liquid({ ownPropertyOnly: true, locale: 'en-US', timezoneOffset: 'Europe/Berlin' })
  const parsed = liquid === undefined ? undefined : engine.parse(liquid)
  if (parsed) for (const user of users) if (engine.renderSync(parsed, user) !== render(user)) throw new Error(`void: ${what} differs`)
  const own: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < values.rounds; round += 1) {
    own.push(rendersPerSecond(render))
    if (parsed) theirs.push(rendersPerSecond((user) => String(engine.renderSync(parsed, user))))
  }
  const result = {
    what,
    rendersPerSecond: Math.round(median(own)),
    rounds: own.map((value) => Math.round(value)),
    liquidjsPerSecond: parsed ? Math.round(median(theirs)) : null,
  }
  say(`${what.padEnd(42)}${String(result.rendersPerSecond).padStart(12)}/s   liquidjs ${result.liquidjsPerSecond ?? '-'}/s`)
  return result
})

/**
 * Measures how many texts are rendered in a second of the process's CPU time, so that other programs matter less. Each text is read to its end,
 * because V8 joins a string's pieces only then.
 */
function rendersPerSecond(render: (user: PlaceholderValues) => string): number {
  const before = process.cpuUsage()
  const endsAt = performance.now() + values.seconds * 1000
  let rendered = 0
  let read = 0
  while (performance.now() < endsAt) {
    for (const user of users) {
      const text = render(user)
      if (text.charCodeAt(text.length - 1) > 0) read += 1
    }
    rendered += users.length
  }
  if (read !== rendered) throw new Error('void: something rendered to nothing')
  const { user, system } = process.cpuUsage(before)
  return (rendered * 1e6) / (user + system)
}

if (values.keep) keep('render', { what: 'texts filled in per second of CPU', results })
