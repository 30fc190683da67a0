import { readFileSync, statSync } from 'node:fs'
import { Document, parseDocument } from 'yaml'
import { keyOf, sections, settingFields, type Entry, type State } from './app-state.ts'

const mostBytes = 32 * 1024 ** 2
const heading = ` Written by \`herald pull\`. \`herald apply\` brings an app to this state: it adds and changes what is named here, and deletes nothing
 without --prune. A section that is left out is not touched. Secrets of webhooks are not in this file.`

/** What is wrong in a file, each with its path. */
export class FileFaults extends Error {
  override readonly name = 'FileFaults'
  readonly faults: readonly string[]

  constructor(file: string, faults: readonly string[]) {
    super(`${file} is not what \`herald apply\` can read.`)
    this.faults = faults
  }
}

/** Writes a state as YAML. The same state gives the same text. */
export function writeState(state: State): string {
  // Programs that read YAML 1.1 take off, no and 22:00 for other values than texts. With `compat` these texts are quoted.
  const document = new Document(state, { aliasDuplicateObjects: false, compat: 'yaml-1.1' })
  document.commentBefore = heading
  return document.toString({ lineWidth: 0 })
}

/** Reads and checks a file. Throws FileFaults. What is inside of an entry is checked by Herald. */
export function readState(file: string): State {
  const text = readText(file)
  const document = parseDocument(text, { version: '1.2' })
  if (document.errors.length > 0)
    throw new FileFaults(
      file,
      document.errors.slice(0, 20).map(({ message }) => message.split('\n')[0] ?? ''),
    )
  let content: unknown
  try {
    content = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw new FileFaults(file, [error instanceof Error ? error.message : String(error)])
  }
  const faults = faultsOf(content)
  if (faults.length > 0) throw new FileFaults(file, faults)
  return content as State
}

function readText(file: string): string {
  try {
    if (statSync(file).size > mostBytes) throw new FileFaults(file, ['it has more than 32 MiB'])
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof FileFaults) throw error
    throw new FileFaults(file, [(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : 'it cannot be read'])
  }
}

const isObject = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)
const unknownIn = (value: Entry, known: readonly string[]): string[] => Object.keys(value).filter((field) => !known.includes(field))

function faultsOf(content: unknown): string[] {
  if (!isObject(content)) return ['must have sections: categories, segments, templates, webhooks, settings']
  const names = [...sections.map(({ name }) => name), 'settings']
  const faults = unknownIn(content, names).map((name) => `${name}: is no section. Sections: ${names.join(', ')}`)
  for (const section of sections) {
    const entries = content[section.name]
    if (entries === undefined) continue
    if (!Array.isArray(entries)) {
      faults.push(`${section.name}: must be a list`)
      continue
    }
    const seen = new Map<string, number>()
    for (const [place, entry] of entries.entries()) {
      const at = `${section.name}[${place}]`
      if (!isObject(entry) || typeof entry[section.key] !== 'string') {
        faults.push(`${at}.${section.key}: must be a text`)
        continue
      }
      for (const field of unknownIn(entry, section.fields)) faults.push(`${at}.${field}: is no field. Fields: ${section.fields.join(', ')}`)
      const earlier = seen.get(keyOf(section, entry))
      if (earlier !== undefined && !section.mayRepeat) faults.push(`${at}.${section.key}: is that of ${section.name}[${earlier}] too`)
      seen.set(keyOf(section, entry), place)
    }
  }
  const { settings } = content
  if (settings !== undefined && !isObject(settings)) faults.push('settings: must have fields')
  else if (settings)
    for (const field of unknownIn(settings, settingFields))
      faults.push(`settings.${field}: is no setting. Settings: ${settingFields.join(', ')}`)
  return faults
}
