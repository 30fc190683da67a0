import { once } from 'node:events'
import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { afterAll } from 'vitest'

/** A request as Node's own HTTP/2 server received it. */
export type Asked = { headers: IncomingHttpHeaders; body: string }

export type NodeServer = {
  url: URL
  /** The certificate of the certificate authority, PEM. */
  ca: string
  /** The mistakes that nghttp2 found in the requests of clients. */
  complaints: string[]
}

/** Starts Node's own HTTP/2 server, which uses nghttp2 and resets the streams of requests that break a rule. It stops at the end of the test file. */
export async function startNodeServer(serve: (stream: ServerHttp2Stream, asked: Asked) => void): Promise<NodeServer> {
  const { ca, certificate, privateKey } = makeServerCertificate(new Date(), 2)
  const server = createSecureServer({ cert: certificate, key: privateKey, strictFieldWhitespaceValidation: true })
  const sessions = new Set<ServerHttp2Session>()
  const complaints: string[] = []
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', (error) => complaints.push(String(error)))
  })
  server.on('sessionError', (error) => complaints.push(String(error)))
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', (error) => complaints.push(String(error)))
    stream.on('end', () => serve(stream, { headers, body: Buffer.concat(chunks).toString() }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: new URL(`https://localhost:${port}`), ca, complaints }
}
