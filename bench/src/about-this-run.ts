import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'

/** When a result was measured, of which commit and on what machine. Without that a figure cannot be compared with another. */
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
