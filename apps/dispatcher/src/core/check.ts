import type { CheckedProvider } from '@herald/contracts/calls/dispatcher'
import type { Answer } from './answer.ts'
import { readAnswer, type AnswerRow } from './answer-meaning.ts'

/**
 * What the answer to the push of a check says of the credentials. Providers look at who asks before they look at the device, so a "no" to the push's token or
 * message says that the credentials are good. A push without an address is never sent: then it is good that the credentials opened.
 */
export function checkedBy(rows: readonly AnswerRow[], answer: Answer): CheckedProvider {
  if (answer.is === 'unsendable' && answer.why === 'address') return { ok: true, code: null, providerCode: null }
  const meaning = readAnswer(rows, answer)
  const providerCode = meaning.providerCode === '' ? null : meaning.providerCode
  const isNoToThePush = answer.is === 'answered' && answer.status === 400 && meaning.class !== 'config'
  if (isNoToThePush || meaning.class === 'sent' || (meaning.class === 'dead' && answer.is === 'answered'))
    return { ok: true, code: null, providerCode }
  return { ok: false, code: 'code' in meaning ? meaning.code : 'provider_unavailable', providerCode }
}
