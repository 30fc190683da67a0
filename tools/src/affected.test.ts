import { expect, test } from 'vitest'
import { affectedProjects, everyProject } from './affected.ts'

const touching = async (...files: string[]) => (await affectedProjects({ files })).map(({ root }) => root)

test('a change of one app is tested with that app and end to end, and nowhere else', async () => {
  expect(await touching('apps/webhooks/src/wire.ts')).toEqual(['apps/webhooks', 'e2e'])
  expect(await touching('apps/gateway/src/http/health.ts')).toEqual(['apps/gateway', 'e2e'])
})

/** Projects that do not use libs/contracts: they know Herald only by its API, also in their tests, or contracts itself may use them. */
const withoutVocabulary = /^(libs\/(embedded|http2|openapi-types)|sdks\/web)$/

test('a change of the vocabulary is tested everywhere that has it', async () => {
  expect(await touching('libs/contracts/src/batch.ts')).toEqual(
    everyProject()
      .map(({ root }) => root)
      .filter((root) => !withoutVocabulary.test(root)),
  )
})

test('a change of a page is tested nowhere', async () => {
  expect(await touching('docs/architecture.md', 'README.md')).toEqual([])
})
