import { expect, test } from 'vitest'
import { makeSbom, missingIn, severeIn, shippedPackages, type Lock } from './sbom.ts'

const locked = (more: object = {}) => ({
  version: '1.0.0',
  integrity: `sha512-${Buffer.alloc(64, 7).toString('base64')}`,
  license: 'MIT',
  ...more,
})
const lock: Lock = {
  version: '0.2.0',
  packages: {
    '': {},
    'apps/shop': { dependencies: { '@herald/lib': '', server: '1' }, devDependencies: { page: '1', tester: '1' } },
    'libs/service': { dependencies: { '@scope/pool': '1' } },
    e2e: { dependencies: { browser: '1' } },
    'node_modules/@herald/lib': { link: true, resolved: 'libs/service' },
    'node_modules/server': locked({ dependencies: { deep: '1' }, optionalDependencies: { native: '1', absent: '1' } }),
    'node_modules/deep': locked({ version: '2.0.0' }),
    'node_modules/server/node_modules/deep': locked({ dependencies: { server: '1' } }),
    'node_modules/native': locked(),
    'node_modules/@scope/pool': locked({ license: 'MIT OR Apache-2.0' }),
    'node_modules/page': locked(),
    'node_modules/tester': locked(),
    'node_modules/browser': locked(),
  },
}
const required = shippedPackages(lock, (project, name) => project === 'apps/shop' && name === 'page')

// spec: running/release-check
test('a release holds its projects’ dependencies in their versions and what pages import, no tests', () => {
  expect([...required].toSorted()).toEqual([
    'node_modules/@scope/pool',
    'node_modules/native',
    'node_modules/page',
    'node_modules/server',
    'node_modules/server/node_modules/deep',
  ])
})

// spec: running/release-check
test('the bill of materials is CycloneDX, lists every package once, and is the same for the same commit', () => {
  const sbom = makeSbom(lock, required, 'c0ffee')
  expect(makeSbom(lock, required, 'c0ffee')).toEqual(sbom)
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })
  expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(sbom.components).toHaveLength(8)
  expect(sbom.components).toContainEqual({
    type: 'library',
    'bom-ref': 'pkg:npm/%40scope/pool@1.0.0',
    name: '@scope/pool',
    version: '1.0.0',
    scope: 'required',
    purl: 'pkg:npm/%40scope/pool@1.0.0',
    hashes: [{ alg: 'SHA-512', content: '07'.repeat(64) }],
    licenses: [{ expression: 'MIT OR Apache-2.0' }],
  })
  expect(missingIn(sbom, [{ name: 'server', version: '1.0.0' }])).toEqual([])
  const absent = [
    { name: 'server', version: '1.0.1' },
    { name: 'browser', version: '1.0.0' },
  ]
  expect(missingIn(sbom, absent)).toEqual(['server@1.0.1', 'browser@1.0.0'])
})

// spec: running/release-check
test('a high or critical vulnerability fails a release that holds it; a test’s and no answer do not', () => {
  const of = (name: string, severity: string) => ({ [name]: { name, severity, nodes: [`node_modules/${name}`] } })
  const answer = (vulnerabilities: object) => JSON.stringify({ vulnerabilities })
  expect(severeIn(answer({ ...of('server', 'critical'), ...of('page', 'high'), ...of('native', 'moderate') }), required)).toEqual([
    'server (critical)',
    'page (high)',
  ])
  expect(severeIn(answer(of('browser', 'critical')), required)).toEqual([])
  for (const no of ['', 'npm error', '{"message":"405 Method Not Allowed","statusCode":405}'])
    expect(severeIn(no, required)).toBeUndefined()
})
