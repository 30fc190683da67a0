import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './workspace.ts'

const files = globSync(['README.md', 'docs/**/*.md', 'sdks/*/README.md', 'examples/*/README.md'], { cwd: root }).filter(
  (file) => !file.includes('node_modules') && !file.includes('/dist/'),
)
const packages = ['web', 'node', 'cli', 'python', 'go', 'kotlin', 'swift', 'react-native', 'capacitor', 'flutter']
const versionFiles: Record<string, string> = {
  python: 'python/herald/version.py',
  go: 'go/herald.go',
  kotlin: 'kotlin/src/main/kotlin/dev/herald/Herald.kt',
  swift: 'swift/Herald.swift',
  flutter: 'flutter/pubspec.yaml',
}
const versionOf = (name: string) => {
  const text = readFileSync(join(root, 'sdks', versionFiles[name] ?? `${name}/package.json`), 'utf8')
  return /[vV]ersion(?:__)? = "(.+)"|"version": "(.+)"|^version: (.+)$/m
    .exec(text)
    ?.slice(1)
    .find((version) => version !== undefined)
}

// spec: administration/packages-served
test('the documents show the addresses of packages with the versions of today, and no package of another registry', () => {
  const addresses = files.flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(/\/sdk\/v1\/([a-z-]+)-(\d[^\s`'"]*)\.tgz/g),
  ])
  expect(addresses.length).toBeGreaterThan(3)
  expect(addresses.filter(([, name = '', version]) => version !== versionOf(name)).map(([text]) => text)).toEqual([])
  const foreign = files.filter((file) =>
    /\b(npm (install|i)|npx|pnpm add|yarn add)( --?\w+)* @herald\/|"@herald\/cli"/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(foreign).toEqual([])
  expect(new Set(packages.map(versionOf)).size).toBe(1)
})
