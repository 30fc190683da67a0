/*
 * Reads the files of Apple and Google in the browser before anything is sent, so that an operator who chooses a wrong file learns at once what it
 * is. Herald checks the credentials again when they are saved.
 */

/** The content of a file, or what is wrong with the file. */
export type FileRead<T> = { ok: true; found: T } | { ok: false; problem: string }

export type ApnsKeyFile = { privateKey: string; keyId: string | null }
export type ServiceAccountFile = { serviceAccount: Record<string, unknown>; projectId: string; clientEmail: string }

/**
 * A file with more characters than this is refused, because it cannot be a file of credentials: Apple's have about 250 characters, Google's about
 * 2,400.
 */
export const largestProviderFile = 20_000

const refused = (problem: string): { ok: false; problem: string } => ({ ok: false, problem })

/** Gives the key id from the name that Apple gives a file, `AuthKey_ABC123DEFG.p8`. A browser may have added ` (1)`. */
export const keyIdOfName = (name: string): string | null => /AuthKey_([A-Z0-9]{10})(?![A-Z0-9])/.exec(name)?.[1] ?? null

const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/

/** Object identifiers in DER, as hex: a key on an elliptic curve, an RSA key, and the curve P-256. */
const identifiers = { ec: '06072a8648ce3d0201', rsa: '06092a864886f70d010101', p256: '06082a8648ce3d030107' }

/** Reads the `.p8` file of an APNs key. */
export async function readApnsKey(name: string, text: string): Promise<FileRead<ApnsKeyFile>> {
  const wrongText = problemOfPem(text)
  if (wrongText !== undefined) return refused(wrongText)
  const [, label = '', body = ''] = pemBlock.exec(text) ?? []
  if (label === 'RSA PRIVATE KEY') return refused(rsaInPlaceOfP8)
  if (label.includes('CERTIFICATE'))
    return refused('This is a certificate. Herald signs with a key: make an APNs key in Apple’s developer account and drop its .p8 file.')
  if (label.includes('PUBLIC'))
    return refused('This is a public key. The .p8 file from Apple holds the private key: it begins with -----BEGIN PRIVATE KEY-----.')
  if (label.includes('ENCRYPTED'))
    return refused('This key is encrypted with a password. Apple’s .p8 files are not: drop the file as Apple gave it to you.')
  const der = bytesOfBase64(body)
  if (der === undefined)
    return refused('The text between BEGIN and END is not base64: the file was changed. Download it from Apple again, or copy it anew.')
  const problem = label === 'EC PRIVATE KEY' ? undefined : await problemOfEllipticKey(der)
  if (problem !== undefined) return refused(problem)
  return { ok: true, found: { privateKey: `${text.trim()}\n`, keyId: keyIdOfName(name) } }
}

const rsaInPlaceOfP8 =
  'This is an RSA key. APNs takes the .p8 key from Apple, a P-256 key: Certificates, Identifiers & Profiles, Keys, with “Apple Push Notifications service”.'

function problemOfPem(text: string): string | undefined {
  if (text.length > largestProviderFile) return 'This file is too long for a key. The .p8 file from Apple has about 250 characters.'
  if (text.trim() === '') return 'This file is empty.'
  if (text.trimStart().startsWith('{'))
    return 'This is a JSON file. APNs takes the .p8 file from Apple; a service account of Google belongs to FCM.'
  if (pemBlock.test(text)) return undefined
  if (text.includes('-----BEGIN '))
    return 'This file is cut off: its last line, -----END PRIVATE KEY-----, is missing. Download it again, or copy all of it.'
  return 'This is not a key file. The .p8 file from Apple begins with -----BEGIN PRIVATE KEY-----.'
}

async function problemOfEllipticKey(der: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const hex = hexOf(der)
  if (!isWhole(der)) return 'This key is cut off: it says that it is longer than it is. Download the file again, or copy all of it.'
  if (hex.includes(identifiers.rsa)) return rsaInPlaceOfP8
  if (hex.includes(identifiers.ec) && !hex.includes(identifiers.p256))
    return 'This key lies on another curve than P-256. It is not from Apple.'
  const taken = await isImported(der, { name: 'ECDSA', namedCurve: 'P-256' })
  return taken ? undefined : 'This key cannot be read. Download the .p8 file from Apple again.'
}

