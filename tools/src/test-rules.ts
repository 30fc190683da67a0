// `npm run test:rules`: promtool reads deploy/prometheus/rules.yml and tries each alert on the series of rules.test.yml. Takes the promtool of the machine,
// else that of Debian's package.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { unpackDebian } from './debian.ts'
import { root } from './workspace.ts'

const folder = join(root, 'deploy/prometheus')
const isHere = spawnSync('promtool', ['--version']).status === 0
const promtool = isHere ? 'promtool' : join(unpackDebian('prometheus', ['prometheus']), 'usr/bin/promtool')
const checks = [
  ['check', 'rules', 'rules.yml'],
  ['test', 'rules', 'rules.test.yml'],
]
for (const asked of checks) if (spawnSync(promtool, asked, { cwd: folder, stdio: 'inherit' }).status !== 0) process.exitCode = 1
