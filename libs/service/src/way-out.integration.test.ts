import { connect as connectTls, createServer, type TLSSocket } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { atEnd } from '@herald/testing/at-end'
import { startProxy } from '@herald/testing/proxy'
import { trust } from '@herald/testing/trust'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import type { Resolve } from './guarded-connect.ts'
import { openWayOut } from './way-out.ts'

const certificate = makeServerCertificate(new Date(), 2, ['push.test', 'proxy.test'])
trust(certificate.ca)
const tls = { cert: certificate.certificate, key: certificate.privateKey }

/** Starts a TLS server on 127.0.0.1 that sends back what it gets. Only the proxy knows where `push.test` is. */
async function startEcho(): Promise<{ port: number; names: (string | false | null)[] }> {
  const names: (string | false | null)[] = []
  const server = createServer(tls, (socket) => {
    names.push(socket.servername ?? null)
    socket.on('error', () => undefined).pipe(socket)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  atEnd(() => void server.close())
  return { port: (server.address() as AddressInfo).port, names }
}

const signal = AbortSignal.timeout(20_000)
const refusing = (code: string) => Promise.reject(Object.assign(new Error('no address'), { code }))
const nobody: Resolve = () => refusing('ECONNREFUSED')
const codeOf = async (tunnel: Promise<unknown> | undefined) => {
  const error: unknown = await tunnel?.catch((thrown: unknown) => thrown)
  return error instanceof Error ? Reflect.get(error, 'code') : 'a tunnel'
}

// spec: running/proxy
test.each(['http', 'https'])(
  'through an %s:// proxy TLS is spoken with the host itself, and the proxy gets its name and user',
  async (scheme) => {
    const proxy = await startProxy(scheme === 'https' ? { tls } : {})
    const echo = await startEcho()
    const address = `${scheme}://ops%40corp:a%3Ab@127.0.0.1:${proxy.port}`
    const { tunnel } = openWayOut({ HTTPS_PROXY: address, NO_PROXY: '' }, { resolve: nobody, allowPrivate: false })
    const stopped = new AbortController()
    const socket = await tunnel({ host: 'push.test', port: echo.port }, stopped.signal)
    if (!socket) throw new Error('no tunnel')
    // The limit is for the way to the host, and not for what is said afterwards.
    stopped.abort()
    const secured: TLSSocket = connectTls({ socket, servername: 'push.test' })
    const heard = new Promise<string>((resolve) => secured.once('data', (data: Buffer) => resolve(data.toString())))
    secured.write('hello')
    expect(await heard).toBe('hello')
    expect([echo.names, proxy.asked]).toEqual([['push.test'], [`push.test:${echo.port}`]])
    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('ops@corp:a:b').toString('base64')}`])
    secured.destroy()
  },
)

// spec: running/proxy
test.each([
  ['407', 'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n', 'PROXY_407'],
  ['502', 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nno\n', 'PROXY_502'],
  ['101', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'PROXY_101'],
  ['bytes that are not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'PROXY_HPE_INVALID_CONSTANT'],
])('a proxy that answers %s gives no connection, and the reason names the proxy', async (_, answer, code) => {
  const proxy = await startProxy()
  proxy.answer = answer
  const { tunnel } = openWayOut({ HTTPS_PROXY: `http://user:secret@127.0.0.1:${proxy.port}`, NO_PROXY: '' })
  expect(await codeOf(tunnel({ host: 'push.test', port: 443 }, signal))).toBe(code)
})

// spec: running/proxy
test('a proxy that cannot be reached, or does not answer in time, gives no connection', async () => {
  const proxy = await startProxy()
  proxy.answer = ''
  const silent = openWayOut({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: '' })
  const stopped = new AbortController()
  const code = codeOf(silent.tunnel({ host: 'push.test', port: 443 }, stopped.signal))
  await until(() => proxy.asked.length === 1)
  stopped.abort()
  expect(await code).toBe('PROXY_ABORT_ERR')
  const away = openWayOut({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '' })
  expect(await codeOf(away.tunnel({ host: 'push.test', port: 443 }, signal))).toBe('PROXY_ECONNREFUSED')
})

// spec: running/proxy-guard
test('no tunnel leads to a private address or name; a name not resolved here is left to the proxy', async () => {
  const proxy = await startProxy()
  const echo = await startEcho()
  const resolve: Resolve = async (host) => {
    if (host === 'inside.test') return [{ address: '10.0.0.1', family: 4 }]
    if (host === 'outside.test') return [{ address: '93.184.215.14', family: 4 }]
    return refusing(host === 'alone.test' ? 'EAI_AGAIN' : 'ENOTFOUND')
  }
  const settings = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: '' }
  const { tunnel } = openWayOut(settings, { resolve, allowPrivate: false })
  const reach = async (host: string) => {
    const socket = await tunnel({ host, port: echo.port }, signal)
    socket?.destroy()
    return host
  }
  for (const host of ['10.0.0.1', '169.254.169.254', 'fd00::1', '::ffff:10.0.0.1', 'inside.test'])
    expect([host, await codeOf(reach(host))]).toEqual([host, 'EBLOCKED'])
  expect(proxy.asked).toEqual([])
  const allowed = ['outside.test', 'unknown.test', 'alone.test']
  expect(await Promise.all(allowed.map(reach))).toEqual(allowed)
  expect(proxy.asked.toSorted()).toEqual(allowed.map((host) => `${host}:${echo.port}`).toSorted())
})

// spec: running/proxy-guard
test('while name servers are slow no tunnel leads to a late private address or an unanswered name', async () => {
  const proxy = await startProxy()
  const late = <Value>(give: () => Promise<Value>) => sleep(1_200).then(give)
  const resolve: Resolve = (host) => {
    if (host === 'inside.test') return late(() => Promise.resolve([{ address: '10.0.0.5', family: 4 }]))
    if (host === 'tired.test') return late(() => refusing('EAI_AGAIN'))
    if (host === 'late.test') return refusing('ETIMEOUT')
    return new Promise(() => undefined)
  }
  const { tunnel } = openWayOut({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: '' }, { resolve, allowPrivate: false })
  const codes = ['inside.test', 'tired.test', 'late.test', 'silent.test'].map((host) => codeOf(tunnel({ host, port: 443 }, signal)))
  expect(await Promise.all(codes)).toEqual(['EBLOCKED', 'EAI_AGAIN', 'EAI_AGAIN', 'EAI_AGAIN'])
  expect(proxy.asked).toEqual([])
})
