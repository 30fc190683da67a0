import { hash } from 'node:crypto'
import type { KeyKind } from '@herald/contracts/administration'
import { hintOf, randomSecret } from './secret.ts'

/** A new API key. `key` is shown once and never stored; the database stores `hash` and `hint`. */
export type NewApiKey = { key: string; hash: string; hint: string }

/** The parts of an API key. The key is real when the database has its hash. */
export type ParsedApiKey = { kind: KeyKind; appId: string; hash: string }

const prefixes = { secret: 'sk_live_', public: 'pk_live_' } as const

/**
 * A key is a prefix, an app id, `_` and a secret of 43 characters. A text of another length is refused before this expression reads it, because a
 * caller may send a very long header.
 */
const form = /^(sk|pk)_live_([0-9a-f]{24})_([A-Za-z0-9_-]{43})$/
const keyLength = 76

/** Makes a key of an app: `sk_live_<appId>_<secret>` or `pk_live_…` (spec: limits/key-form). */
export function makeApiKey(kind: KeyKind, appId: string): NewApiKey {
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
  return appId === undefined ? undefined : { kind: prefix === 'sk' ? 'secret' : 'public', appId, hash: hashApiKey(text) }
}

/** Gives the SHA-256 of the whole key as 64 lower-case hexadecimal characters. */
export const hashApiKey = (key: string): string => hash('sha256', key, 'hex')
