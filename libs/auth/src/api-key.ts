import { hash } from 'node:crypto'
import type { KeyKind } from '@herald/contracts/administration'
import { hintOf, randomSecret } from './secret.ts'

/** A key just made. `key` is shown once and never stored; `hash` is what the database keeps. */
export type NewApiKey = { key: string; hash: string; hint: string }

/** What a presented key says of itself. Whether it is real, only its hash in the database can tell. */
export type ParsedApiKey = { kind: KeyKind; appId: string; hash: string }

const prefixes = { secret: 'sk_live_', public: 'pk_live_' } as const

/** 8 of prefix, 24 of app id, `_`, 43 of secret: nothing longer needs to be looked at, however large the header. */
const form = /^(sk|pk)_live_([0-9a-f]{24})_([A-Za-z0-9_-]{43})$/
const keyLength = 76

/** Makes a key of an app: `sk_live_<appId>_<secret>` or `pk_live_…` (spec: limits/key-form). */
export function makeApiKey(kind: KeyKind, appId: string): NewApiKey {
  const key = `${prefixes[kind]}${appId}_${randomSecret()}`
  return { key, hash: hashApiKey(key), hint: hintOf(key) }
}

/**
 * Takes a presented key apart, or undefined when it is none. The secret has 256 random bits, so one SHA-256 is enough: a slow hash would
 * only help whoever floods us with wrong keys.
 */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  if (text.length !== keyLength) return undefined
  const [, prefix, appId] = form.exec(text) ?? []
  return appId === undefined ? undefined : { kind: prefix === 'sk' ? 'secret' : 'public', appId, hash: hashApiKey(text) }
}

/** SHA-256 of the whole key, 64 lower-case hexadecimal characters. */
export const hashApiKey = (key: string): string => hash('sha256', key, 'hex')
