import type { ProviderKind } from '@herald/contracts/app'
import { knownAnswers } from '@herald/contracts/provider-answers'
import type { Reply } from '@herald/http2/client/reply'
import { expect, test } from 'vitest'
import type { Answer } from '../core/answer.ts'
import { readAnswer } from '../core/answer-meaning.ts'
import { read as readApns } from './apns/answers.ts'
import { read as readFcm } from './fcm/answers.ts'
import { providers } from './open-providers.ts'
import { read as readWeb } from './web-push/answers.ts'

const reads: Readonly<Record<ProviderKind, (reply: Reply, host: string) => Answer>> = {
  apns: (reply) => readApns(reply, 'production'),
  fcm: (reply) => readFcm(reply),
  webpush: readWeb,
}

// spec: providers/known-answers
test.each(knownAnswers.map((one) => [one.name, one] as const))('the real answer "%s" means what its source says', (_, known) => {
  const headers = new Map(Object.entries(known.headers ?? {}))
  const reply: Reply = { is: 'answered', status: known.status, headers, body: Buffer.from(known.body) }
  const host = known.host === undefined ? 'push.example' : `a.${known.host}`
  const rows = Object.values(providers).find(({ kind }) => kind === known.provider)?.answers ?? []
  const meaning = readAnswer(rows, reads[known.provider](reply, host))
  expect([meaning.class, 'code' in meaning ? meaning.code : null]).toEqual([known.class, known.code])
})

test('no two known answers have the same name', () => {
  expect(new Set(knownAnswers.map(({ name }) => name)).size).toBe(knownAnswers.length)
})
