import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './workspace.ts'

const files = globSync(['README.md', 'docs/**/*.md', 'sdks/*/README.md', 'examples/*/README.md'], { cwd: root }).filter(
  (file) => !file.includes('node_modules') && !file.includes('/dist/'),
)
const versionOf = (name: string) =>
  name === 'python'
    ? /"(.+)"/.exec(readFileSync(join(root, 'sdks/python/herald/version.py'), 'utf8'))?.[1]
    : (JSON.parse(readFileSync(join(root, 'sdks', name, 'package.json'), 'utf8')) as { version: string }).version

// spec: administration/packages-served
test('the documents show the addresses of packages with the versions of today, and no package of another registry', () => {
  const addresses = files.flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(/\/sdk\/v1\/(web|node|cli|python)-(\d[^\s`'"]*)\.tgz/g),
  ])
  expect(addresses.length).toBeGreaterThan(3)
  expect(addresses.filter(([, name = '', version]) => version !== versionOf(name)).map(([text]) => text)).toEqual([])
  const foreign = files.filter((file) => /npm (install|i) @herald\//.test(readFileSync(join(root, file), 'utf8')))
  expect(foreign).toEqual([])
  expect(new Set(['web', 'node', 'cli', 'python'].map(versionOf)).size).toBe(1)
})
