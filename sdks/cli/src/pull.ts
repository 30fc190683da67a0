import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readKept, sections, settingFields, type State } from './app-state.ts'
import { connect } from './connection.ts'
import { printable } from './printable.ts'
import { writeState } from './state-file.ts'
import type { Terminal } from './terminal.ts'

/** Writes what Herald has of an app into a YAML file, always in the same order. With `-` as the file it prints the text. */
export async function pull(terminal: Terminal, [file = 'herald.yaml']: string[], options: { app?: string }): Promise<number> {
  const { herald, appPath } = connect(terminal, options.app)
  const { app, settings, kept } = await readKept(
    herald,
    await appPath(),
    sections.map(({ name }) => name),
  )
  const state: State = {}
  for (const { name } of sections) state[name] = (kept.get(name) ?? []).map(({ entry }) => entry)
  state.settings = Object.fromEntries(settingFields.map((field) => [field, settings[field]]))
  const text = writeState(state)
  if (file === '-') {
    terminal.out(text.trimEnd())
    return 0
  }
  const isSame = existsSync(file) && readFileSync(file, 'utf8') === text
  if (!isSame) replace(file, text)
  const counts = sections.map(({ name }) => `${kept.get(name)?.length ?? 0} ${name}`).join(', ')
  terminal.say(printable(`${isSame ? 'Nothing has changed in' : 'Wrote'} ${file}: ${counts} and the settings of ${app}.`))
  return 0
}

/** Replaces the file in one step, so that a full disk or a Ctrl-C leaves no half of a file. */
function replace(file: string, text: string): void {
  const next = `${file}.${process.pid}`
  try {
    writeFileSync(next, text)
    renameSync(next, file)
  } finally {
    rmSync(next, { force: true })
  }
}
