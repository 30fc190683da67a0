import type { AdminScope, KeyKind, Scope } from '@herald/contracts/administration'

/** A verified API key: which app it belongs to and what it may do. */
export type VerifiedKey = { keyId: string; appId: string; kind: KeyKind; scopes: ReadonlySet<Scope> }
/** A verified administration key: the app that it administers, its name and what it may do. */
export type VerifiedAdminKey = { keyId: string; appId: string; name: string; scopes: ReadonlySet<AdminScope> }
