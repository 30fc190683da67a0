import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readAnswer } from '../../core/answer-meaning.ts'
import { openAccessTokens } from './access-token.ts'
import { fcmAnswers } from './answers.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Gives what the answer to a push means while the token service answers every request with this status. */
async function meaningWhen(status: number, headers: Record<string, string> = {}) {
  const server = createServer((_request, response) => response.writeHead(status, headers).end('{"error":"some"}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}/token`
  const access = await openAccessTokens({ clientEmail: 'a@b', privateKey, audience: url, url }).current()
  if ('token' in access) throw new Error('a token')
  return readAnswer(fcmAnswers, access.answer)
}

// spec: providers/oauth-token
test.each([408, 429, 500, 503])('when the token service answers %i, the push is tried again', async (status) => {
  expect(await meaningWhen(status)).toMatchObject({ class: 'retry', code: 'provider_unavailable' })
})

// spec: providers/oauth-token
test.each([429, 503])('when the token service answers %i and asks Herald to wait, the push waits as long', async (status) => {
  expect(await meaningWhen(status, { 'retry-after': '120' })).toMatchObject({ code: 'provider_unavailable', retryAfterMs: 120_000 })
})

// spec: providers/oauth-token
test.each([400, 401, 403])('when the token service answers %i, the credentials count as wrong', async (status) => {
  expect(await meaningWhen(status)).toMatchObject({ class: 'config', code: 'credentials_invalid' })
})

// spec: providers/oauth-token
test.each([
  ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
  ['a 101 to no protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['bytes that are not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
  ['a body over 64 kB', `HTTP/1.1 200 OK\r\ncontent-length: 70000\r\n\r\n${'{}'.padEnd(70_000)}`],
  ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 70\r\n\r\n{}'],
])('a token service that answers with %s gives no token, nothing was sent, and the push is tried again', async (_, answer) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(answer, () => setImmediate(() => socket.end())))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/token`
  const access = await openAccessTokens({ clientEmail: 'a@b', privateKey, audience: url, url }).current()
  expect(access).toMatchObject({ answer: { is: 'unsent', reason: expect.stringMatching(/^oauth/) } })
})

test.each([600, -600])(
  'a clock %i s off is reported, and the next token request is dated by the token service’s clock',
  async (seconds) => {
    const theirs = () => new Date(Date.now() - seconds * 1000)
    const server = createServer((request, response) => {
      let form = ''
      request.on('data', (chunk: Buffer) => (form += chunk.toString()))
      request.on('end', () => {
        const [, claims = ''] = (new URLSearchParams(form).get('assertion') ?? '').split('.')
        const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number }
        const isFair = Math.abs(iat - theirs().getTime() / 1000) < 60
        response.writeHead(isFair ? 200 : 400, { date: theirs().toUTCString() })
        response.end(JSON.stringify(isFair ? { access_token: 'token', expires_in: 3_600 } : { error: 'invalid_grant' }))
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const url = `http://127.0.0.1:${address.port}/token`
    const skews: number[] = []

    const tokens = openAccessTokens({ clientEmail: 'a@b', privateKey, audience: url, url, onSkew: (aheadMs) => void skews.push(aheadMs) })

    expect(await tokens.current()).toEqual({ token: 'token' })
    expect(skews.map((ms) => Math.round(ms / 10_000) * 10)).toEqual([seconds])
  },
)
