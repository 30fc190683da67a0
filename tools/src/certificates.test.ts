import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { joinAuthorities, readCertificates } from './certificates.ts'

const now = new Date('2026-01-01T00:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'herald-certificates-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('the simulator’s certificate is used until 30 days before it expires; then it is made again together with its authority', () => {
  const paths = readCertificates(directory, now)
  const first = readFileSync(paths.certificate, 'utf8')
  expect(statSync(paths.privateKey).mode & 0o777).toBe(0o600)

  readCertificates(directory, inDays(330))
  expect(readFileSync(paths.certificate, 'utf8')).toBe(first)

  readCertificates(directory, inDays(340))
  const renewed = new X509Certificate(readFileSync(paths.certificate))
  expect(renewed.raw.equals(new X509Certificate(first).raw)).toBe(false)
  expect(renewed.verify(new X509Certificate(readFileSync(paths.ca)).publicKey)).toBe(true)
})

test('a certificate that a crash left incomplete is made again', () => {
  const paths = readCertificates(directory, now)
  writeFileSync(paths.certificate, '-----BEGIN CERTIFICATE-----\nMIIB')

  readCertificates(directory, now)
  expect(new X509Certificate(readFileSync(paths.certificate)).subject).toBe('CN=localhost')
})

// spec: running/certificates
test('the authorities of NODE_EXTRA_CA_CERTS and of the simulator are put into one file', () => {
  const { ca } = readCertificates(directory, now)
  const given = join(directory, 'given.pem')
  writeFileSync(given, 'GIVEN')

  expect(readFileSync(joinAuthorities(directory, ca, given), 'utf8')).toBe(`${readFileSync(ca, 'utf8')}GIVEN\n`)
  expect(() => joinAuthorities(directory, ca, join(directory, 'absent.pem'))).toThrow('does not exist')
})
