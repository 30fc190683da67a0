import { HeraldError, type Herald } from '@herald/node'
import { readKept, sections, type State } from './app-state.ts'
import { connect } from './connection.ts'
import { printable } from './printable.ts'
import { changesBetween, requestOf, type Change, type Difference } from './state-changes.ts'
import { FileFaults, readState } from './state-file.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

export type ApplyOptions = { app?: string; 'dry-run'?: boolean; prune?: boolean; yes?: boolean; json?: boolean }

/** A value is printed with at most this many characters. */
const longestValue = 160
const signs = { add: '+', change: '~', delete: '-' }

/**
 * Shows how an app differs from a YAML file, asks, and brings the app to that. Gives the exit code: 0 when nothing is left to do, 1 after a failure,
 * 2 when a dry run found a difference.
 */
export async function apply(terminal: Terminal, [file = 'herald.yaml']: string[], options: ApplyOptions): Promise<number> {
  const { 'dry-run': dryRun = false, prune = false, yes = false, json = false } = options
  const { herald, appPath } = connect(terminal, options.app)
  const wanted = readOrTell(terminal, file)
  const path = await appPath()
  const named = sections.map(({ name }) => name).filter((name) => wanted[name] !== undefined)
  const present = await readKept(herald, path, named)
  const { changes, left } = changesBetween(wanted, present, prune)
  if (json) terminal.out(JSON.stringify({ app: present.app, changes: changes.map(shownOf), left }))
  else for (const line of changes.flatMap(linesOf)) terminal.out(line)
  if (left.length > 0) terminal.say(`${left.length} in Herald that the file does not name stay as they are; --prune deletes them.`)
  if (changes.length === 0) {
    terminal.say(printable(`${present.app} is as ${file} says: nothing to do.`))
    return 0
  }
  if (dryRun) {
    terminal.say(printable(`${changes.length} differences between ${present.app} and ${file}; nothing was changed.`))
    return 2
  }
  if (!yes) await confirm(terminal, changes, present.app)
  await carryOut(terminal, herald, path, changes)
  terminal.say(printable(`Applied ${changes.length} changes: ${present.app} is as ${file} says.`))
  return 0
}

function readOrTell(terminal: Terminal, file: string): State {
  try {
    return readState(file)
  } catch (error) {
    if (error instanceof FileFaults) for (const fault of error.faults) terminal.say(`  ${printable(fault)}`)
    throw error
  }
}

async function confirm(terminal: Terminal, changes: Change[], app: string): Promise<void> {
  if (!terminal.isInteractive)
    throw new UsageError(`${changes.length} changes are to be applied. Say --yes to apply them without being asked.`)
  const deletions = changes.filter(({ kind }) => kind === 'delete').length
  const what = `${changes.length} changes${deletions > 0 ? `, of which ${deletions} delete,` : ''}`
  if (!/^y(es)?$/i.test(await terminal.ask(printable(`Apply ${what} to ${app}? [y/N]`)))) throw new UsageError('Nothing was changed.')
}

/** Applies the changes one after another. When one fails, it says which were applied and throws. */
async function carryOut(terminal: Terminal, herald: Herald, appPath: string, changes: Change[]): Promise<void> {
  for (const [place, change] of changes.entries()) {
    try {
      if (terminal.stop.aborted) throw new Error('stopped')
      await carryOutOne(herald, appPath, change)
    } catch (error) {
      const applied = changes.slice(0, place)
      terminal.say(`Applied ${applied.length} of ${changes.length} changes${applied.length > 0 ? ':' : '.'}`)
      for (const done of applied) terminal.say(`  ${headOf(done)}`)
      terminal.say(`Not applied: ${headOf(change)}${placeOf(change)}, and what follows it. The same command goes on from there.`)
      throw error
    }
  }
}

async function carryOutOne(herald: Herald, appPath: string, change: Change): Promise<void> {
  const { method, path, body } = requestOf(change, appPath)
  const answer = await herald
    .request<{ id: string } | undefined>(method, path, body === undefined ? {} : { body })
    .catch((error: unknown) => {
      // Somebody else has deleted it meanwhile, and that is what the change wants.
      if (change.kind === 'delete' && error instanceof HeraldError && error.is('not_found')) return undefined
      throw error
    })
  // An endpoint is made switched on.
  if (change.section === 'webhooks' && change.kind === 'add' && change.entry['enabled'] === false)
    await herald.request('PATCH', `${path}/${answer?.id}`, { body: { enabled: false } })
}

const headOf = ({ kind, section, key }: Change): string =>
  printable(section === 'settings' ? '~ settings' : `${signs[kind]} ${section}: ${key}`)
const placeOf = (change: Change): string =>
  change.section === 'settings' || change.place === undefined ? '' : ` (${change.section}[${change.place}] of the file)`

const linesOf = (change: Change): string[] => [
  headOf(change),
  ...(change.kind === 'change' ? change.differences.map(lineOfDifference) : []),
]

const lineOfDifference = ({ path, from, to }: Difference): string => `    ${printable(path)}: ${textOf(from)} → ${textOf(to)}`

function textOf(value: unknown): string {
  if (value === undefined) return '(absent)'
  const text = printable(JSON.stringify(value))
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`
}

const shownOf = ({ kind, section, key, differences }: Change) => ({ kind, section, key, differences: kind === 'change' ? differences : [] })
