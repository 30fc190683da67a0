import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join, resolve } from 'node:path'

/** Gives when a result was measured, of which commit and on what machine. Without these a figure cannot be compared with another. */
export const aboutThisRun = () => ({
  at: new Date().toISOString(),
  commit: commit(),
  machine: {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  },
})

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

/** Writes a result to `bench/results/<name>-<day>-<commit>.json` and gives the file's path. */
export function keep(name: string, result: Record<string, unknown> & { at: string; commit: string }): string {
  const directory = resolve(import.meta.dirname, '../results')
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `${name}-${result.at.slice(0, 10)}-${result.commit}.json`)
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  return file
}
