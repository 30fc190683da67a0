import { X509Certificate } from 'node:crypto'
import { connect, createServer } from 'node:tls'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { makeServerCertificate } from './certificate.ts'

const now = new Date()

/** Connects once and gives the code of the client's refusal; undefined when the client trusted the server. */
async function refusalOf(made: { certificate: string; privateKey: string }, ca: string, host: string): Promise<string | undefined> {
  const server = createServer({ cert: made.certificate, key: made.privateKey }, (socket) => socket.end())
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const refusal = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host, port, ca, servername: host === 'localhost' ? host : '' }, () => resolve(undefined))
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })
  server.close()
  return refusal
}

test('a client that knows the certificate authority trusts the server, by name and by address', async () => {
  const made = makeServerCertificate(now, 365)

  expect(await refusalOf(made, made.ca, 'localhost')).toBeUndefined()
  expect(await refusalOf(made, made.ca, '127.0.0.1')).toBeUndefined()
})

test('a client that knows another certificate authority does not trust the server', async () => {
  expect(await refusalOf(makeServerCertificate(now, 365), makeServerCertificate(now, 365).ca, 'localhost')).toBe(
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  )
})

test('an expired certificate is refused', async () => {
  const made = makeServerCertificate(new Date(now.getTime() - 10 * 86_400_000), 5)

  expect(await refusalOf(made, made.ca, 'localhost')).toBe('CERT_HAS_EXPIRED')
})

test('the dates of a certificate are right before and after 2050, when their form changes', () => {
  const { ca } = makeServerCertificate(new Date('2049-06-01T00:00:00Z'), 365)

  const parsed = new X509Certificate(ca)
  expect(new Date(parsed.validFrom).toISOString()).toBe('2049-05-31T00:00:00.000Z')
  expect(new Date(parsed.validTo).toISOString()).toBe('2050-06-01T00:00:00.000Z')
})
