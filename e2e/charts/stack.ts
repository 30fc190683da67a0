import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Copies the charts, puts `herald` into `herald-stack` as its dependency, and gives the folder of the copy of `herald-stack`. Nothing is written beside the charts. */
export function buildStack(helm: string, charts: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'herald-charts-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const chart of ['herald', 'herald-stack']) cpSync(join(charts, chart), join(folder, chart), { recursive: true })
  const stack = join(folder, 'herald-stack')
  const { status, stderr } = spawnSync(helm, ['dependency', 'build', stack], { encoding: 'utf8', env: { ...process.env, HOME: folder } })
  if (status !== 0) throw new Error(`helm dependency build: ${stderr}`)
  return stack
}
