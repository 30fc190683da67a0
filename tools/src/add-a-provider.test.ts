import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './workspace.ts'

/** Files that name a platform or provider, and that need no change when a provider is added. */
const exceptions: readonly [files: RegExp, because: string][] = [
  [/^apps\/(dispatcher\/src\/providers|simulator\/src)\/(apns|fcm|web-push)\//, 'the folder of another provider'],
  [/^apps\/gateway\/src\/apps\/core\/providers\/(apns|fcm|web-push)\.ts$/, 'the file of another provider'],
  [
    /^apps\/gateway\/src\/(?:[a-z]+\/)?http\/([a-z-]*examples|shop|simulator-answers|openapi-webhooks)\.ts$/,
    'an example in the API’s document shows one platform',
  ],
  [/^sdks\/web\//, 'runs in browsers alone'],
  [/^apps\/audience\/src\/sends\/store\/dry-runs\.ts$/, 'only browsers need a worker before an import is of use'],
  [/^sdks\/(node|react-native|capacitor)\/build\.ts$/, 'words by which a package is found, and its folders'],
  [/^sdks\/react-native\/plugin\//, 'the projects of an app'],
  [/^tools\/src\/(build-sdks|pages)\.ts$/, 'names of packages'],
  [/^tools\/src\/conformance\.ts$/, 'names of SDKs'],
  [/^tools\/src\/guide\//, 'names of the guide’s pages'],
  [/^tools\/src\/lock\.ts$/, 'operating systems that packages are made for'],
]

const page = readFileSync(join(root, 'docs/add-a-provider.md'), 'utf8')
const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps', 'libs', 'sdks', 'tools/src'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && existsSync(join(root, file)))

/**
 * Finds the files in a folder whose path ends with a name from the page. Only the end is compared, because files move within a service more often
 * than they change their names.
 */
const filesNamed = (folder: string, name: string) =>
  sources.filter((file) => (folder === '' || file.startsWith(`${folder}/`)) && (file === name || file.endsWith(`/${name}`)))

/**
 * The files that the page names; for a row of its table that begins with a folder, the files in that folder. The page names new files after the files
 * of an example provider.
 */
const named = page.split('\n').flatMap((line) => {
  const [first = '', ...others] = [...line.matchAll(/`([\w./-]+)`/g)].map(([, text = '']) => text)
  const isFolder = /^(apps|libs|sdks)\/[\w/-]+$/.test(first) && !/\.\w+$/.test(first)
  return (isFolder ? others : [first, ...others])
    .filter((name) => /\.(tsx?|sql)$/.test(name) && !/hms|NNNN/i.test(name))
    .map((name) => ({ folder: isFolder && !name.startsWith('apps/') ? first : '', name }))
})

test('every file that the page about adding a provider names exists', () => {
  expect(named.length).toBeGreaterThan(60)
  expect(named.filter(({ folder, name }) => filesNamed(folder, name).length === 0)).toEqual([])
})

test('the page about adding a provider names every file that names one, but tests, generated files and exceptions', () => {
  const known = new Set(named.flatMap(({ folder, name }) => filesNamed(folder, name)))
  const names = /'(?:ios|android|web|apns|fcm|webpush)'|\b(?:ios|android|apns|fcm|webpush): |\bqueued_ios\b|\.(?:ios|android)\b/
  const missing = sources
    .filter((file) => !/\.test\.tsx?$|\.gen\.ts$|\/testing\//.test(file))
    .filter((file) => !known.has(file) && !exceptions.some(([files]) => files.test(file)))
    .filter((file) => names.test(readFileSync(join(root, file), 'utf8')))
  expect(missing).toEqual([])
})
