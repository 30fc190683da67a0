import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Writes a result to `bench/results/<name>-<day>-<commit>.json` and gives the file. */
export function keep(name: string, result: Record<string, unknown> & { at: string; commit: string }): string {
  const directory = resolve(import.meta.dirname, '../results')
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `${name}-${result.at.slice(0, 10)}-${result.commit}.json`)
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  return file
}
