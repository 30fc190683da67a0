import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Encodes one value in DER, with its tag and length (X.690). */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = content.length
  const head = length < 128 ? [tag, length] : length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), content])
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const bitString = (bytes: Buffer) => der(0x03, Buffer.from([0]), bytes)
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const utcTime = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`))

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'))
const commonName = sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from('localhost')))))
const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))
const subjectAltName = sequence(objectId('551d11'), der(0x04, names))

/** Makes a self-signed certificate for localhost and 127.0.0.1 (RFC 5280), as PEM files in a new directory. */
export function givenCertificate() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const day = 86_400_000
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    commonName,
    sequence(utcTime(new Date(Date.now() - day)), utcTime(new Date(Date.now() + day))),
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectAltName)),
  )
  const certificate = sequence(toBeSigned, ecdsaWithSha256, bitString(sign('sha256', toBeSigned, privateKey)))
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`

  const directory = mkdtempSync(join(tmpdir(), 'herald-simulator-'))
  const [certificatePath, privateKeyPath] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')]
  writeFileSync(certificatePath, pem)
  writeFileSync(privateKeyPath, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  return { pem, certificatePath, privateKeyPath, directory, remove: () => rmSync(directory, { recursive: true }) }
}
