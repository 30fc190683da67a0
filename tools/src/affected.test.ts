import { expect, test } from 'vitest'
import { affectedProjects, everyProject } from './affected.ts'

const touching = async (...files: string[]) => (await affectedProjects({ files })).map(({ root }) => root)

test('a change in one service affects that service, the host and the end-to-end tests, and no other project', async () => {
  expect(await touching('apps/webhooks/src/wire.ts')).toEqual(['apps/server', 'apps/webhooks', 'e2e'])
  expect(await touching('apps/gateway/src/http/health.ts')).toEqual(['apps/gateway', 'apps/server', 'e2e'])
})

const withoutVocabulary = /^(libs\/(embedded|http2|openapi-types)|sdks\/(web|react-native|capacitor))$/

test('a change in libs/contracts affects every project but those that do not depend on it', async () => {
  expect(await touching('libs/contracts/src/batch.ts')).toEqual(
    everyProject()
      .map(({ root }) => root)
      .filter((root) => !withoutVocabulary.test(root)),
  )
})

test('a change of a documentation page affects no project', async () => {
  expect(await touching('docs/architecture.md', 'README.md')).toEqual([])
})