/** Reads the service account file of a Firebase project. */
export async function readServiceAccount(text: string): Promise<FileRead<ServiceAccountFile>> {
  if (text.length > largestProviderFile) return refused('This file is too long for a service account, which has about 2,400 characters.')
  if (text.includes('-----BEGIN ') && !text.trimStart().startsWith('{'))
    return refused(
      'This is a key alone. FCM takes the JSON file of a service account: Firebase console, Project settings, Service accounts.',
    )
  const account = jsonObject(text)
  if (account === undefined) return refused('This is not a JSON object, or it is cut off. Download the file of the service account again.')
  const other = nameOfOtherJson(account)
  if (other !== undefined) return refused(other)
  const { project_id: projectId, client_email: clientEmail, private_key: privateKey } = account
  for (const [field, value] of Object.entries({ project_id: projectId, client_email: clientEmail, private_key: privateKey }))
    if (typeof value !== 'string' || value === '') return refused(`${field} is missing. Download the file of the service account again.`)
  const problem = await problemOfRsaKey(String(privateKey))
  if (problem !== undefined) return refused(problem)
  return { ok: true, found: { serviceAccount: account, projectId: String(projectId), clientEmail: String(clientEmail) } }
}

/** The types of Google's other credential files. The message of a refused file repeats its type only when it is one of these. */
const otherTypes = ['authorized_user', 'external_account', 'impersonated_service_account', 'gdch_service_account']

/** Says why a JSON file is no service account, most often because it is another file of Google or Firebase; undefined when it may be one. */
function nameOfOtherJson(account: Record<string, unknown>): string | undefined {
  const { type } = account
  const otherType = otherTypes.find((known) => known === type)
  if ('project_info' in account)
    return 'This is google-services.json, which belongs into the Android app. FCM takes the file of a service account: Firebase console, Project settings, Service accounts.'
  if ('apiKey' in account)
    return 'This is the configuration of a Firebase web app. FCM takes the file of a service account: Firebase console, Project settings, Service accounts.'
  if ('installed' in account || 'web' in account)
    return 'This is an OAuth client. FCM takes the file of a service account: Firebase console, Project settings, Service accounts.'
  if (type !== undefined && type !== 'service_account')
    return `This file is of ${otherType === undefined ? 'another type' : `the type “${otherType}”`}. FCM takes one of the type “service_account”.`
  if (!('private_key' in account) && !('client_email' in account))
    return 'This JSON is not a service account: it has no client_email and no private_key.'
  return undefined
}

async function problemOfRsaKey(pem: string): Promise<string | undefined> {
  const [, label = '', body = ''] = pemBlock.exec(pem) ?? []
  if (label === '')
    return pem.includes('-----BEGIN ')
      ? 'private_key is cut off: its END line is missing. Download the file again.'
      : 'private_key is not PEM text. Download the file of the service account again.'
  const der = bytesOfBase64(body.replaceAll(String.raw`\n`, ''))
  if (der === undefined || !isWhole(der)) return 'private_key is cut off or changed. Download the file of the service account again.'
  if (hexOf(der).includes(identifiers.ec)) return 'private_key is not an RSA key. A service account of Google has one.'
  if (label !== 'PRIVATE KEY') return undefined
  const taken = await isImported(der, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' })
  return taken ? undefined : 'private_key cannot be read. Download the file of the service account again.'
}

/**
 * Says whether the browser can import these bytes as a private key. Without WebCrypto, as on a page over plain http, it gives true and leaves the
 * check to Herald.
 */
async function isImported(der: Uint8Array<ArrayBuffer>, algorithm: EcKeyImportParams | RsaHashedImportParams): Promise<boolean> {
  if (!('subtle' in globalThis.crypto)) return true
  try {
    await globalThis.crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
    return true
  } catch {
    return false
  }
}

/** Says whether the bytes of a DER file are as long as its header says. A file that was cut is shorter. */
function isWhole(der: Uint8Array): boolean {
  const [tag = 0, first = 0] = der
  if (tag !== 0x30) return false
  if (first < 0x80) return der.length === 2 + first
  const sizeBytes = first & 0x7f
  const size = der.slice(2, 2 + sizeBytes).reduce((sum, byte) => sum * 256 + byte, 0)
  return der.length === 2 + sizeBytes + size
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll(/\s/g, '')), (letter) => letter.codePointAt(0) ?? 0)
  } catch {
    return undefined
  }
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
