import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { isPortFree } from './free-port.ts'
import { holdPort, type HeldPort } from './held-port.ts'

const held: HeldPort[] = []
afterEach(() => held.splice(0).forEach((port) => port.close()))

async function hold(port: number, host?: string): Promise<HeldPort> {
  const one = await holdPort(port, host)
  held.push(one)
  return one
}

/** Starts a server that listens on the given socket, prints a line when it does, and answers each connection with its pid. */
async function listenOn({ fd }: HeldPort) {
  const code = `require('net').createServer((socket) => socket.end(String(process.pid))).listen({ fd: 3 }, () => console.log('listening'))`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit', fd] })
  if (child.stdout === null) throw new Error('its output is no pipe')
  await once(child.stdout, 'data')
  return child
}

async function pidThatAnswers(port: number, host?: string): Promise<number> {
  const [data] = await once(connect(port, host), 'data')
  return Number(data)
}

test.each(['127.0.0.1', '::1', 'localhost'])(
  'a client that connects to %s while no server runs is answered by the next server',
  async (host) => {
    const port = await hold(0, host)
    const first = await listenOn(port)
    expect(await pidThatAnswers(port.port, host)).toBe(first.pid)
    first.kill('SIGKILL')
    await once(first, 'exit')

    const answer = pidThatAnswers(port.port, host)
    const second = await listenOn(port)
    expect(await answer).toBe(second.pid)
    second.kill('SIGKILL')
  },
)

test('a taken port and an address of another machine are errors with their codes', async () => {
  const other = createServer().listen({ port: 0, host: '127.0.0.1', reusePort: true })
  await once(other, 'listening')
  const address = other.address()
  const taken = typeof address === 'object' && address !== null ? address.port : 0

  await expect(holdPort(taken)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await expect(holdPort(0, '192.0.2.1')).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' })
  other.close()
})

test('a child process has the socket only when given it, and its port is free once closed', async () => {
  const port = await hold(0)
  const socket = readlinkSync(`/proc/self/fd/${port.fd}`)
  const openIn = (given: 'ignore' | number) =>
    spawnSync('ls', ['-l', '/proc/self/fd'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit', given] }).stdout
  expect(openIn(port.fd)).toContain(socket)
  expect(openIn('ignore')).not.toContain(socket)

  const child = await listenOn(port)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await isPortFree(port.port)).toBe(false)
  port.close()
  expect(port.fd).toBeLessThan(0)
  expect(await isPortFree(port.port)).toBe(true)
})
