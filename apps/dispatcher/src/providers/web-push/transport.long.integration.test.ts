import { createECDH, randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { makeVapidPair, readVapidKey } from '@herald/auth/provider-token'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { guardBy, rememberingResolve, resolveByServers } from '@herald/service/guarded-connect'
import { atEnd } from '@herald/testing/at-end'
import { trust } from '@herald/testing/trust'
import { until } from '@herald/testing/until'
import { describe, expect, test } from 'vitest'
import { startNameServer } from '../../testing/start-name-server.ts'
import { openWebPush as openLibrary } from './library.ts'
import { answerOf, type Push } from '../provider.ts'
import { openWebPush as openOwn } from './transport.ts'

/** Push services on this machine whose hosts are not trusted (`isNamed`). The name server does not answer for names with "dead" in them. */

const certificate = makeServerCertificate(new Date(), 2, ['*.push.test'])
trust(certificate.ca)
const nameServer = await startNameServer((name) => !name.includes('dead'))
const vapid = makeVapidPair()
const browserKey = createECDH('prime256v1').generateKeys('base64url')

const transports = { own: openOwn, library: openLibrary }

function openTransport(kind: keyof typeof transports, appId = 'app') {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  resolver.setServers([nameServer.address])
  const guard = guardBy(rememberingResolve(resolveByServers(resolver)), { allowPrivate: true })
  const webPush = transports[kind](guard, { allowPrivate: false, hosts: ['*'] })
  atEnd(async () => {
    resolver.cancel()
    await webPush.close()
  })
  const { publicKey, privateKey } = vapid
  const transport = webPush.forApp({
    appId,
    subject: 'mailto:ops@example.com',
    publicKey,
    privateKey: readVapidKey(publicKey, privateKey),
  })
  return (host: string, port = 443) => answerOf((hear) => transport.send(pushTo(`https://${host}:${port}/endpoint`), hear))
}

const pushTo = (address: string): Push => ({
  msgId: 'message',
  address,
  keys: { p256dh: browserKey, auth: randomBytes(16).toString('base64url') },
  environment: null,
  body: '{"title":"T","body":"B"}',
  collapseId: null,
  silent: false,
  priority: 'high',
  ttlSeconds: 60,
  expiresAtSeconds: Math.floor(Date.now() / 1000) + 60,
})

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
const tls = { cert: certificate.certificate, key: certificate.privateKey }

describe.each(['own', 'library'] as const)('%s', (kind) => {
  test('names that no name server answers for hold up no others, are not asked for at once, and stay unsent', async () => {
    const port = await listening(
      createHttpsServer(tls, (request, response) => request.resume().on('end', () => response.writeHead(201).end())),
    )
    const send = openTransport(kind)
    const askedBefore = nameServer.asked.length
    const dead = Array.from({ length: 30 }, (_, no) => send(`dead-${no}.push.test`))
    await until(() => nameServer.asked.length - askedBefore >= 30, { what: 'the dead names are being asked for' })
    let deadAreOver = false
    const deadAnswers = Promise.all(dead).then((answers) => {
      deadAreOver = true
      return answers
    })

    // One push is sent first, because on a busy machine a hundred handshakes take longer than the 3 s after which a name is given up.
    expect(await send('good.push.test', port)).toMatchObject({ is: 'answered', status: 201 })
    expect(deadAreOver).toBe(false)
    const honest = Promise.all(Array.from({ length: 100 }, () => send('good.push.test', port)))

    expect(new Set((await deadAnswers).map((answer) => answer.is === 'unsent' && answer.reason))).toEqual(new Set(['EAI_AGAIN']))
    const asked = nameServer.asked.length
    expect(await send('dead-29.push.test')).toEqual({ is: 'unsent', reason: 'host does not answer' })
    expect(nameServer.asked.length).toBe(asked)
    expect((await honest).map((answer) => answer.is === 'answered' && answer.status)).toEqual(Array.from({ length: 100 }, () => 201))
  })

  test('a push service that never finishes its TLS handshake costs one connection, and its pushes are unsent', async () => {
    let connections = 0
    const port = await listening(createTcpServer(() => void (connections += 1)))
    const send = openTransport(kind)
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('mute.push.test', port)))
    expect(answers.every(({ is }) => is === 'unsent')).toBe(true)
    expect(connections).toBe(1)
  })

  test('a push service that never answers leaves one push unanswered, and all its other pushes unsent', async () => {
    let requests = 0
    const port = await listening(createHttpsServer(tls, () => void (requests += 1)))
    const send = openTransport(kind)
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('silent.push.test', port)))
    expect(answers.map(({ is }) => is).toSorted()).toEqual(['unanswered', ...Array.from({ length: 49 }, () => 'unsent')])
    expect(requests).toBe(1)
  })
})
