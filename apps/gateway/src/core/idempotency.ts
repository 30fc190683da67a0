import { hash } from 'node:crypto'
import { invalidField } from '@herald/contracts/fault'
import { z } from 'zod'

export const longestIdempotencyKey = 255
const printableAscii = /^[\x20-\x7e]{1,255}$/
const mustBe = 'must be 1 to 255 printable ASCII characters'

/** The schema of an idempotency key in a body. */
export const IdempotencyKey = z
  .string()
  .refine((key) => printableAscii.test(key), mustBe)
  .meta({ minLength: 1, maxLength: longestIdempotencyKey })

/**
 * Gives the header Idempotency-Key, or null when the request has none (spec: limits/idempotency-key). Fault: invalid_body at
 * `headers.idempotency-key`.
 */
export function checkIdempotencyKey(key: string | undefined): string | null {
  if (key === undefined) return null
  if (!printableAscii.test(key)) throw invalidField('headers.idempotency-key', mustBe)
  return key
}

/**
 * Gives the SHA-256 (hex) of method, path and canonical body. A repeated request has the same fingerprint, whatever the order of the keys in its
 * JSON.
 */
export const fingerprintOf = (method: string, path: string, body: unknown): string =>
  hash('sha256', `${method.toUpperCase()} ${path}\n${canonicalJson(body)}`)

/** Writes JSON with sorted keys. `parseBody` has refused a body that is nested more than 64 levels deep, so plain recursion is safe. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`
}
