import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { checkSpecification } from './specification.ts'

const made: string[] = []
afterEach(() => made.splice(0).forEach((directory) => rmSync(directory, { recursive: true, force: true })))

// Joined here from two parts, so that this file itself has no such citation or mention.
const cites = ['spec', ''].join(':')
const elsewhere = ['api', 'md'].join('.')
const bare = ['identity', 'md'].join('.')
const numbered = ['decisions', 6].join(' ')

/** Checks a repository that has a page with two rules, and these files. */
function check(files: Record<string, string>) {
  const repository = mkdtempSync(join(tmpdir(), 'herald-specification-'))
  made.push(repository)
  const all = { 'docs/specification/identity.md': '# Identity\n\n### identity/login\n\nText.\n\n### identity/logout\n', ...files }
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true })
    writeFileSync(join(repository, path), content)
  }
  const { findings, ...found } = checkSpecification(repository)
  return { ...found, findings: findings.map(({ file, line, message }) => `${file}:${line} ${message}`) }
}

test('the check reads rules from headings and citations from comments; only a test’s citation counts', () => {
  const found = check({
    'apps/gateway/src/login.ts': `/** Logs in (${cites} identity/login, identity/logout). */`,
    'apps/gateway/src/login.test.ts': `// ${cites} identity/login\ntest('…', () => {})`,
  })
  expect(found).toEqual({ rules: ['identity/login', 'identity/logout'], tested: new Set(['identity/login']), citations: 3, findings: [] })
})

test('files in testing/ and the end-to-end tests count as tests of a rule', () => {
  const found = check({
    'apps/audience/src/testing/model.ts': `// ${cites} identity/login`,
    'e2e/chaos/scenarios/one.ts': `// ${cites} identity/logout`,
  })
  expect(found.tested).toEqual(new Set(['identity/login', 'identity/logout']))
})

test('a citation of a rule that does not exist is reported', () => {
  const found = check({ 'libs/auth/src/key.ts': `\n// ${cites} identity/login, identity/nobody` })
  expect(found.findings).toEqual(['libs/auth/src/key.ts:2 identity/nobody is no rule of docs/specification'])
})

test('a citation that cannot be read is reported; a key `spec` in code or YAML is not a citation', () => {
  const found = check({
    'libs/auth/src/key.ts': `// ${cites} identity/Login\nconst it = { spec: 7 }`,
    'deploy/one.yaml': 'spec:\n  replicas: 1\n',
  })
  expect(found.findings).toEqual(['libs/auth/src/key.ts:1 this is no citation: docs/specification/README.md says how to write one'])
})

test('a rule’s heading that names another page, has another form or exists twice is reported', () => {
  const { rules, findings } = check({
    'docs/specification/limits.md': '### identity/ids\n### limits/Ids\n### limits/ids\n### limits/ids\n',
  })
  expect(rules).toEqual(['identity/login', 'identity/logout', 'limits/ids'])
  expect(findings.map((finding) => finding.split(':')[1]?.split(' ')[0])).toEqual(['1', '2', '4'])
})

test.each([
  ['a comment that cites a document by its number', `// ${numbered}`, `"${numbered}" names no document: name the page and its section`],
  ['a document that is not in the repository', `/** As ${elsewhere} says. */`, `${elsewhere} is not in the repository`],
  ['such a document in the title of a test', `test('as ${elsewhere} has it', () => {})`, `${elsewhere} is not in the repository`],
  ['a page without its directory', `// see ${bare}`, `${bare} is not in the repository`],
])('the check reports %s', (_, text, message) => {
  expect(check({ 'apps/gateway/src/main.ts': text }).findings).toEqual([`apps/gateway/src/main.ts:1 ${message}`])
})

test('a page of the web may be mentioned by its address', () => {
  expect(check({ 'apps/gateway/src/main.ts': `// https://example.org/${elsewhere}` }).findings).toEqual([])
})

test('a page may be mentioned by its path from root, docs or the file; names in code are none', () => {
  const { findings } = check({
    'docs/architecture.md': '[identity](specification/identity.md)',
    'apps/gateway/README.md': 'This app.',
    'apps/gateway/src/main.ts': `// docs/architecture.md, architecture.md, specification/identity.md\nconst name = 'other.md'`,
    'apps/gateway/notes.md': 'README.md',
  })
  expect(findings).toEqual([])
})
