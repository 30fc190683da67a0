// `npm run release -- 0.2.0` makes the tree ready to be released: it sets the version wherever it stands, keeps today's OpenAPI documents as the
// released ones, and names commit, contracts, documents and migrations in docs/releases.json. Commit what it wrote.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf, releasesFile, type Release } from './releases.ts'
import { root } from './workspace.ts'
import { writeWhole } from './write-whole.ts'

const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version)) stop('Give the version: npm run release -- 0.2.0')
const git = (...given: string[]) => execFileSync('git', given, { cwd: root, encoding: 'utf8' }).trim()
if (git('status', '--porcelain') !== '') stop('There are changes that are not committed. The release names a commit, so commit them first.')
const { version: before } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const releases = existsSync(join(root, releasesFile)) ? (JSON.parse(readFileSync(join(root, releasesFile), 'utf8')) as Release[]) : []
if (releases.some((release) => release.version === version)) stop(`${version} is released already.`)

const quoted = before.replaceAll('.', String.raw`\.`)
/** Where the version stands, and in what. Version numbers of other packages look the same, so each place has its own words. */
const places: readonly [files: string[], words: RegExp][] = [
  [
    ['package.json', '{apps,libs,sdks,examples}/*/package.json', '{e2e,bench,tools}/package.json'],
    new RegExp(`("version": ")${quoted}(")`),
  ],
  [['deploy/helm/*/Chart.yaml'], new RegExp(`((?:^|\\s)(?:appV|v)ersion: '?)${quoted}('?)`, 'g')],
  [['sdks/{node,cli}/src/version.ts', 'sdks/web/src/device.ts'], new RegExp(`(version = ')${quoted}(')`)],
  [['sdks/python/herald/version.py', 'sdks/go/herald.go'], new RegExp(`((?:__version__|Version) = ")${quoted}(")`)],
  [['sdks/kotlin/src/main/kotlin/dev/herald/Herald.kt', 'sdks/swift/Herald.swift'], new RegExp(`(sdkVersion = ")${quoted}(")`)],
  [['sdks/kotlin/build.gradle.kts'], new RegExp(`(\\nversion = ")${quoted}(")`)],
  [['docs/guide/android.md', 'sdks/kotlin/README.md'], new RegExp(`(dev\\.herald:herald:)${quoted}()`, 'g')],
  [['sdks/flutter/pubspec.yaml'], new RegExp(`(\\nversion: )${quoted}()`)],
  [['sdks/flutter/ios/*.podspec'], new RegExp(`(s\\.version = ')${quoted}(')`)],
  [['sdks/capacitor/package.json'], new RegExp(`("@herald/react-native": ")${quoted}(")`)],
  [['docs/guide/go.md', 'sdks/go/README.md', 'e2e/clients/go.test.ts'], new RegExp(`(herald@v)${quoted}()`, 'g')],
  [['README.md', 'docs/**/*.md', 'sdks/*/README.md', 'examples/*/README.md'], new RegExp(`(/sdk/v1/[\\w-]+-)${quoted}(\\.t)`, 'g')],
]
for (const [files, words] of places)
  for (const file of globSync(files, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' })) {
    const text = readFileSync(join(root, file), 'utf8')
    const changed = text.replace(words, `$1${version}$2`)
    if (changed !== text) writeWhole(join(root, file), changed, 0o644)
  }
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: root, stdio: 'ignore' })
execFileSync(process.execPath, ['tools/src/write-docs.ts'], { cwd: root, stdio: 'inherit' })

const documents = ['docs/openapi.json', 'docs/openapi.administration.json']
for (const document of documents) copyFileSync(join(root, document), join(root, document.replace(/\.json$/, '.released.json')))
const released: Release = {
  version,
  commit: git('rev-parse', 'HEAD'),
  contracts: hashOf(globSync('libs/contracts/src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))),
  documents: Object.fromEntries(documents.map((document) => [document, hashOf([document])])),
  migrations: Object.fromEntries(
    globSync('apps/*/migrations/*.sql', { cwd: root })
      .toSorted()
      .map((file) => [file, hashOf([file])]),
  ),
}
writeWhole(join(root, releasesFile), `${JSON.stringify([...releases, released], null, 2)}\n`, 0o644)
console.log(
  `${version}: write what is new into CHANGELOG.md, run npm run test:all and npm run release:check, commit, and tag the commit v${version}.`,
)

function stop(why: string): never {
  console.error(why)
  process.exit(1)
}
