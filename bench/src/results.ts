import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { say } from './options.ts'

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

/** Writes a result to `bench/results/<name>-<day>-<commit>.json`, with what `aboutThisRun` gives, and prints the path of the file. */
export function keep(name: string, { what, ...result }: { what: string } & Record<string, unknown>): void {
  const whole = { what, ...aboutThisRun(), ...result }
  const directory = resolve(import.meta.dirname, '../results')
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `${name}-${whole.at.slice(0, 10)}-${whole.commit}.json`)
  writeFileSync(file, `${JSON.stringify(whole, null, 2)}\n`)
  say(`kept in ${file}`)
}
