import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Keeps a result in `bench/results/<name>-<day>-<commit>.json`, and gives the path. */
export function keepResult(name: string, result: Record<string, unknown>): string {
  const root = resolve(import.meta.dirname, '../..')
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const at = new Date().toISOString()
  const directory = join(root, 'bench/results')
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `${name}-${at.slice(0, 10)}-${commit}.json`)
  writeFileSync(file, `${JSON.stringify({ at, commit, ...result }, null, 2)}\n`)
  return file
}
