import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { bits, explicit, implicit, integer, objectId, octets, sequence, set, time, truth, utf8 } from './der.ts'

export type ServerCertificate = {
  /** The certificate of the authority to trust, PEM. The authority's private key is not stored, so nobody can sign with it again. */
  ca: string
  certificate: string
  privateKey: string
}

/**
 * Makes a certificate (RFC 5280, ECDSA P-256) for `localhost`, 127.0.0.1 and `names`, and its authority, valid from a day ago until `days` from now.
 * For local servers and tests only. Node cannot (docs/decisions/0059-what-is-our-own.md).
 */
export function makeServerCertificate(now: Date, days: number, names: readonly string[] = []): ServerCertificate {
  const validity = { notBefore: new Date(now.getTime() - day), notAfter: new Date(now.getTime() + days * day) }
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // Each authority has a name of its own, because a client that trusts two of the same name would take one for the other.
  const issuer = `Herald local authority ${randomBytes(4).toString('hex')}`
  const signed = { ...validity, issuer, issuerKey: authority }
  const ca = certificate({ ...signed, subject: issuer, publicKey: authority.publicKey, extensions: authorityExtensions })
  const leaf = certificate({
    ...signed,
    subject: 'localhost',
    publicKey: server.publicKey,
    extensions: serverExtensions(['localhost', ...names]),
  })
  return { ca: pem(ca), certificate: pem(leaf), privateKey: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

const day = 86_400_000

const extension = (id: string, content: Buffer, critical = false): Buffer =>
  sequence(objectId(id), ...(critical ? [truth] : []), octets(content))

const subjectKeyIdentifier = '2.5.29.14'
const authorityKeyIdentifier = '2.5.29.35'
const basicConstraints = '2.5.29.19'
const keyUsage = '2.5.29.15'
const extendedKeyUsage = '2.5.29.37'
const subjectAltName = '2.5.29.17'
const serverAuth = '1.3.6.1.5.5.7.3.1'
const clientAuth = '1.3.6.1.5.5.7.3.2'

const authorityExtensions = [
  extension(basicConstraints, sequence(truth), true),
  extension(keyUsage, bits(Buffer.from([0b0000_0100]), 2), true), // keyCertSign
]
const serverExtensions = (names: readonly string[]) => [
  extension(basicConstraints, sequence(), true),
  extension(keyUsage, bits(Buffer.from([0b1000_0000]), 7), true), // digitalSignature
  extension(extendedKeyUsage, sequence(objectId(serverAuth), objectId(clientAuth))),
  extension(subjectAltName, sequence(...names.map((name) => implicit(2, Buffer.from(name))), implicit(7, Buffer.from([127, 0, 0, 1])))),
]

type Fields = {
  issuer: string
  issuerKey: { publicKey: KeyObject; privateKey: KeyObject }
  subject: string
  publicKey: KeyObject
  notBefore: Date
  notAfter: Date
  extensions: Buffer[]
}

function certificate({ issuer, issuerKey, subject, publicKey, notBefore, notAfter, extensions }: Fields): Buffer {
  const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40 // a positive number without a leading zero
  const toSign = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(serial),
    ecdsaWithSha256,
    commonName(issuer),
    sequence(time(notBefore), time(notAfter)),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(
      3,
      sequence(
        ...extensions,
        extension(subjectKeyIdentifier, octets(keyIdentifier(publicKey))),
        extension(authorityKeyIdentifier, sequence(implicit(0, keyIdentifier(issuerKey.publicKey)))),
      ),
    ),
  )
  return sequence(toSign, ecdsaWithSha256, bits(sign('sha256', toSign, issuerKey.privateKey)))
}

/** Gives the first 160 bits of a SHA-256 of the key (RFC 7093, 2). */
const keyIdentifier = (key: KeyObject): Buffer =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20)

const commonName = (name: string): Buffer => sequence(set(sequence(objectId('2.5.4.3'), utf8(name))))

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
