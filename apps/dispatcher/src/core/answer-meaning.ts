import { maxTries, type RefusedLetter } from '@herald/contracts/batch'
import type { CheckedProvider } from '@herald/contracts/calls/dispatcher'
import type { FailureCode } from '@herald/contracts/outcome'
import type { AnswerClass } from '@herald/contracts/provider-answers'
import type { Answer } from './answer.ts'

/** What a provider's answer means for the push, by class. */
export type AnswerMeaning =
  /** The provider took the push. */
  | { class: 'sent'; providerCode: string }
  | {
      /**
       * `retry`: not arrived, a later attempt may succeed. `quota`: too much was sent; it costs no attempt. `unknown`: perhaps delivered, so repeated
       * with the same identity. `suspect`: the device has other credentials or ours are wrong.
       */
      class: 'retry' | 'quota' | 'unknown' | 'suspect'
      code: FailureCode
      providerCode: string
      retryAfterMs: number | null
      maxTries: number
    }
  /**
   * `config`: the app's credentials or settings are wrong. `dead`: the token is, or the device's keys do not decode. `bad`: the provider will never
   * take this push, or Herald may not connect to the address.
   */
  | { class: 'config' | 'dead' | 'bad'; code: FailureCode; providerCode: string }
  /** Either the token is dead or the app's settings are wrong. The mass guard decides which. */
  | { class: 'guarded'; code: FailureCode; providerCode: string; provesCredentials: boolean }
  /** The provider did not process the push, so it may be sent again at once. */
  | { class: 'refused'; providerCode: string }

/** A row of a provider's table of answers: which answers the row fits, and what they mean. */
export type AnswerRow = RowMeaning & {
  /** The statuses that the row fits: one, several, or all of a hundred, such as `5xx`. */
  status: number | readonly number[] | '2xx' | '3xx' | '4xx' | '5xx'
  /** The provider's reasons that the row fits. A reason that ends in `*` fits every reason with that beginning. Without reasons it fits all. */
  reasons?: readonly string[]
  /** The row fits only an answer with a Retry-After that can be read. */
  saysWhen?: true
}
type RowMeaning =
  | { class: 'sent' }
  | {
      class: 'retry' | 'quota'
      code: FailureCode
      /** How long to wait when the answer has no Retry-After. */
      waitMs?: number
      maxTries?: number
    }
  | { class: 'guarded'; code: FailureCode; /** The answer shows that our credentials are good. */ provesCredentials?: true }
  | { class: Exclude<AnswerClass, 'sent' | 'retry' | 'quota' | 'guarded'>; code: FailureCode }

/**
 * Rows that hold at every provider, after its own (RFC 9110 15.5.9, 15.6, 10.2.3). A 4xx that nobody knows and that says when to come back is a way to
 * say "slow down".
 */
export const everyProvider: readonly AnswerRow[] = [
  { status: '5xx', class: 'retry', code: 'provider_unavailable' },
  { status: 408, class: 'retry', code: 'provider_unavailable' },
  { status: 429, class: 'retry', code: 'rate_limited' },
  { status: '4xx', saysWhen: true, class: 'retry', code: 'rate_limited' },
]

/**
 * The meaning of an answer that no row fits, such as one that the provider adds later: the push gets at most three attempts. Only this meaning has
 * the code `internal`, so the code shows that no row fitted.
 */
const noRowFits: RowMeaning = { class: 'retry', code: 'internal', maxTries: 3 }

/** Gives what a provider's answer means by the provider's table (spec: providers/no-answer). Every answer has a meaning. */
export function readAnswer(rows: readonly AnswerRow[], answer: Answer): AnswerMeaning {
  switch (answer.is) {
    case 'answered':
      return meaningOf(rows.find((row) => fits(row, answer)) ?? everyProvider.find((row) => fits(row, answer)) ?? noRowFits, answer)
    case 'refused':
      return { class: 'refused', providerCode: answer.reason }
    case 'unsent':
      return { class: 'retry', code: 'network_error', providerCode: answer.reason, retryAfterMs: null, maxTries }
    case 'unanswered': {
      const code = answer.why === 'timeout' ? 'timeout' : 'network_error'
      return { class: 'unknown', code, providerCode: answer.reason, retryAfterMs: null, maxTries }
    }
    case 'unsendable':
      return { ...unsendable[answer.why], providerCode: answer.why }
  }
}

const unsendable = {
  keys: { class: 'dead', code: 'encryption_failed' },
  address: { class: 'bad', code: 'token_invalid' },
  credentials: { class: 'config', code: 'credentials_invalid' },
} as const

