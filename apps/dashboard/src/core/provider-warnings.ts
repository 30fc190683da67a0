import { isReachableSubject } from '@herald/contracts/push-subject'

/** Warns of a VAPID subject that only this machine or network can reach; undefined when the subject is fine or unfinished. */
export function warningOfSubject(subject: string): string | undefined {
  const isMail = /^mailto:[^\s@]+@[^\s@]+$/.test(subject)
  if (!isMail && !(subject.startsWith('https://') && URL.canParse(subject))) return undefined
  if (isReachableSubject(subject)) return undefined
  return 'Nobody outside this machine or network can reach this address. Apple answers 403 to it, so no push arrives in Safari. Give a mail address or an https address that works for everybody.'
}

/** Gives a typed subject as VAPID takes it: `mailto:` is put before a mail address. */
export const subjectOf = (typed: string): string => (/^[^\s@:]+@[^\s@]+$/.test(typed.trim()) ? `mailto:${typed.trim()}` : typed.trim())

/** The warning when an operator chooses the sandbox of APNs. For each token Herald finds out the environment (spec: providers/apns-environments). */
export const warningOfSandbox =
  'The sandbox of APNs knows only devices whose app was installed from Xcode. Herald asks it first, and asks production about each device that it does not know. Set “production” once people have the app from the App Store or TestFlight.'

/** Says what a new key pair means for browsers that have subscribed. */
export const warningOfNewKeys = (browsers: number | undefined): string =>
  `With a new key pair every browser must subscribe again${browsers === undefined ? '' : `: ${browsers.toLocaleString('en')} ${browsers === 1 ? 'browser is' : 'browsers are'} reachable with the present one`}. Each does so when its user visits a page with the Herald SDK; until then it gets nothing.`

/** Makes a VAPID key pair in this browser, in base64url; the public key is an uncompressed point. */
export async function makeVapidPair(): Promise<{ publicKey: string; privateKey: string }> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  const { d = '' } = await crypto.subtle.exportKey('jwk', pair.privateKey)
  const publicKey = btoa(String.fromCodePoint(...raw))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
  return { publicKey, privateKey: d }
}
