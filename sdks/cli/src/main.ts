import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { doctor } from './doctor.ts'
import { explain } from './explain.ts'
import { help, overview } from './help.ts'
import { importFile } from './import.ts'
import { linesOfError } from './lines-of-error.ts'
import { listen } from './listen.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { printable } from './printable.ts'
import { send } from './send.ts'
import { tail } from './tail.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'
import { whoami } from './whoami.ts'

const [text, flag, texts] = [{ type: 'string' }, { type: 'boolean' }, { type: 'string', multiple: true }] as const

/** A command: its options, and how many words without an option it takes. */
type Command = {
  options: ParseArgsOptionsConfig
  words: number
  // The type of the parsed options is `never`, so that each command may declare its options by a type of its own.
  run: (terminal: Terminal, words: string[], options: Record<string, never>) => Promise<number>
}

// A command that needs a large package is imported when it runs, so that the others start as fast as without it.
const commands: Record<string, Command> = {
  login: { options: { url: text, app: text }, words: 0, run: (terminal, _words, options) => login(terminal, options) },
  logout: { options: {}, words: 0, run: logout },
  whoami: { options: { json: flag }, words: 0, run: (terminal, _words, options) => whoami(terminal, options) },
  send: {
    options: {
      app: text,
      to: texts,
      segment: text,
      all: flag,
      title: text,
      body: text,
      url: text,
      image: text,
      language: text,
      data: texts,
      file: text,
      key: text,
      'dry-run': flag,
      yes: flag,
      json: flag,
      within: text,
    },
    words: 0,
    run: (terminal, _words, options) => send(terminal, options),
  },
  tail: {
    options: { app: text, campaign: text, failed: flag, json: flag },
    words: 0,
    run: (terminal, _words, options) => tail(terminal, options),
  },
  listen: { options: { app: text, forward: text, events: text }, words: 0, run: (terminal, _words, options) => listen(terminal, options) },
  explain: { options: { app: text, json: flag }, words: 2, run: explain },
  import: {
    options: {
      app: text,
      from: text,
      column: texts,
      update: flag,
      'with-browsers': flag,
      'assume-opted-in': flag,
      'dry-run': flag,
      cancel: flag,
      yes: flag,
      json: flag,
    },
    words: 1,
    run: importFile,
  },
  pull: { options: { app: text }, words: 1, run: async (...given) => (await import('./pull.ts')).pull(...given) },
  apply: {
    options: { app: text, 'dry-run': flag, prune: flag, yes: flag, json: flag },
    words: 1,
    run: async (...given) => (await import('./apply.ts')).apply(...given),
  },
  mcp: {
    options: { app: text, 'allow-send': flag },
    words: 0,
    run: async (terminal, _words, options) => (await import('./mcp.ts')).serveMcp(terminal, options),
  },
  doctor: {
    options: { app: text, device: text, within: text, json: flag },
    words: 0,
    run: (terminal, _words, options) => doctor(terminal, options),
  },
}

/** Runs a command and gives its exit code: 0 when it worked, 1 when something failed, 2 when it was not understood, 130 when it was interrupted. */
export async function main(args: string[], terminal: Terminal): Promise<number> {
  const [name = '', ...rest] = args
  if (name === '--version') return say(terminal, version)
  if (name === '' || name === '--help' || name === '-h' || name === 'help') return say(terminal, help[rest[0] ?? ''] ?? overview)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    terminal.say(`herald: there is no command ${name}.\n\n${overview}`)
    return 2
  }
  try {
    const { values, positionals } = read(rest, command)
    if (values['help'] === true) return say(terminal, help[name] ?? overview)
    return await command.run(terminal, positionals, values as Record<string, never>)
  } catch (error) {
    return tell(terminal, name, error)
  }
}

function say(terminal: Terminal, lines: string): number {
  terminal.out(lines)
  return 0
}

function read(args: string[], { options, words }: Command) {
  try {
    const parsed = parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } }, allowPositionals: true })
    const extra = parsed.positionals[words]
    if (extra !== undefined) throw new UsageError(`${extra} is too much here.`)
    return parsed
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error
    throw new UsageError(error.message)
  }
}

function tell(terminal: Terminal, name: string, error: unknown): number {
  if (terminal.stop.aborted && !(error instanceof UsageError)) return 130
  if (error instanceof UsageError) {
    terminal.say(`herald ${name}: ${printable(error.message.replaceAll('\n', '\u2028')).replaceAll('\u2028', '\n')}`)
    return 2
  }
  const [first, ...more] = linesOfError(error)
  terminal.say(`herald ${name}: ${first}`)
  for (const line of more) terminal.say(line)
  return 1
}
