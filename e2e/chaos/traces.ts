import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'

/** Texts that must not be found anywhere, by a name that says what they are. Messages show the name, never the text. */
export type Secrets = Readonly<Record<string, string>>

/** Reads every file below a directory. A file that is deleted during the search is left out. */
function* filesBelow(directory: string): Generator<{ file: string; bytes: Buffer }> {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    try {
      yield { file, bytes: readFileSync(file) }
    } catch {
      // A log was rotated, or NATS dropped a block.
    }
  }
}

/** Gives the ways in which bytes may hold a text: plain, escaped in JSON, in base64 at each of the three alignments, in hex, and in a URL. */
function spellingsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text)
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    // The characters at both ends are cut off, because they also hold bits of the neighbouring bytes.
    const sure = whole.slice(before === 0 ? 0 : 4, -2)
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const all = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text), bytes.toString('hex'), ...inBase64]
  return [...new Set(all)].map((spelling) => Buffer.from(spelling))
}

/** Searches the files below a directory, byte by byte, for the secrets. Gives each find as `<what it is> in <file>`. */
export function findInFiles(directory: string, secrets: Secrets): { found: string[]; files: number; bytes: number } {
  const found: string[] = []
  let files = 0
  let total = 0
  const wanted = Object.entries(secrets).map(([name, text]) => ({ name, spellings: spellingsOf(text) }))
  for (const { file, bytes } of filesBelow(directory)) {
    files += 1
    total += bytes.length
    for (const { name, spellings } of wanted) if (spellings.some((spelling) => bytes.includes(spelling))) found.push(`${name} in ${file}`)
  }
  return { found, files, bytes: total }
}

export function findInTexts(texts: readonly string[], secrets: Secrets): string[] {
  return Object.entries(secrets).flatMap(([name, text]) => {
    const spellings = spellingsOf(text)
    return texts.some((each) => spellings.some((spelling) => each.includes(spelling.toString()))) ? [name] : []
  })
}

/** Searches every row of every table of the services for the secrets. Columns of type bytea are searched in the hex that Postgres shows. */
export async function findInTables(client: pg.Client, secrets: Secrets): Promise<{ found: string[]; tables: number }> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    for (const [what, text] of Object.entries(secrets)) {
      const spellings = [text, JSON.stringify(text).slice(1, -1), Buffer.from(text).toString('hex')]
      const { rowCount } = await client.query(
        `select from ${name} t where exists (select from unnest($1::text[]) s where position(s in t::text) > 0) limit 1`,
        [spellings],
      )
      if (rowCount) found.push(`${what} in ${name}`)
    }
  }
  return { found, tables: tables.length }
}
