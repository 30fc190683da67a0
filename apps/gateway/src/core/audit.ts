import { invalidField } from '@herald/contracts/fault'

/** The name of a change in the audit: the thing that was changed, and what was done to it. */
export type AuditAction =
  | `app.${'created' | 'changed' | 'deleted'}`
  | `${'key' | 'admin-key'}.${'created' | 'revoked'}`
  | `provider.${'set' | 'removed' | 'probed' | 'rolled-back'}`
  | 'identity-secret.made'
  | 'holdout.redrawn'
  | 'device.marked'
  | `${'segment' | 'template' | 'category'}.${'created' | 'changed' | 'deleted'}`
  | `draft.${'changed' | 'deleted'}`
  | `picture.${'added' | 'deleted'}`
  | `campaign.${'created' | 'changed' | 'deleted' | 'sent' | 'unsent' | 'cancelled' | 'paused' | 'resumed' | 'duplicated' | 'winner-picked' | 'rate-changed' | 'tested' | 'approval-asked' | 'recalled'}`
  | `user.${'exported' | 'changed' | 'erased'}`
  | `${'users' | 'pushes'}.exported`
  | `device.${'changed' | 'deleted' | 'marked'}`
  | `import.${'started' | 'finished' | 'cancelled'}`
  | `session.${'begun' | 'refused' | 'ended'}`
  | 'sign-in-link.made'
  | 'simulator.device-added'
  | `webhook.${'created' | 'changed' | 'deleted' | 'enabled' | 'secret-rotated' | 'replayed'}`

/** What was changed: ids, names, kinds, counts and the like. It never holds a secret, a token or the content of a push. */
export type Subject = Record<string, unknown>

/** Who makes a change, and in which request. */
export type By = { actor: string; requestId: string }

const printableAscii = /^[\x20-\x7e]{1,128}$/
const actorMustBe = 'must be 1 to 128 printable ASCII characters'

/**
 * Reads the name that an operator gives in the header x-admin-actor; `administrator` without the header. All operators share one administration
 * token, so nothing proves the name. Fault: invalid_body at `headers.x-admin-actor`.
 */
export function actorOf(header: string | undefined): string {
  if (header === undefined) return 'administrator'
  if (!printableAscii.test(header)) throw invalidField('headers.x-admin-actor', actorMustBe)
  return header
}

/** Gives the actor of a change that was made with an administration key: its name, after a word that says that it is a key. */
export const actorOfKey = (name: string): string => `key ${name}`

/** The app id of audit lines that belong to no app. */
export const ofNoApp = ''
