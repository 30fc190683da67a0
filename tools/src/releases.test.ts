import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { hashOf, releasesFile, type Release } from './releases.ts'
import { root } from './workspace.ts'

const releases = JSON.parse(readFileSync(join(root, releasesFile), 'utf8')) as Release[]
const newest = releases.at(-1)
const manifests = [
  'package.json',
  ...globSync(['{apps,libs,sdks,examples}/*/package.json', '{e2e,bench,tools}/package.json'], { cwd: root }),
]
const versionOf = (file: string) => (JSON.parse(readFileSync(join(root, file), 'utf8')) as { version?: string }).version

// spec: running/migrations-add
test('the schema of a release is never changed: each migration that was released is there as it was', () => {
  const released = releases.flatMap(({ migrations }) => Object.entries(migrations))
  expect(released.length).toBeGreaterThanOrEqual(5)
  expect(released.filter(([file, hash]) => !existsSync(join(root, file)) || hashOf([file]) !== hash).map(([file]) => file)).toEqual([])
})

test('all packages have the version that the changelog begins with, and released documents are the newest release’s', () => {
  const versions = new Set(manifests.map(versionOf).filter((version) => version !== undefined))
  expect([...versions]).toEqual([newest?.version])
  expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toMatch(
    new RegExp(`^# Changes\\n\\n(?:## Next\\n(?:(?!## ).*\\n)*)?## ${newest?.version}\\b`),
  )
  // Kotlin, Swift, Python and Go have the version in a source.
  for (const file of [
    'sdks/kotlin/src/main/kotlin/dev/herald/Herald.kt',
    'sdks/swift/Herald.swift',
    'sdks/python/herald/version.py',
    'sdks/go/herald.go',
  ])
    expect([file, readFileSync(join(root, file), 'utf8').includes(`= "${newest?.version}"`)]).toEqual([file, true])
  for (const document of Object.keys(newest?.documents ?? {}))
    expect(existsSync(join(root, document.replace(/\.json$/, '.released.json')))).toBe(true)
})

// node-pg-migrate leaves out punctuation when it orders files of one number: `0210_recalls_index` came before `0210_recalls`.
test('no two migrations of a service have the same number, which alone says in which order they run', () => {
  for (const [app, files] of Map.groupBy(globSync('apps/*/migrations/*.sql', { cwd: root }), (file) => file.split('/')[1])) {
    const numbers = files.map((file) => basename(file).slice(0, 4))
    expect([app, numbers.toSorted()]).toEqual([app, [...new Set(numbers)].toSorted()])
  }
})
