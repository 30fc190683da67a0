// `npm run bench:table`: writes the tables of docs/performance.md from the results in bench/results. No figure of those tables is written by hand.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rows, type Kept, type Row } from './performance-rows.ts'
import type { PerThing } from './statements.ts'

const root = resolve(import.meta.dirname, '../..')
const page = join(root, 'docs/performance.md')
const results = join(root, 'bench/results')

/** The page shows only the dearest statements and the slowest reads; the result has all of them. */
const shown = 3

/** Finds the newest result whose file name is `beginning` followed by a date and a commit. */
const kept: Kept = (beginning) => {
  const candidates = readdirSync(results)
    .filter((file) => file.startsWith(beginning) && /^\d{4}-\d\d-\d\d-/.test(file.slice(beginning.length)))
    .map((file) => ({ file, result: JSON.parse(readFileSync(join(results, file), 'utf8')) as { at: string } }))
  return candidates.toSorted((one, other) => one.result.at.localeCompare(other.result.at)).at(-1)
}

const link = (file: string) => `[${/\d{4}-\d\d-\d\d-\w+(?=\.json$)/.exec(file)?.[0]}](../bench/results/${file})`

function goalLine({ measure, goal, repeat, from, read }: Row): string {
  const found = kept(from)
  if (!found) return `| ${measure} | ${goal} | not measured yet: \`${repeat}\` |`
  // Each row reads results of the format that its bench writes.
  const { text, met } = read(found.result as never)
  const judged = met === null ? text : `${text}, ${met ? 'met' : '**missed**'}`
  return `| [${measure}](../bench/results/${found.file}) | ${goal} | ${judged} |`
}

function statementTable(beginning: string, thing: string, repeat: string): string[] {
  const found = kept(beginning)
  if (!found) return [`Not measured yet: \`${repeat}\`.`]
  const result = found.result as { statements?: PerThing; sustained?: { statements?: PerThing } }
  const statements = result.statements ?? result.sustained?.statements
  if (!statements) return [`${found.file} holds no statements.`]
  const { all, dearest } = statements
  const line = (calls: number, microseconds: number, walBytes: number, text: string) =>
    `| ${calls.toFixed(4)} | ${microseconds.toFixed(2)} | ${walBytes.toFixed(1)} | ${text} |`
  const textOf = (text: string) => `\`${text.slice(0, 30).replaceAll(/[|`]/g, ' ').trim()}\``
  return [
    `${link(found.file)}, \`${repeat}\``,
    '',
    `| calls a ${thing} | µs | bytes of WAL | statement |`,
    '| ---: | ---: | ---: | --- |',
    line(all.calls, all.microseconds, all.walBytes, 'all'),
    ...dearest
      .slice(0, shown)
      .map(({ app, text, calls, microseconds, walBytes }) => line(calls, microseconds, walBytes, `${app}: ${textOf(text)}`)),
  ]
}

type Times = { asked: number; p50: number; p99: number }
type History = { devices: number; sends: number; reads: { what: string; alone: Times; besideASend: Times }[] }

function readTable(beginning: string, repeat: string): string[] {
  const found = kept(beginning)
  if (!found) return [`Not measured yet: \`${repeat}\`.`]
  const { reads } = found.result as History
  const slowest = reads.toSorted((one, other) => other.besideASend.p99 - one.besideASend.p99)
  const cells = ({ p50, p99 }: Times) => `${p50.toFixed(0)} | ${p99.toFixed(0)}`
  return [
    `${link(found.file)}, \`${repeat}\`, in milliseconds`,
    '',
    '| read | alone, p50 | p99 | beside a send, p50 | p99 |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...slowest.slice(0, shown).map(({ what, alone, besideASend }) => `| ${what} | ${cells(alone)} | ${cells(besideASend)} |`),
    `| each of the other ${reads.length - shown} | | | | ≤ ${slowest[shown]?.besideASend.p99.toFixed(0)} |`,
  ]
}

type Import = { rows: number; rowsPerSecond: number; registrations: { alone: { p99: number }; beside: { p99: number } } }
type People = { count: number; searches: Record<string, { p99: number }>; exports: Record<string, { perSecond: number }> }

function peopleLines(): string[] {
  const [read, search] = [kept('import-1000000-'), kept('people-1000000-')]
  const lines: string[] = []
  if (read) {
    const { rows: count, rowsPerSecond, registrations } = read.result as Import
    lines.push(
      `- **Import** of ${count.toLocaleString('en')} rows: ${rowsPerSecond.toLocaleString('en')}/s; p99 of 100 registrations a second beside it ${registrations.beside.p99.toFixed(0)} ms in the worst ten seconds, ${registrations.alone.p99.toFixed(0)} alone. ${link(read.file)}, \`npm run bench:import\``,
    )
  }
  if (search) {
    const { count, searches, exports } = search.result as People
    const worst = Math.max(...Object.values(searches).map(({ p99 }) => p99))
    lines.push(
      `- **Search** among ${count.toLocaleString('en')} users: p99 at most ${worst.toFixed(0)} ms. **Export** of all: ${exports['masked']?.perSecond.toLocaleString('en')} users/s, with full addresses ${exports['full']?.perSecond.toLocaleString('en')}. ${link(search.file)}, \`npm run bench:people\``,
    )
  }
  return lines
}

const tables: Record<string, string[]> = {
  goals: [
    '| measure | goal | measured |',
    '| --- | --- | --- |',
    ...rows.map(goalLine),
    '',
    `Repeat with \`npm run\`: ${[...new Set(rows.map(({ repeat }) => `\`${repeat.slice('npm run '.length)}\``))].join(', ')}.`,
  ],
  reads: readTable('history-10000000-', 'npm run bench:history'),
  people: peopleLines(),
  'statements of a push': statementTable('send-statements-ios-20000-', 'push', 'npm run bench -- --mix ios --statements'),
  'statements of a send': statementTable('small-statements-ios-', 'send', 'npm run bench:small -- --statements'),
}

let text = readFileSync(page, 'utf8')
for (const [name, lines] of Object.entries(tables)) {
  const [begin, end] = [`<!-- ${name}: written by npm run bench:table -->`, `<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for ${name}`)
  text = `${text.slice(0, from)}${begin}\n\n${lines.join('\n')}\n\n${text.slice(to)}`
}
writeFileSync(page, text)
process.stdout.write(`written: ${page}\n`)
