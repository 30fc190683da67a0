// `npm run test:rules`: promtool reads deploy/prometheus/rules.yml and tries each alert on the series of rules.test.yml. Takes the promtool of the machine,
// else that of Debian's package, which is unpacked into .tools and not installed, as an installed one starts a server.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.ts'

const folder = join(root, 'deploy/prometheus')
const promtool = findPromtool()
const checks = [
  ['check', 'rules', 'rules.yml'],
  ['test', 'rules', 'rules.test.yml'],
]
for (const asked of checks) if (spawnSync(promtool, asked, { cwd: folder, stdio: 'inherit' }).status !== 0) process.exitCode = 1

function findPromtool(): string {
  if (spawnSync('promtool', ['--version']).status === 0) return 'promtool'
  const unpacked = join(root, '.tools/prometheus')
  const found = join(unpacked, 'usr/bin/promtool')
  if (existsSync(found)) return found
  console.log('herald: fetching promtool')
  mkdirSync(unpacked, { recursive: true })
  try {
    execFileSync('apt-get', ['download', 'prometheus'], { cwd: unpacked, stdio: ['ignore', 'ignore', 'pipe'] })
    const [archive = ''] = globSync('prometheus_*.deb', { cwd: unpacked })
    execFileSync('dpkg', ['-x', archive, unpacked], { cwd: unpacked })
  } catch {
    console.error(
      'promtool is missing, and Debian’s package `prometheus` could not be fetched: run `apt-get update`, or put promtool into the PATH.',
    )
    process.exit(1)
  }
  return found
}
