import { hash } from 'node:crypto'
import type { KeyKind } from '@herald/contracts/administration'
import { hintOf, randomSecret } from './secret.ts'

/** A new API key. `key` is shown once and never stored; the database stores `hash` and `hint`. */
export type NewApiKey = { key: string; hash: string; hint: string }

/** `admin`: a key of the administration. The other kinds are for the public API. */
type Kind = KeyKind | 'admin'

/** The parts of a key. The key is real when the database has its hash. */
export type ParsedApiKey = { kind: Kind; appId: string; hash: string }

const kinds = ['secret', 'public', 'admin'] as const
const prefixes = { secret: 'sk_live_', public: 'pk_live_', admin: 'ak_live_' } as const

/**
 * A key is a prefix, an app id, `_` and a secret of 43 characters. A text of another length is refused before this expression reads it, because a
 * caller may send a very long header.
 */
const form = /^(sk|pk|ak)_live_([0-9a-f]{24})_([A-Za-z0-9_-]{43})$/
const keyLength = 76

/** Makes a key of an app: `sk_live_<appId>_<secret>`, `pk_live_…` or `ak_live_…` (spec: limits/key-form). */
export function makeApiKey(kind: Kind, appId: string): NewApiKey {
  const key = `${prefixes[kind]}${appId}_${randomSecret()}`
  return { key, hash: hashApiKey(key), hint: hintOf(key) }
}

/**
 * Splits an API key into its parts; undefined when the text is no key. The secret has 256 random bits, so one SHA-256 is enough: a slow hash would
 * only help an attacker who floods Herald with wrong keys.
 */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  if (text.length !== keyLength) return undefined
  const [, prefix, appId] = form.exec(text) ?? []
  const kind = kinds.find((one) => prefixes[one].slice(0, 2) === prefix)
  return appId === undefined || kind === undefined ? undefined : { kind, appId, hash: hashApiKey(text) }
}

/** Gives the SHA-256 of the whole key as 64 lower-case hexadecimal characters. */
export const hashApiKey = (key: string): string => hash('sha256', key, 'hex')
