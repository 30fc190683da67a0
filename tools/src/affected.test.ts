import { expect, test } from 'vitest'
import { affectedProjects, everyProject } from './affected.ts'

const touching = async (...files: string[]) => (await affectedProjects({ files })).map(({ root }) => root)

test('after a change in one service npm test runs the tests of that service and the end-to-end tests, and no others', async () => {
  expect(await touching('apps/webhooks/src/wire.ts')).toEqual(['apps/webhooks', 'e2e'])
  expect(await touching('apps/gateway/src/http/health.ts')).toEqual(['apps/gateway', 'e2e'])
})

/** Projects that do not use libs/contracts: those that know Herald only by its API, and those that contracts itself may use. */
const withoutVocabulary = /^(libs\/(embedded|http2|openapi-types)|sdks\/web)$/

test('after a change in libs/contracts npm test runs the tests of every project that uses it', async () => {
  expect(await touching('libs/contracts/src/batch.ts')).toEqual(
    everyProject()
      .map(({ root }) => root)
      .filter((root) => !withoutVocabulary.test(root)),
  )
})

test('after a change of a documentation page no project’s tests run', async () => {
  expect(await touching('docs/architecture.md', 'README.md')).toEqual([])
})