function meaningOf(row: RowMeaning, answer: Answer & { is: 'answered' }): AnswerMeaning {
  const providerCode = answer.reason === '' ? String(answer.status) : `${answer.status} ${answer.reason}`.trim()
  switch (row.class) {
    case 'sent':
      return { class: 'sent', providerCode }
    case 'config':
    case 'dead':
    case 'bad':
      return { class: row.class, code: row.code, providerCode }
    case 'guarded':
      return { class: 'guarded', code: row.code, providerCode, provesCredentials: row.provesCredentials ?? false }
    case 'suspect':
      return { class: 'suspect', code: row.code, providerCode, retryAfterMs: answer.retryAfterMs, maxTries: suspectTries }
    case 'retry':
    case 'quota': {
      const wait = answer.retryAfterMs ?? row.waitMs ?? null
      return { class: row.class, code: row.code, providerCode, retryAfterMs: wait, maxTries: row.maxTries ?? maxTries }
    }
  }
}

/**
 * A push whose device may belong to other credentials has three attempts, 5 s in all: a push service that errs once loses nothing, and the campaign
 * settles soon.
 */
const suspectTries = 3

function fits({ status, reasons, saysWhen }: AnswerRow, { status: answered, reason, retryAfterMs }: Answer & { is: 'answered' }): boolean {
  if (saysWhen && retryAfterMs === null) return false
  const isStatus =
    typeof status === 'number'
      ? status === answered
      : typeof status === 'string'
        ? Number(status[0]) === Math.floor(answered / 100)
        : status.includes(answered)
  return (
    isStatus && (reasons === undefined || reasons.some((one) => (one.endsWith('*') ? reason.startsWith(one.slice(0, -1)) : one === reason)))
  )
}

/**
 * Says whether a push that failed with this code showed a dead token, of which a dead dispatcher's successor tells audience. Codes of the mass guard
 * do not count: audience knows these tokens.
 */
export const isDeadCode = (rows: readonly AnswerRow[], code: string): boolean =>
  code === unsendable.keys.code || rows.some((row) => row.class === 'dead' && row.code === code)

/**
 * Says whether the provider was away: no connection, no answer, or the code `provider_unavailable`. An attempt that this process gave up because it
 * stops does not count.
 */
export const isUnavailable = (meaning: AnswerMeaning): meaning is AnswerMeaning & { class: 'retry' | 'unknown' } =>
  (meaning.class === 'retry' || meaning.class === 'unknown') &&
  (meaning.code === 'provider_unavailable' || meaning.code === 'network_error' || meaning.code === 'timeout') &&
  meaning.providerCode !== 'stopped'

/**
 * What an answer says to the circuit (`answers` of `FinishBatch`). `s`: sent. `c`: wrong credentials. `u`: provider away. `p`: only this message or
 * token refused, so good credentials. `a`: any other. `g`, `t`, `w`: a refused device (`RefusedLetter`).
 */
export type Letter = 's' | 'c' | 'u' | 'p' | 'a' | RefusedLetter

/** A provider that refuses a message or a device with one of these has read the credentials before (RFC 9110; spec: providers/circuit-closes). */
const refusesTheMessage: readonly number[] = [400, 404, 410, 413]

/**
 * Gives the letter that an answer says to the circuit. A push service that answers a probe with 400 has read the credentials. Without a provider's
 * answer: `u` (away), `c` (the app's key does not open), otherwise none.
 */
export function letterOf(meaning: AnswerMeaning, answer: Answer, probe = false): Letter | undefined {
  if (isUnavailable(meaning)) return 'u'
  switch (meaning.class) {
    case 'sent':
      return 's'
    case 'config':
      return 'c'
    case 'suspect':
      return probe && answer.is === 'answered' && answer.status === 400 ? 'p' : 'w'
    case 'guarded':
      return meaning.provesCredentials ? 't' : 'g'
    default:
      if (answer.is !== 'answered') return undefined
      return (meaning.class === 'dead' || meaning.class === 'bad') && refusesTheMessage.includes(answer.status) ? 'p' : 'a'
  }
}

/**
 * Says what the answer to a check's push means. A provider looks at the credentials first, so refusing only the push shows that they are good. A push
 * without an address is not sent: an opened key is enough.
 */
export function checkedBy(rows: readonly AnswerRow[], answer: Answer): CheckedProvider {
  if (answer.is === 'unsendable' && answer.why === 'address') return { ok: true, code: null, providerCode: null }
  const meaning = readAnswer(rows, answer)
  const providerCode = meaning.providerCode === '' ? null : meaning.providerCode
  const isNoToThePush = answer.is === 'answered' && answer.status === 400 && meaning.class !== 'config' && meaning.class !== 'suspect'
  if (isNoToThePush || meaning.class === 'sent' || (meaning.class === 'dead' && answer.is === 'answered'))
    return { ok: true, code: null, providerCode }
  return { ok: false, code: 'code' in meaning ? meaning.code : 'provider_unavailable', providerCode }
}
