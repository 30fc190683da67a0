import { databaseUnavailable, invalidField } from '@herald/contracts/fault'
import { expect, test } from 'vitest'
import { registerTracing } from './testing/tracing.ts'
import { flushSpans, inSpan } from './trace.ts'

const { ended, exported } = registerTracing()

test('a caller’s mistake fails the caller’s span, not the answer’s; a service’s failure fails both', async () => {
  for (const error of [invalidField('n', 'must not be negative'), databaseUnavailable(), new TypeError('a mistake')])
    for (const kind of ['ask', 'answer', 'consume'] as const)
      await inSpan(kind, error.name, undefined, () => Promise.reject(error)).catch(() => undefined)

  expect(ended.map(({ name, failed }) => [name, failed])).toEqual([
    ['ask Fault', 'invalid_body'],
    ['answer Fault', undefined],
    ['consume Fault', 'invalid_body'],
    ['ask Fault', 'database_unavailable'],
    ['answer Fault', 'database_unavailable'],
    ['consume Fault', 'database_unavailable'],
    ['ask TypeError', 'TypeError'],
    ['answer TypeError', 'TypeError'],
    ['consume TypeError', 'TypeError'],
  ])
})

test('a process that ends can have its OpenTelemetry SDK export the spans that it has collected', async () => {
  await inSpan('consume', 'the last', undefined, async () => expect(exported).toEqual([]))
  await flushSpans()

  expect(exported.at(-1)).toMatchObject({ name: 'consume the last' })
})
