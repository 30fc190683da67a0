import type { ProviderKind } from './app.ts'
import type { FailureCode } from './outcome.ts'

/** What an operator does about pushes that failed or are retried with a code; `remedyOf` makes it a sentence. Null when there is nothing to do. */
export const remedies: Readonly<Record<FailureCode, string | null>> = {
  token_dead: null,
  token_invalid: 'if this is many devices, check that the credentials belong to the app that these tokens were made for',
  sender_mismatch:
    'check that bundle id, project, environment or VAPID key are those for which these devices registered; a browser of an earlier key has to subscribe again',
  payload_too_large: 'shorten the texts or the data of the send: the provider takes about 4,000 bytes',
  payload_invalid:
    'check the send’s overrides: the provider knows none of its fields by that name or type; without overrides it is a mistake of Herald’s: report it with the provider’s code',
  credentials_invalid:
    'put the app’s provider credentials in order; pushes are held until they are, at most a day unless your administrator set another time',
  not_configured: 'give the app credentials for this platform, or leave the platform out of the send',
  rate_limited: 'spread the app’s sends, or ask the provider for a higher quota; pushes wait for it and are slowed down meanwhile',
  provider_unavailable: 'look at the provider’s status page; pushes wait and are tried again',
  network_error:
    'check that this machine reaches the provider (firewall, proxy, DNS) and the provider’s status page; pushes are tried again',
  timeout: 'check the network to the provider and its status page: it did not answer within 10 s; pushes are tried again',
  encryption_failed: 'check how the web page makes the keys that it registers: these do not decode',
  internal: 'the provider gave an answer that Herald does not know: report it with the provider’s code',
}

/**
 * Two words that Herald itself writes as `providerCode`. `subjectWord`: the VAPID subject is on no public host. `keyWord`: the private key does not
 * open.
 */
export const subjectWord = 'subject'
export const keyWord = 'credentials'

const doesNotOpen = 'set the credentials again: their private key does not open with the SEAL_KEYS of the dispatcher'

const otherEnvironment = 'use a key for this APNs environment, or one for both: this key is for the other one'

/** What an operator does when a word in the provider's answer says more than Herald's code. */
const remediesOfWords: Readonly<Record<ProviderKind, Readonly<Record<string, string>>>> = {
  apns: {
    [keyWord]: doesNotOpen,
    InvalidProviderToken: 'check that team id and key id are those of the .p8 key, and that Apple has not revoked the key',
    ExpiredProviderToken: 'set the clock of the gateway’s machine: Apple takes the provider token for older than an hour',
    BadEnvironmentKeyInToken: otherEnvironment,
    BadEnvironmentKeyIdInToken: otherEnvironment,
    UnrelatedKeyIdInToken: 'use one key for this app: Apple saw another key of the team on the same connection',
    BadTopic: 'check the bundle id: Apple does not know it',
    TopicDisallowed: 'check the bundle id: the key of this team may not send to it',
    TooManyProviderTokenUpdates: 'wait 20 minutes; if it comes again, look for another server that uses the same key',
  },
  fcm: {
    [keyWord]: doesNotOpen,
    invalid_grant: 'give the newest key of the service account: Google does not take this one. Or this machine’s clock is off',
    PERMISSION_DENIED: 'check that the service account is of this project and may send with the Firebase Cloud Messaging API (V1)',
    NOT_FOUND: 'check the project id: Google knows no such project',
    THIRD_PARTY_AUTH_ERROR:
      'give the Firebase project the APNs key or the web push key of its app: this token is of an iOS or web app, which needs one',
  },
  webpush: {
    [keyWord]: doesNotOpen,
    [subjectWord]: 'give a mailto: address or an https URL on a public host as the subject: push services refuse others',
  },
}

/** Gives what an operator does about a provider's answer, in one sentence. Null when there is nothing to do. */
export function remedyOf(kind: ProviderKind, code: FailureCode, providerCode: string | null): string | null {
  const words = new Set((providerCode ?? '').split(' '))
  const said = Object.entries(remediesOfWords[kind]).find(([word]) => words.has(word))
  const remedy = said?.[1] ?? remedies[code]
  return remedy === null ? null : `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`
}
